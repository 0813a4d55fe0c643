package stream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/jsonscan"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// finishWhole reads what was kept of an answer that has come to its end.
func (s *Stream) finishWhole() {
	t, k := &s.Trace, &s.skim
	if !s.answers.Pooling {
		s.finishAnswer()
		return
	}
	switch {
	case t.Malformed != nil:
		return
	case s.binary:
		t.Items = -1
		s.metadata()
	case !k.Over:
		return // it was cut off, or there was none
	case len(k.Kept) > 0 && k.Kept[0] == '{' && !k.Overflow:
		s.sign(k.Kept)
		if err := s.events.Decode(k.Kept, &s.chunk); err != nil {
			s.giveUp(err)
			return
		}
		if s.chunk.Error != nil {
			s.fail(s.chunk.Error)
			return
		}
		s.chunk.Text = nil
		t.Items = max(k.Longest, 0)
	default: // a bare list, as SGLang's of scores
		s.chunk = Chunk{Tokens: -1}
		t.Items = max(k.Longest, 0)
	}
	t.Done = true
	s.chunk.Kind = s.chunk.Kind&EventUsage | EventChoices // one event, which is the whole answer
	if s.chunk.Kind&EventUsage != 0 {
		t.HasUsage, t.Usage = true, s.chunk.Usage
	}
	if t.ServerID == "" && len(s.chunk.ID) > 0 {
		t.ServerID = string(s.chunk.ID[:min(len(s.chunk.ID), maxWord)])
	}
	t.Events = append(t.Events, Event{Stamp: s.at, Kind: s.chunk.Kind, Tokens: -1})
	t.TextEnds = append(t.TextEnds, 0)
}

// metadata is the usage of an answer in bytes, which vLLM tells in a header.
func (s *Stream) metadata() {
	s.chunk = Chunk{Tokens: -1}
	var said struct {
		Usage struct {
			Prompt int `json:"prompt_tokens"`
		} `json:"usage"`
	}
	if json.Unmarshal([]byte(s.header), &said) == nil && said.Usage.Prompt > 0 && said.Usage.Prompt <= MaxTokenCount {
		s.chunk.Kind, s.chunk.Usage.Prompt = EventUsage, said.Usage.Prompt
	}
}

// headWhole looks at what the answer says that it is.
func (s *Stream) headWhole(h wire.Header) {
	kind, _, _ := strings.Cut(strings.ToLower(h.Get("Content-Type")), ";")
	if s.binary = s.answers.Pooling && kind == "application/octet-stream"; s.binary {
		s.header = h.Get("Metadata")
		s.header = s.header[:min(len(s.header), maxSkimmed)]
	}
}

// bodyWhole takes in a piece of an answer that is one JSON value.
func (s *Stream) bodyWhole(data []byte, at wire.Stamp) {
	s.at = at
	if s.binary || s.over {
		return
	}
	s.whole = appendUpTo(s.whole, data, maxErrorBody)
	if !s.answers.Pooling {
		if len(s.answer)+len(data) > maxAnswer {
			s.giveUp(tooMuch("it is longer than %d MiB", maxAnswer>>20))
			return
		}
		s.answer = append(s.answer, data...)
		return
	}
	if s.size += len(data); s.size > maxWhole {
		s.giveUp(tooMuch("it is longer than %d MiB", maxWhole>>20))
		return
	}
	if err := s.skim.Feed(data); err != nil {
		if errors.Is(err, jsonscan.ErrNotJSON) {
			err = fmt.Errorf("the answer is not JSON but: %.200s", s.whole)
		}
		s.giveUp(err)
	}
}

// maxAnswer bounds an answer with a text that is one JSON object: its text, and what
// stands beside it, such as the ids of its tokens.
const maxAnswer = 2 * maxText

// finishAnswer reads an answer with a text that came as one JSON object. It is one event.
func (s *Stream) finishAnswer() {
	t, words := &s.Trace, bytes.TrimSpace(s.answer)
	if t.Malformed != nil || len(words) == 0 {
		return
	}
	s.sign(words)
	if err := s.events.Decode(words, &s.chunk); err != nil {
		switch {
		case words[0] != '{':
			err = fmt.Errorf("the answer is not a JSON object but: %.200s", words)
		case errors.Is(err, jsonscan.ErrNotJSON) && words[len(words)-1] != '}':
			return // it was cut off
		}
		s.giveUp(err)
		return
	}
	if s.chunk.Error != nil {
		s.fail(s.chunk.Error)
		return
	}
	if s.echoes {
		s.takeEchoed()
	}
	s.keep(&s.chunk)
	t.Done = true
}

// takeEchoed moves what was said of the prompt to the trace, and takes the prompt out of the
// text: it was not generated. What was is the last token.
func (s *Stream) takeEchoed() {
	e, c := &s.echo, &s.chunk
	s.Trace.Echoed = e
	c.Tokens, c.TokensBy = -1, TokensUnknown
	n := len(e.Ends)
	if n == 0 {
		return
	}
	last := e.Text(n - 1)
	if len(last) > len(c.Text) || string(c.Text[len(c.Text)-len(last):]) != string(last) {
		last = nil // such as one that has no text of its own
	}
	c.Text = last
}
