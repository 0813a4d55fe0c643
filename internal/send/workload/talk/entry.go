package talk

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxAfter bounds what one turn of a file may wait for.
const maxAfter = 1000

// entry is a conversation in a file, in one of three forms: OpenAI's messages, ShareGPT's
// conversations, or turns that say what they wait for (docs/conversations.md).
type entry struct {
	ID            json.RawMessage   `json:"id"`
	Messages      []json.RawMessage `json:"messages"`
	Conversations []struct {
		From  string  `json:"from"`
		Value *string `json:"value"`
	} `json:"conversations"`
	Turns []json.RawMessage `json:"turns"`
}

// Parse reads a conversation of a file. Each turn has its recorded answer, where there is one.
func Parse(raw []byte) (*Conversation, error) {
	if len(raw) > MaxHistory {
		return nil, fmt.Errorf("it has %d bytes, and %d are the most", len(raw), MaxHistory)
	}
	var e entry
	if err := json.Unmarshal(raw, &e); err != nil {
		return nil, fmt.Errorf("a conversation must be a JSON object with messages, conversations or turns: %w", err)
	}
	c := &Conversation{ID: e.id()}
	var err error
	switch {
	case e.Turns != nil:
		err = c.graph(e.Turns)
	case e.Messages != nil:
		err = c.messages(e.Messages)
	case e.Conversations != nil:
		var list []json.RawMessage
		if list, err = e.shareGPT(); err == nil {
			err = c.messages(list)
		}
	default:
		err = errors.New("a conversation must have messages, conversations or turns")
	}
	if err == nil {
		err = c.Check()
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// id is a text or a number.
func (e *entry) id() string {
	var text string
	if json.Unmarshal(e.ID, &text) == nil {
		return text[:min(len(text), 200)]
	}
	return string(e.ID[:min(len(e.ID), 200)])
}

// speakers are ShareGPT's names of the roles.
var speakers = map[string]string{
	"human": "user", "user": "user", "system": "system", "tool": "tool",
	"gpt": assistant, "chatgpt": assistant, "bing": assistant, "bard": assistant, assistant: assistant,
}

const assistant = "assistant"

func (e *entry) shareGPT() (list []json.RawMessage, err error) {
	for i, m := range e.Conversations {
		role, known := speakers[m.From]
		switch {
		case !known:
			return nil, fmt.Errorf("message %d is from %.40q, which is no speaker that is known", i+1, m.From)
		case m.Value == nil:
			return nil, fmt.Errorf("message %d has no value", i+1)
		}
		list = append(list, Text(role, *m.Value))
	}
	return list, nil
}

// messages makes a turn of all that stands before each answer of the assistant. What
// the assistant says first is part of the first turn.
func (c *Conversation) messages(list []json.RawMessage) error {
	var turn Turn
	asked := false
	for i, raw := range list {
		m, role, err := readMessage(raw)
		if err != nil {
			return fmt.Errorf("message %d: %w", i+1, err)
		}
		if role != assistant || !asked {
			turn.Messages = append(turn.Messages, m)
			asked = asked || role == "user" || role == "tool"
			continue
		}
		turn.Recorded = m.JSON
		c.Turns = append(c.Turns, turn)
		turn, asked = Turn{}, false
	}
	if asked {
		c.Turns = append(c.Turns, turn) // nobody has answered it
	}
	Sequence(c.Turns)
	return nil
}

func readMessage(raw json.RawMessage) (Message, string, error) {
	var m struct {
		Role string `json:"role"`
	}
	if err := json.Unmarshal(raw, &m); err != nil || m.Role == "" {
		return Message{}, "", errors.New("it must be a JSON object with a role")
	}
	var compact bytes.Buffer
	_ = json.Compact(&compact, raw) // it is JSON; how a file is indented is not sent
	return Message{JSON: compact.Bytes(), Tool: m.Role == "tool"}, m.Role, nil
}

// turnEntry is a turn of a graph in a file.
type turnEntry struct {
	Name         string            `json:"name"`
	After        *[]string         `json:"after"`     // absent: the turn before it in the list
	Continues    json.RawMessage   `json:"continues"` // a name; null: none; absent: the one that it waits for, if it is one
	Delay        string            `json:"delay"`
	Content      *string           `json:"content"` // of one message of the user
	Messages     []json.RawMessage `json:"messages"`
	Answers      []string          `json:"answers"` // added to its last message
	OutputTokens int               `json:"output_tokens"`
	Recorded     json.RawMessage   `json:"recorded"` // a message of the assistant, or its text
}

// planned is a turn as it is shown before it can be sent, in the words of turnEntry: each of those that it waits for has a delay of its own.
type planned struct {
	Name         string            `json:"name"`
	Branch       string            `json:"branch,omitempty"`
	After        []plannedWait     `json:"after"`
	Continues    string            `json:"continues,omitempty"`
	Messages     []json.RawMessage `json:"messages"`
	Answers      []string          `json:"answers,omitempty"`
	Recorded     json.RawMessage   `json:"recorded,omitempty"`
	OutputTokens int               `json:"output_tokens"`
}

type plannedWait struct {
	Turn  string `json:"turn"` // empty: the begin of the conversation
	Delay string `json:"delay,omitempty"`
	Sent  bool   `json:"sent,omitempty"` // the delay counts from its being sent
}

// TurnJSON is what is known of a turn before the answers that it waits for.
func (c *Conversation) TurnJSON(i int) ([]byte, error) {
	named := func(i int) string {
		if i < 0 {
			return ""
		}
		return cmp.Or(c.Turns[i].Name, strconv.Itoa(i+1))
	}
	t := &c.Turns[i]
	p := planned{Name: named(i), Continues: named(t.Continues), Recorded: t.Recorded, OutputTokens: t.OutputTokens, Messages: []json.RawMessage{}}
	if t.Branch < len(c.Branches) {
		p.Branch = c.Branches[t.Branch].Name
	}
	for _, w := range t.Waits {
		one := plannedWait{Turn: named(w.Turn), Sent: w.Sent}
		if w.Delay > 0 {
			one.Delay = w.Delay.String()
		}
		p.After = append(p.After, one)
	}
	for _, m := range t.Messages {
		p.Messages = append(p.Messages, m.JSON)
		for _, a := range m.Answers {
			p.Answers = append(p.Answers, named(a))
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(p)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// graph reads turns that say what they wait for.
func (c *Conversation) graph(list []json.RawMessage) error {
	if len(list) > MaxTurns {
		return fmt.Errorf("it has %d turns, and %d are the most", len(list), MaxTurns)
	}
	entries := make([]turnEntry, len(list))
	names := map[string]int{}
	for i, raw := range list {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		if err := d.Decode(&entries[i]); err != nil {
			return fmt.Errorf("turn %d: %w", i+1, err)
		}
		name := entries[i].Name
		if _, twice := names[name]; twice && name != "" {
			return fmt.Errorf("two turns have the name %.60q", name)
		}
		names[name] = i
	}
	delete(names, "")
	c.Turns = make([]Turn, len(list))
	for i := range entries {
		c.Turns[i].Name = entries[i].Name
	}
	for i := range entries {
		if err := entries[i].into(&c.Turns[i], i, names); err != nil {
			return fmt.Errorf("%s: %w", c.name(i), err)
		}
	}
	c.branch()
	return nil
}

// branch finds the branches of a graph: of the turns that continue the same one the last stays on its branch, as the turn
// that takes up again what the others found. Each other turn begins a branch.
func (c *Conversation) branch() {
	last := make(map[int]int, len(c.Turns))
	for i, t := range c.Turns {
		last[t.Continues] = i
	}
	for i := range c.Turns {
		t := &c.Turns[i]
		if k := t.Continues; k >= 0 && k < i && last[k] == i {
			t.Branch = c.Turns[k].Branch
			continue
		}
		t.Branch = len(c.Branches)
		c.Branches = append(c.Branches, Branch{Name: t.Name})
	}
	if len(c.Branches) == 1 {
		c.Branches = nil
	}
}

func (e *turnEntry) into(t *Turn, i int, names map[string]int) (err error) {
	after, err := e.after(i, names)
	if err != nil {
		return err
	}
	if t.Continues, err = e.continues(after, names); err != nil {
		return err
	}
	var delay time.Duration
	if e.Delay != "" {
		if delay, err = time.ParseDuration(e.Delay); err != nil || delay < 0 || delay > maxThink {
			return fmt.Errorf("delay needs a time such as 500ms, up to %v, not %.40q", maxThink, e.Delay)
		}
	}
	for _, k := range after {
		t.Waits = append(t.Waits, Wait{Turn: k, Delay: delay})
	}
	if len(after) == 0 && delay > 0 {
		t.Waits = []Wait{{Turn: FromBegin, Delay: delay}}
	}
	if e.OutputTokens < 0 || e.OutputTokens > 1<<30 {
		return fmt.Errorf("output_tokens can't be %d", e.OutputTokens)
	}
	t.OutputTokens = e.OutputTokens
	if err := e.own(t, names); err != nil {
		return err
	}
	t.Recorded, err = e.recorded()
	return err
}

func (e *turnEntry) after(i int, names map[string]int) ([]int, error) {
	if e.After == nil {
		if i == 0 {
			return nil, nil
		}
		return []int{i - 1}, nil
	}
	list, err := find(*e.After, names)
	if err != nil {
		return nil, fmt.Errorf("after: %w", err)
	}
	return list, nil
}

// find turns names into turns, each once.
func find(list []string, names map[string]int) (found []int, err error) {
	if len(list) > maxAfter {
		return nil, fmt.Errorf("%d names, and %d are the most", len(list), maxAfter)
	}
	for _, name := range list {
		k, ok := names[name]
		if !ok {
			return nil, fmt.Errorf("there is no turn %.60q", name)
		}
		if slices.Contains(found, k) {
			return nil, fmt.Errorf("turn %.60q is named twice", name)
		}
		found = append(found, k)
	}
	return found, nil
}

func (e *turnEntry) continues(after []int, names map[string]int) (int, error) {
	if e.Continues == nil {
		if len(after) == 1 {
			return after[0], nil
		}
		return -1, nil
	}
	var name *string
	if err := json.Unmarshal(e.Continues, &name); err != nil {
		return 0, errors.New("continues needs the name of a turn, or null")
	}
	if name == nil {
		return -1, nil
	}
	k, ok := names[*name]
	if !ok {
		return 0, fmt.Errorf("continues: there is no turn %.60q", *name)
	}
	return k, nil
}

// own reads the turn's own messages.
func (e *turnEntry) own(t *Turn, names map[string]int) error {
	if (e.Content == nil) == (e.Messages == nil) {
		return errors.New("it needs content, or messages, and not both")
	}
	if e.Content != nil {
		t.Messages = []Message{{JSON: Text("user", *e.Content)}}
	}
	for i, raw := range e.Messages {
		m, _, err := readMessage(raw)
		if err != nil {
			return fmt.Errorf("message %d: %w", i+1, err)
		}
		t.Messages = append(t.Messages, m)
	}
	if len(e.Answers) == 0 {
		return nil
	}
	if len(t.Messages) == 0 {
		return errors.New("answers need a message to stand in")
	}
	answers, err := find(e.Answers, names)
	if err != nil {
		return fmt.Errorf("answers: %w", err)
	}
	last := &t.Messages[len(t.Messages)-1]
	last.Answers = answers
	_, err = withAnswers(last.JSON, nil, nil) // is its content a text?
	return err
}

func (e *turnEntry) recorded() (json.RawMessage, error) {
	if e.Recorded == nil || string(e.Recorded) == "null" {
		return nil, nil
	}
	var text string
	if json.Unmarshal(e.Recorded, &text) == nil {
		return Text(assistant, text), nil
	}
	m, role, err := readMessage(e.Recorded)
	if err != nil || role != assistant {
		return nil, errors.New("recorded needs a message of the assistant, or its text")
	}
	return m.JSON, nil
}

// Words are the words of a message: its text, or the texts of its parts.
func Words(message json.RawMessage) string {
	var m struct{ Content json.RawMessage }
	if json.Unmarshal(message, &m) != nil {
		return ""
	}
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return text
	}
	var parts []struct{ Text string }
	_ = json.Unmarshal(m.Content, &parts) // else it has none
	var b strings.Builder
	for _, p := range parts {
		_, _ = io.WriteString(&b, p.Text)
	}
	return b.String()
}

// Marked puts words before those of a message whose content is a text, or a list of parts.
func Marked(message json.RawMessage, mark string) json.RawMessage {
	fields, err := object(message)
	if err != nil {
		return message
	}
	var text string
	var parts []json.RawMessage
	switch {
	case json.Unmarshal(fields["content"], &text) == nil:
		fields["content"] = appendString(nil, mark+text)
	case json.Unmarshal(fields["content"], &parts) == nil:
		first := append(appendString([]byte(`{"type": "text", "text": `), mark), '}')
		list, err := json.Marshal(append([]json.RawMessage{first}, parts...))
		if err != nil {
			return message
		}
		fields["content"] = list
	}
	return encode(fields)
}
