package workload

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/inferometer/inferometer/internal/send/workload/talk"
)

var conversationSet = NewKind(Kind{
	Name: "conversations", Doc: "Conversations of a file, whole: OpenAI's messages, ShareGPT's form, or graphs of turns.", File: true, AllOfFile: true, Talks: true,
	SharedKeys: []string{keyNoOversample},
}, openConversations)

// ConversationOptions shape the conversations of a file.
type ConversationOptions struct {
	OutputLen *int `json:"output_len" flag:"conversations-output-len" whole:"true" follows:"output-len" min:"1" shown:"as long as the recorded answer" help:"tokens to generate in each turn that does not say it."`
	MaxTurns  int  `json:"max_turns" flag:"multi-turn-max-turns" whole:"true" default:"0" min:"0" max:"10000" help:"most requests of a conversation. 0: all of the file."`
	TalkOptions
}

// conversationFile gives the conversations of a file in its order, and from its start
// again where more are asked for. Of each only the place and the number of turns is kept.
type conversationFile struct {
	*corpus
	opts  Options
	own   *ConversationOptions
	turns []int32
	total int // conversations
	next  int
	first int
}

func openConversations(o Options, own *ConversationOptions) (Dataset, error) {
	if d, err := openGenerated(o, own); d != nil || err != nil {
		return d, err
	}
	d := &conversationFile{opts: o, own: own}
	c, err := openCorpus(o.Path, d.index)
	if err != nil {
		return nil, err
	}
	d.corpus, d.total = c, o.NumPrompts
	if len(c.spans) == 0 {
		c.file.Close()
		return nil, fmt.Errorf("%s has no conversations", o.Path)
	}
	if d.total <= 0 || o.NoOversample {
		d.total = len(c.spans)
		if o.NumPrompts > 0 {
			d.total = min(d.total, o.NumPrompts)
		}
	}
	return d, nil
}

// index finds the conversations: the elements of an array, or one in each line. All are
// read once, so that a file which can't be used is told before anything is sent.
func (d *conversationFile) index(r io.Reader) ([]span, error) {
	in := bufio.NewReaderSize(r, 1<<20)
	array := false
	for {
		b, err := in.ReadByte()
		if err != nil {
			return nil, errors.New("it is empty")
		}
		if bytes.IndexByte([]byte(" \t\r\n"), b) < 0 {
			array = b == '['
			break
		}
	}
	seeker, ok := r.(io.Seeker)
	if !ok {
		return nil, errors.New("it can't be read twice")
	}
	if _, err := seeker.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	if !array {
		return d.indexLines(r)
	}
	var bad error
	n := 0
	spans, err := indexArray(r, func(raw json.RawMessage) bool {
		n++
		if err := d.note(raw); err != nil && bad == nil {
			bad = fmt.Errorf("conversation %d: %w", n, err)
		}
		return true
	})
	return spans, errors.Join(bad, err)
}

