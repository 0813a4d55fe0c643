package wire

import (
	"bytes"
	"errors"
	"fmt"
)

// maxErrorBody is how much of a server's words is kept.
const maxErrorBody = 500

// Trace is what is known about one exchange when it is over.
type Trace struct {
	Status   int
	ServerID string
	Headers  int64 // when the headers had arrived
	Conn     Conn

	Events []Event
	// SharedReads counts events that lay in one read with the one before: they
	// share its stamp.
	SharedReads int

	Text         []byte // visible text; valid until the stream is used again
	TextEnds     []int  // where each event's part of Text ends
	Usage        Usage
	Timings      Timings // the last that the server gave
	HasUsage     bool
	FinishReason string
	TokensBy     TokensBy // the best source that an event had

	Done      bool   // [DONE] came
	ErrorBody []byte // of an answer other than 200, or an error event's words
	ErrorMark bool   // an error event came inside a 200
	Malformed error  // the first event that could not be understood
}

// Event is one message of a stream; [DONE] is none.
type Event struct {
	Stamp
	Kind   EventKind
	Tokens int // -1: not said
}

// Stream is the Sink of one exchange at a time: it reads events and keeps the
// trace. It is reused from request to request, so that a steady run allocates nothing.
type Stream struct {
	Trace    Trace
	protocol Protocol
	decoder  Decoder
	chunk    Chunk
	sse      sse
	emit     func(name, data []byte)
	at       Stamp // of the piece that is being read
	whole    []byte
	// continuous: the first event with text had usage, so each one has, and
	// lastOut is its total so far. A usage that comes with a later event is the
	// whole answer's. (An event with a role alone may have none: SGLang's.)
	continuous bool
	lastOut    int
	texts      int // events with text, reasoning or a tool call so far
}

// NewStream returns a Stream that decodes by p.
func NewStream(p Protocol) *Stream {
	s := &Stream{protocol: p}
	s.emit = s.event
	return s
}

// Reset makes the stream ready for the next exchange.
func (s *Stream) Reset() {
	s.Trace = Trace{
		Events: s.Trace.Events[:0], Text: s.Trace.Text[:0], TextEnds: s.Trace.TextEnds[:0], ErrorBody: s.Trace.ErrorBody[:0],
	}
	s.sse.reset()
	s.continuous, s.lastOut, s.texts = false, 0, 0
	s.whole = s.whole[:0]
}

// Head implements Sink.
func (s *Stream) Head(status int, h Header, at Stamp) {
	s.Trace.Status = status
	s.Trace.Headers = at.At
	for _, name := range []string{"X-Request-Id", "Request-Id", "X-Amzn-Requestid"} {
		if id := h.Get(name); id != "" {
			s.Trace.ServerID = id
			return
		}
	}
}

// Body implements Sink.
func (s *Stream) Body(data []byte, at Stamp) (enough bool) {
	if s.Trace.Status != 200 {
		s.Trace.ErrorBody = appendUpTo(s.Trace.ErrorBody, data, maxErrorBody)
		return len(s.Trace.ErrorBody) == maxErrorBody
	}
	if len(s.Trace.Events) == 0 { // it may turn out to be no stream at all
		s.whole = appendUpTo(s.whole, data, maxErrorBody)
	}
	s.at = at
	s.sse.feed(data, s.emit)
	return false
}

// Finish is called when the body has ended in good order, to look at what is left.
func (s *Stream) Finish() {
	if s.Trace.Status != 200 {
		return
	}
	if bytes.Equal(s.sse.pending(), done) {
		s.Trace.Done = true
	}
	if len(s.Trace.Events) > 0 || s.Trace.Done || s.Trace.ErrorMark || s.Trace.Malformed != nil {
		return
	}
	// No event at all: the server may have answered with one JSON object.
	words := bytes.TrimSpace(s.whole)
	if len(words) == 0 || words[0] != '{' {
		return
	}
	if err := s.protocol.Decode(&s.decoder, words, &s.chunk); err == nil && s.chunk.Error != nil {
		s.fail(s.chunk.Error)
		return
	}
	s.Trace.Malformed = fmt.Errorf("the answer is not a stream of events but: %.200s", words)
}

var done = []byte("[DONE]")

func (s *Stream) event(name, data []byte) {
	if bytes.Equal(data, done) {
		s.Trace.Done = true
		return
	}
	if err := s.protocol.Decode(&s.decoder, data, &s.chunk); err != nil {
		if string(name) == "error" {
			s.fail(data)
		} else if s.Trace.Malformed == nil {
			s.Trace.Malformed = errors.Join(err, fmt.Errorf("the event was: %.200s", data))
		}
		return
	}
	c := &s.chunk
	if c.Error == nil && string(name) == "error" {
		c.Error = data
	}
	if c.Error != nil {
		s.fail(c.Error)
		return
	}
	s.keep(c)
}

func (s *Stream) fail(words []byte) {
	s.Trace.ErrorMark = true
	s.Trace.ErrorBody = appendUpTo(s.Trace.ErrorBody[:0], words, maxErrorBody)
}

// keep adds an event to the trace.
func (s *Stream) keep(c *Chunk) {
	t := &s.Trace
	if c.Kind&EventUsage != 0 {
		s.count(c)
	}
	if c.Timings != (Timings{}) {
		t.Timings = c.Timings
	}
	if c.Usage.CachedKnown {
		t.Usage.Cached, t.Usage.CachedKnown = max(t.Usage.Cached, c.Usage.Cached), true
	}
	if c.Kind&(EventText|EventReasoning|EventTool) != 0 {
		s.texts++
	}
	if c.Kind&EventFinish != 0 {
		t.FinishReason = internFinish(c.Finish)
	}
	if t.ServerID == "" && len(c.ID) > 0 {
		t.ServerID = string(c.ID)
	}
	t.Text = append(t.Text, c.Text...)
	t.TextEnds = append(t.TextEnds, len(t.Text))
	if n := len(t.Events); n > 0 && t.Events[n-1].Stamp == s.at {
		t.SharedReads++
	}
	t.Events = append(t.Events, Event{Stamp: s.at, Kind: c.Kind, Tokens: c.Tokens})
	if c.TokensBy > t.TokensBy {
		t.TokensBy = c.TokensBy
	}
}

// count takes over an event's usage.
func (s *Stream) count(c *Chunk) {
	t := &s.Trace
	t.HasUsage = true
	t.Usage.Prompt = max(t.Usage.Prompt, c.Usage.Prompt)
	t.Usage.Output = max(t.Usage.Output, c.Usage.Output)
	if c.Kind&EventChoices == 0 {
		return
	}
	if s.texts == 0 {
		s.continuous = true
	}
	if s.continuous {
		c.Tokens, c.TokensBy = c.Usage.Output-s.lastOut, TokensByUsage
		s.lastOut = c.Usage.Output
	}
}

// internFinish returns the reason as a string, without a copy for the usual ones.
func internFinish(b []byte) string {
	switch string(b) {
	case "length":
		return "length"
	case "stop":
		return "stop"
	}
	return string(b)
}

func appendUpTo(dst, src []byte, limit int) []byte {
	return append(dst, src[:min(len(src), limit-len(dst))]...)
}
