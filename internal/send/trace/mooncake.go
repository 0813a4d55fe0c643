package trace

import (
	"encoding/json"
	"errors"
	"fmt"
)

// mooncakeBlock is the tokens of one of Mooncake's blocks.
const mooncakeBlock = 512

var mooncake = &Format{
	Name: "mooncake", Doc: "Mooncake's traces, and AIPerf's with sessions, delays and texts (JSON lines); times are milliseconds, blocks have 512 tokens.", Timed: true, Sessions: true,
	looks: func(head []byte) bool {
		if hasKeys(head, "turns") || hasKeys(head, "conversation_id") {
			return false
		}
		return hasKeys(head, "timestamp", "input_length", "output_length") || hasKeys(head, "session_id", "input_length") ||
			hasKeys(head, "session_id", "text_input") || hasKeys(head, "session_id", "messages") || hasKeys(head, "session_id", "payload")
	},
	open: func(in *input) (rows, error) {
		m := &mooncakeTurns{turns: map[uint64]int{}}
		return newJSONLines(in, m.row), nil
	},
}

// lengthsEntry is what Mooncake and Bailian call the same.
type lengthsEntry struct {
	Timestamp *float64 `json:"timestamp"`
	Input     *int     `json:"input_length"`
	Output    *int     `json:"output_length"`
	IDs       []uint64 `json:"hash_ids"`
}

// fill takes the entry into a row; unit is that of the times, in seconds.
func (e *lengthsEntry) fill(r *Row, unit float64, block int) (err error) {
	if e.Timestamp == nil || e.Input == nil || e.Output == nil {
		return errors.New("it needs timestamp, input_length and output_length")
	}
	if r.At, err = seconds(*e.Timestamp * unit); err != nil {
		return err
	}
	r.Input, r.Output, r.IDs, r.Block = *e.Input, *e.Output, e.IDs, block
	if err := r.check(); err != nil {
		return err
	}
	return r.checkBlocks(false)
}

// mooncakeEntry has AIPerf's keys too.
type mooncakeEntry struct {
	lengthsEntry
	Session  string                     `json:"session_id"`
	Delay    *float64                   `json:"delay"`
	Text     *string                    `json:"text_input"`
	Messages []json.RawMessage          `json:"messages"`
	Tools    json.RawMessage            `json:"tools"`
	Payload  map[string]json.RawMessage `json:"payload"`
	Extra    map[string]json.RawMessage `json:"extra"`
}

// mooncakeTurns counts the requests of a session.
type mooncakeTurns struct{ turns map[uint64]int }

func (m *mooncakeTurns) row(e *mooncakeEntry, r *Row) (skip bool, err error) {
	if e.Session != "" {
		r.Session = sessionOf(e.Session)
		m.turns[r.Session]++
		r.Turn = m.turns[r.Session]
	}
	if err := e.times(r); err != nil {
		return false, err
	}
	r.Fields = e.Extra
	switch texts := e.texts(); {
	case texts > 1 || texts == 1 && e.Input != nil:
		return false, errors.New("it has more than one of input_length, text_input, messages and payload")
	case texts == 1:
		return false, e.fillTexts(r)
	case e.Input == nil || e.Output == nil:
		return false, errors.New("it needs input_length and output_length, or text_input, messages or payload")
	}
	r.Input, r.Output, r.IDs, r.Block = *e.Input, *e.Output, e.IDs, mooncakeBlock
	if err := r.check(); err != nil {
		return false, err
	}
	return false, r.checkBlocks(false)
}

// times are absolute, or from the end of the turn before.
func (e *mooncakeEntry) times(r *Row) (err error) {
	if e.Delay != nil {
		d, err := seconds(*e.Delay / 1000)
		if err != nil {
			return err
		}
		r.Delay = &d
	}
	if e.Timestamp != nil {
		r.At, err = seconds(*e.Timestamp / 1000)
		return err
	}
	r.Untimed = true
	if r.Session == 0 {
		return errors.New("it needs a timestamp, or a session_id")
	}
	return nil
}

func (e *mooncakeEntry) texts() (n int) {
	for _, has := range []bool{e.Text != nil, e.Messages != nil, e.Payload != nil} {
		if has {
			n++
		}
	}
	return n
}

// fillTexts takes what is to be sent as it is.
func (e *mooncakeEntry) fillTexts(r *Row) error {
	r.NoInput, r.NoOutput = true, e.Output == nil
	if e.Output != nil {
		r.Output = *e.Output
	}
	switch {
	case e.Text != nil:
		content, err := json.Marshal(*e.Text)
		if err != nil {
			return err
		}
		r.Own, r.Adds = []json.RawMessage{fmt.Appendf(nil, `{"role":"user","content":%s}`, content)}, true
	case e.Messages != nil:
		r.Own = e.Messages
		if len(e.Tools) > 0 {
			r.add("tools", e.Tools)
		}
	default:
		if err := json.Unmarshal(e.Payload["messages"], &r.Own); err != nil {
			return errors.New("its payload has no messages: only bodies of chat completions can be played")
		}
		for name, value := range e.Payload {
			if name != "messages" && name != "model" && name != "stream" && name != "stream_options" {
				r.add(name, value)
			}
		}
	}
	if len(r.Own) == 0 {
		return errors.New("it has no message")
	}
	return r.check()
}

// add sets a field of the body.
func (r *Row) add(name string, value json.RawMessage) {
	if r.Fields == nil {
		r.Fields = map[string]json.RawMessage{}
	}
	r.Fields[name] = value
}
