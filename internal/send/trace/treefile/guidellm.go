package treefile

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/trace/tree"
)

var guidellm = &Format{
	Name: "guidellm", Doc: "GuideLLM's conversation graphs (JSON lines): turns with their parents and columns; times are seconds.", Timed: true,
	looks: func(head []byte) bool { return hasKeys(head, "turns", "node_id") },
	group: newEach,
	build: buildGuideLLM,
}

type guideLLMGraph struct {
	ID    string         `json:"graph_id"`
	Turns []guideLLMTurn `json:"turns"`
}

type guideLLMTurn struct {
	ID      string `json:"node_id"`
	Agent   string `json:"agent_id"`
	Parents []struct {
		ID      string `json:"parent_node_id"`
		History string `json:"history_context"`
	} `json:"parents"`
	Columns  guideLLMColumns `json:"columns"`
	Settings struct {
		At    *float64 `json:"relative_timestamp"`
		Delay *float64 `json:"requeue_delay"`
		Took  *float64 `json:"trace_duration"`
	} `json:"settings"`
}

type guideLLMColumns struct {
	Prefix   []string          `json:"prefix_column"`
	Text     []string          `json:"text_column"`
	Messages []json.RawMessage `json:"raw_messages_column"`
	Input    []int             `json:"prompt_tokens_count_column"`
	Output   []int             `json:"output_tokens_count_column"`
	Tools    []json.RawMessage `json:"tools_column"`
	At       []float64         `json:"relative_timestamp_column"`
	Delay    []float64         `json:"requeue_delay_column"`
	Took     []float64         `json:"request_duration_column"`
	Response []json.RawMessage `json:"tool_response_column"`
	Image    []json.RawMessage `json:"image_column"`
	Video    []json.RawMessage `json:"video_column"`
	Audio    []json.RawMessage `json:"audio_column"`
}

func buildGuideLLM(m material) (*tree.Tree, error) {
	var g guideLLMGraph
	if err := json.Unmarshal(m.values[0], &g); err != nil {
		return nil, err
	}
	t := &tree.Tree{ID: outside.Word(g.ID)}
	nodes, agents := map[string]int{}, map[string]int{}
	var names []tree.Branch // of agents
	delays := make([]time.Duration, len(g.Turns))
	for i := range g.Turns {
		n := &g.Turns[i]
		if _, twice := nodes[n.ID]; twice {
			return nil, fmt.Errorf("two turns have the node_id %q", outside.Word(n.ID))
		}
		nodes[n.ID] = i
		u, delay, timed, err := n.turn()
		if err != nil {
			return nil, fmt.Errorf("turn %q: %w", outside.Word(n.ID), err)
		}
		t.Untimed = t.Untimed || !timed
		n.Agent = cmp.Or(n.Agent, "default")
		agent, known := agents[n.Agent]
		if !known {
			agent = len(names)
			agents[n.Agent] = agent
			names = append(names, tree.Branch{Name: outside.Word(n.Agent), Kind: tree.Subagent})
		}
		u.Branch = agent
		delays[i] = delay
		t.Turns = append(t.Turns, u)
	}
	if len(t.Turns) == 0 {
		return nil, errors.New("it has no turns")
	}
	for i := range g.Turns {
		for _, p := range g.Turns[i].Parents {
			k, known := nodes[p.ID]
			history := indexOf(histories, p.History)
			switch p.History {
			case "":
				history = int(tree.Full) // its default
			case "new":
				history = int(tree.New)
			}
			if !known || history < 0 {
				return nil, fmt.Errorf("turn %q: parent %q with history %q is not known", outside.Word(g.Turns[i].ID), outside.Word(p.ID), outside.Word(p.History))
			}
			t.Turns[i].Parents = append(t.Turns[i].Parents, tree.Parent{Turn: k, Pause: delays[k], History: tree.History(history)})
		}
	}
	if t.Untimed {
		for i := range t.Turns {
			t.Turns[i].At, t.Turns[i].Took = 0, 0
		}
	}
	if err := arrange(t); err != nil {
		return nil, err
	}
	if !t.Untimed {
		pauses(t)
	}
	chain(t, names)
	return t, nil
}

// turn is a turn without its parents, and the delay behind it.
func (n *guideLLMTurn) turn() (u tree.Turn, delay time.Duration, timed bool, err error) {
	c := &n.Columns
	if len(c.Response)+len(c.Image)+len(c.Video)+len(c.Audio) > 0 {
		return u, 0, false, errors.New("columns of tool responses, images, videos and audio are not read")
	}
	u = tree.Turn{Name: outside.Word(n.ID), Input: sum(c.Input), Output: sum(c.Output)}
	if prefix := strings.Join(c.Prefix, " "); prefix != "" {
		u.Own = append(u.Own, message("system", prefix))
	}
	for _, text := range c.Text {
		if text != "" {
			u.Own = append(u.Own, message("user", text))
		}
	}
	for _, raw := range c.Messages {
		list := []json.RawMessage{raw}
		_ = json.Unmarshal(raw, &list) // a list of them, or one
		if list, err = messages(list); err != nil {
			return u, 0, false, err
		}
		u.Own = append(u.Own, list...)
	}
	if len(c.Tools) > 0 {
		u.Fields = field(u.Fields, "tools", unquote(c.Tools[0]))
	}
	at, took, wait := first(n.Settings.At, c.At), first(n.Settings.Took, c.Took), first(n.Settings.Delay, c.Delay)
	for _, time := range []struct {
		to   *time.Duration
		from *float64
	}{{&u.At, at}, {&u.Took, took}, {&delay, wait}} {
		if time.from != nil {
			if *time.to, err = pause(*time.from); err != nil {
				return u, 0, false, err
			}
		}
	}
	return u, delay, at != nil, nil
}

// first is the setting, or the column's first value; nil: there is neither.
func first(setting *float64, column []float64) *float64 {
	if setting == nil && len(column) > 0 {
		return &column[0]
	}
	return setting
}

func sum(list []int) (n int) {
	for _, v := range list {
		n += v
	}
	return n
}

// unquote is the JSON that a string holds, where it is one.
func unquote(raw json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) == nil && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return raw
}