func (d *conversationFile) indexLines(r io.Reader) ([]span, error) {
	spans, err := indexLines(r)
	if err != nil {
		return nil, err
	}
	file, ok := r.(io.ReaderAt)
	if !ok {
		return nil, errors.New("it can't be read twice")
	}
	for i, s := range spans {
		if s.size > talk.MaxHistory {
			return nil, fmt.Errorf("line %d has %d bytes, and %d are the most", i+1, s.size, talk.MaxHistory)
		}
		raw := make([]byte, s.size)
		if _, err := file.ReadAt(raw, s.at); err != nil {
			return nil, err
		}
		if err := d.note(raw); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return spans, nil
}

// note reads a conversation for its number of turns.
func (d *conversationFile) note(raw []byte) error {
	c, err := d.parse(raw)
	if err != nil {
		return err
	}
	d.turns = append(d.turns, int32(len(c.Turns)))
	return nil
}

// parse reads a conversation and cuts it to what can be sent of it.
func (d *conversationFile) parse(raw []byte) (*talk.Conversation, error) {
	c, err := talk.Parse(bytes.TrimLeft(raw, ", \t\r\n"))
	if err != nil {
		return nil, err
	}
	if most := d.own.MaxTurns; most > 0 && len(c.Turns) > most {
		c.Turns = c.Turns[:most]
		if err := c.Check(); err != nil {
			return nil, fmt.Errorf("its first %d turns: %w", most, err)
		}
	}
	last := len(c.Turns) - 1
	if t := &c.Turns[last]; last > 0 && c.IsSequence() && t.OutputTokens == 0 && t.Recorded == nil && d.own.OutputLen == nil {
		c.Turns = c.Turns[:last] // nobody has answered it, so nobody knows how long an answer to ask for
	}
	for i := range c.Turns {
		t := &c.Turns[i]
		switch {
		case t.OutputTokens > 0:
		case d.own.OutputLen != nil:
			t.OutputTokens = *d.own.OutputLen
		case t.Recorded == nil || d.opts.Tokenizer == nil:
			return nil, fmt.Errorf("turn %d: how many tokens to ask for is not known: give --output-len, or a tokenizer and a recorded answer", i+1)
		}
		if d.own.History == historyRecorded && t.Recorded == nil && i < last {
			return nil, fmt.Errorf("turn %d has no recorded answer, which --history recorded needs", i+1)
		}
	}
	return c, nil
}

// fill counts tokens, and leaves the answers to the server where history is live.
func (d *conversationFile) fill(c *talk.Conversation) error {
	for i := range c.Turns {
		t := &c.Turns[i]
		if d.opts.Tokenizer != nil {
			for _, m := range t.Messages {
				n, err := d.count(m.JSON)
				if err != nil {
					return err
				}
				t.PromptTokens += n
			}
			if t.Recorded != nil {
				n, err := d.count(t.Recorded)
				if err != nil {
					return err
				}
				if t.RecordedTokens = n; t.OutputTokens == 0 {
					t.OutputTokens = max(1, n)
				}
			}
		}
		if d.own.History == historyLive {
			t.Recorded = nil
		}
	}
	d.own.think(c, d.opts.Seed)
	return nil
}

func (d *conversationFile) count(message json.RawMessage) (int, error) {
	ids, err := d.opts.Tokenizer.Encode(talk.Words(message))
	return len(ids), err
}

// at gives a conversation of the file.
func (d *conversationFile) at(i int) (*talk.Conversation, error) {
	raw, err := d.read(i % len(d.spans))
	if err != nil {
		return nil, err
	}
	c, err := d.parse(raw)
	if err != nil {
		return nil, err
	}
	c.Number = i + 1
	return c, d.fill(c)
}

// Next implements Source.
func (d *conversationFile) Next() (*Request, error) {
	if d.next == d.total {
		return nil, io.EOF
	}
	c, err := d.at(d.next)
	if err != nil {
		return nil, err
	}
	d.next++
	c.First = d.first
	d.first += len(c.Turns)
	return &Request{Index: c.First, Conversation: c.Number, Talk: c}, nil
}

// Len implements Dataset.
func (d *conversationFile) Len() (n int) {
	for i := range d.total {
		n += int(d.turns[i%len(d.turns)])
	}
	return n
}

// Conversations is how many there are.
func (d *conversationFile) Conversations() int { return d.total }

// Close implements Dataset.
func (d *conversationFile) Close() error { return d.file.Close() }

// Warmups implements Dataset: first turns with a mark in front.
func (d *conversationFile) Warmups(n int) ([]*Request, error) {
	warm := make([]*Request, n)
	for i := range warm {
		c, err := d.at(i)
		if err != nil {
			return nil, err
		}
		first := &c.Turns[0].Messages[0]
		first.JSON = talk.Marked(first.JSON, fmt.Sprintf("Warm-up %d. ", i+1))
		warm[i] = firstTurn(c, i)
	}
	return warm, nil
}

// TalkOptions are what all conversations have in common.
type TalkOptions struct {
	Think     talk.Think `json:"think_time" flag:"think-time" whole:"true" default:"0s" metavar:"TIME" help:"time from an answer to the next turn: 2s, or drawn, as exponential:2s, uniform:1s:3s, normal:2s:500ms, lognormal:2s:1s (mean, deviation)."`
	History   string     `json:"history" flag:"history" whole:"true" default:"live" choices:"live,recorded" help:"what stands before a turn as the earlier answers: the server's own, or those of the dataset, which keep prompts equal on all servers."`
	Reasoning bool       `json:"history_reasoning" flag:"history-reasoning" whole:"true" help:"keep the server's reasoning in the history too."`
}

// think draws the delays of a conversation: by its number, so that they are the same
// whatever was drawn before. Turns that have one keep it.
func (o *TalkOptions) think(c *talk.Conversation, seed uint64) {
	r := rand.New(rand.NewPCG(seed, uint64(c.Number)))
	for i := range c.Turns {
		waits := c.Turns[i].Waits
		if len(waits) == 0 || slices.ContainsFunc(waits, func(w talk.Wait) bool { return w.Delay > 0 }) {
			continue
		}
		delay := o.Think.Draw(r)
		for k := range waits {
			waits[k].Delay = delay
		}
	}
	c.Reasoning = o.Reasoning
}

// Conversations is how many conversations d has; 0: its requests are each by themselves.
func Conversations(d Dataset) int {
	if c, ok := as[interface{ Conversations() int }](d); ok {
		return c.Conversations()
	}
	return 0
}

// The values of History.
const (
	historyLive     = "live"
	historyRecorded = "recorded"
)
