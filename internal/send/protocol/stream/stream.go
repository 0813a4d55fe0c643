// Package stream reads an answer as it arrives: it tells its events apart, has a protocol's
// EventReader say what each means, and keeps the Trace of one exchange, within bounds. It knows no
// protocol, and judges nothing.
package stream

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/jsonscan"
	"github.com/inferometer/inferometer/internal/send/protocol/framing"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// maxErrorBody is how much of a server's words is kept.
const maxErrorBody = 500

// Stream is the Sink of one exchange at a time: it reads events and keeps the
// trace. It is reused from request to request, so that a steady run allocates nothing.
type Stream struct {
	Trace Trace
	// KeepAnswer keeps reasoning and tool calls too: the answer goes on in a next request.
	KeepAnswer bool

	signs Signs
	looks bool             // the signs may be in each event
	scan  jsonscan.Scanner // of them

	answers Answers
	events  EventReader
	chunk   Chunk
	sse     framing.SSE
	lines   framing.Lines
	emit    func(name, data []byte)
	at      wire.Stamp // of the piece that is being read
	whole   []byte     // the beginning, while there is no event
	rest    int        // bytes read of an error's body
	html    bool       // it says that it is a page
	over    bool       // no more is wanted of it
	// lastWords is what ended the answer, for the sentence about an event behind it.
	lastWords string
	limits    limits
	tokens    int // so far, where events say how many they hold
	// continuous: the first event with text had usage, so each one has, and
	// lastOut is its total so far. A usage that comes with a later event is the
	// whole answer's. (An event with a role alone may have none: SGLang's.)
	continuous bool
	lastOut    int
	texts      int   // events with text, reasoning or a tool call so far
	toolBytes  int   // of tool calls so far, where they are kept
	toolIndex  []int // what the server calls them by; -1: it does not say
	cumulative cumulative

	// Of an answer that is no stream, but one JSON value.
	skim   jsonscan.Skimmer
	size   int    // bytes read of it
	answer []byte // all of it, where it is a text and no vectors
	echo   Echoed
	echoes bool   // the prompt was asked for
	binary bool   // it is bytes, and
	header string // what is said of it is in a header
}

// Answers is what must be known of a server's answers to tell their events apart.
type Answers struct {
	Framing Framing
	// Pooling says that an answer is one JSON object with vectors or scores: no stream, and no tokens.
	Pooling bool
	// EndsWithBody says that nothing but the end of the body tells that an answer is over.
	EndsWithBody bool
}

// Framing is how the events of an answer are told apart.
type Framing uint8

// The framings.
const (
	SSE   Framing = iota // server-sent events
	Lines                // a JSON object a line
	Whole                // one JSON value: no stream
)

// EventReader reads the events of one protocol. It may hold memory that is used again for each one.
type EventReader interface {
	// Reset makes it ready for the next exchange. echo is where the log-probabilities of the prompt go;
	// nil: they were not asked for.
	Reset(echo *Echoed)
	// Decode reads one event of a stream into c, or a whole answer that is no stream.
	Decode(data []byte, c *Chunk) error
	// ErrorWords are the words of an error that is an event by itself.
	ErrorWords(data []byte) []byte
}

// New returns a Stream that reads such answers.
func New(answers Answers, events EventReader) *Stream {
	s := &Stream{answers: answers, events: events, limits: limitsFor(0)}
	s.skim.Reset(maxSkimmed)
	s.emit = s.event
	return s
}

// Look says where answers may tell who served them. Without it the headers that are known are looked at.
func (s *Stream) Look(signs Signs) { s.signs, s.looks = signs, signs.events() }

// Reset makes the stream ready for the next exchange, of which so many tokens are
// asked for; 0: not said.
func (s *Stream) Reset(asked int) {
	t := &s.Trace
	if cap(t.Events) > keepEvents {
		t.Events, t.TextEnds = nil, nil
	}
	s.Trace = Trace{Events: t.Events[:0], Open: t.Open[:0], Text: Shrink(t.Text), TextEnds: t.TextEnds[:0], ErrorBody: t.ErrorBody[:0], Reasoning: Shrink(t.Reasoning)}
	s.sse.Reset()
	s.lines.Reset()
	s.scan.Release(KeepBuffer)
	s.answer = Shrink(s.answer)
	s.events.Reset(nil)
	s.echo.reset()
	s.echoes = false
	s.limits = limitsFor(asked)
	s.cumulative = cumulative{repeated: s.cumulative.repeated[:0]}
	s.continuous, s.lastOut, s.texts, s.tokens, s.toolBytes = false, 0, 0, 0, 0
	s.toolIndex = s.toolIndex[:0]
	s.whole, s.rest, s.html, s.over, s.lastWords = s.whole[:0], 0, false, false, "its last"
	s.skim.Reset(maxSkimmed)
	s.size = 0
	s.binary, s.header = false, ""
}

// KeepEchoed says that the exchange asks for the log-probabilities of its prompt. It is
// called after Reset, and counts for that exchange.
func (s *Stream) KeepEchoed() {
	s.echoes = true
	s.events.Reset(&s.echo)
}

// Head implements Sink.
func (s *Stream) Head(status int, h wire.Header, at wire.Stamp) {
	s.Trace.Status = status
	s.Trace.Headers = at.At
	for _, name := range []string{"X-Request-Id", "Request-Id", "X-Amzn-Requestid"} {
		if id := h.Get(name); id != "" {
			s.Trace.ServerID = id[:min(len(id), maxWord)]
			break
		}
	}
	s.signs.head(&s.Trace.Served, h)
	if status != 200 {
		return
	}
	if s.answers.Framing == Whole {
		s.headWhole(h)
	}
	s.html = strings.HasPrefix(strings.ToLower(h.Get("Content-Type")), "text/html")
	if coding := h.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		s.giveUp(fmt.Errorf("the answer is compressed (Content-Encoding: %.40q), which was not asked for", coding))
	}
}

// Body implements Sink.
func (s *Stream) Body(data []byte, at wire.Stamp) (enough bool) {
	t := &s.Trace
	if len(data) == 0 {
		s.more(at)
		return s.over
	}
	if t.Status != 200 {
		t.ErrorBody = appendUpTo(t.ErrorBody, data, maxErrorBody)
		s.rest += len(data)
		return s.rest > maxErrorRead
	}
	if s.answers.Framing == Whole {
		s.bodyWhole(data, at)
		return false
	}
	if len(t.Events) == 0 { // it may turn out to be no stream at all
		s.whole = appendUpTo(s.whole, data, maxErrorBody)
	}
	switch {
	case s.over:
		return true
	case s.html && len(s.whole) == maxErrorBody && bytes.HasPrefix(bytes.TrimSpace(s.whole), []byte("<")):
		s.noStream(s.whole)
		return true
	}
	s.at = at
	feed := s.sse.Feed
	if s.answers.Framing == Lines {
		feed = s.lines.Feed
	}
	if err := feed(data, s.emit); err != nil {
		s.giveUp(fmt.Errorf("%w: %w", errTooMuch, err))
	}
	if s.sse.Inside() || s.sse.Comment || s.lines.Inside() {
		s.sse.Comment = false
		s.more(at)
	}
	return s.over
}

// more: the read of this stamp brought something behind the last event.
func (s *Stream) more(at wire.Stamp) {
	t := &s.Trace
	last := len(t.Events) - 1
	if last < 0 || t.Events[last].Stamp != at || len(t.Open) > 0 && t.Open[len(t.Open)-1] == last {
		return
	}
	t.Open = append(t.Open, last)
}

// pending is what no end of an event has ended.
func (s *Stream) pending() []byte {
	if s.answers.Framing == Lines {
		return s.lines.Pending()
	}
	return s.sse.Pending()
}

// keepsRest says whether the end of the body ends an event too. The standard of SSE drops
// it; where no event says that the answer is over, the last one may stand there.
func (s *Stream) keepsRest() bool { return s.answers.Framing == Lines || s.answers.EndsWithBody }

// giveUp: nothing that comes from here on can mend the answer.
func (s *Stream) giveUp(why error) {
	s.over = true
	if s.Trace.Malformed == nil {
		s.Trace.Malformed = why
	}
}

// Finish is called when the body has ended in good order, to look at what is left.
func (s *Stream) Finish() {
	t := &s.Trace
	if t.Status != 200 {
		return
	}
	if s.answers.Framing == Whole {
		s.finishWhole()
		return
	}
	switch rest := s.pending(); {
	case bytes.Equal(rest, done):
		t.Done = true
	case len(rest) > 0 && s.keepsRest():
		s.event(nil, rest)
	}
	if s.answers.EndsWithBody && len(t.Events) > 0 && !t.ErrorMark {
		t.Done = true
	}
	if len(t.Events) > 0 || t.Done || t.ErrorMark || t.Malformed != nil {
		return
	}
	// No event at all: the server may have answered with one JSON object, or a page.
	words := bytes.TrimSpace(s.whole)
	if len(words) == 0 {
		return
	}
	switch {
	case words[0] == '{':
		if err := s.events.Decode(words, &s.chunk); err == nil && s.chunk.Error != nil {
			s.fail(s.chunk.Error)
			return
		}
		s.noStream(words)
	case words[0] == '<' || words[0] == '[' || s.html:
		s.noStream(words)
	}
}

func (s *Stream) noStream(words []byte) {
	what := "the answer is not a stream of events but: %.200s"
	if s.html {
		what = "the answer is an HTML page, not a stream of events (is it a login or an error page of a proxy?): %.200s"
	}
	s.giveUp(fmt.Errorf(what, words))
}

var done = []byte("[DONE]")

func (s *Stream) event(name, data []byte) {
	s.sse.Comment = false
	before := len(s.Trace.Events)
	s.take(name, data)
	if len(s.Trace.Events) == before { // [DONE], an error: the time of the event before may be its
		s.more(s.at)
	}
}

func (s *Stream) take(name, data []byte) {
	switch {
	case s.over:
		return
	case bytes.Equal(data, done):
		s.Trace.Done, s.lastWords = true, "[DONE]"
		return
	case s.Trace.Done: // some servers say [DONE] twice; none goes on after it
		s.giveUp(fmt.Errorf("an event came after %s: %.200s", s.lastWords, data))
		return
	}
	s.sign(data)
	if err := s.events.Decode(data, &s.chunk); err != nil {
		if string(name) == "error" {
			s.fail(data)
		} else if s.Trace.Malformed == nil {
			s.Trace.Malformed = fmt.Errorf("%w; the event was: %.200s", err, data)
		}
		return
	}
	c := &s.chunk
	if c.Error == nil && string(name) == "error" {
		c.Error = s.events.ErrorWords(data)
	}
	if c.Error != nil {
		s.fail(c.Error)
		return
	}
	if c.TextIs != TextNew {
		s.cutKnown(c)
	}
	s.keep(c)
	if c.Done {
		s.Trace.Done = true
	}
}

// sign looks for who served an answer in one event of it.
func (s *Stream) sign(data []byte) {
	if s.looks {
		s.signs.read(&s.Trace.Served, &s.scan, &s.Trace.Timings, data)
	}
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
	} else { // the beginning of an answer may count the prompt
		t.Usage.Prompt = max(t.Usage.Prompt, c.Usage.Prompt)
	}
	t.Usage.Prompt = max(t.Usage.Prompt, c.Usage.Prompt) // it may come before the output is counted
	if c.Timings != (Timings{}) {
		t.Timings = c.Timings
	}
	if c.Usage.CachedKnown {
		t.Usage.Cached, t.Usage.CachedKnown = max(t.Usage.Cached, c.Usage.Cached), true
	}
	if c.Usage.ReasoningKnown {
		t.Usage.Reasoning, t.Usage.ReasoningKnown = max(t.Usage.Reasoning, c.Usage.Reasoning), true
	}
	if c.Kind&(EventText|EventReasoning|EventTool) != 0 {
		s.texts++
	}
	if c.Kind&EventFinish != 0 {
		t.FinishReason = internFinish(c.Finish)
	}
	if t.ServerID == "" && len(c.ID) > 0 {
		t.ServerID = string(c.ID[:min(len(c.ID), maxWord)])
	}
	if len(t.Text)+len(c.Text) > maxText {
		s.giveUp(tooMuch("its text is longer than %d MiB", maxText>>20))
		return
	}
	if s.KeepAnswer {
		s.keepAnswer(c)
	}
	t.Text = append(t.Text, c.Text...)
	t.TextEnds = append(t.TextEnds, len(t.Text))
	if n := len(t.Events); n > 0 && t.Events[n-1].Stamp == s.at {
		t.SharedReads++
		if k := len(t.Open); k > 0 && t.Open[k-1] == n-1 { // it is not the last of its read
			t.Open = t.Open[:k-1]
		}
	}
	t.Events = append(t.Events, Event{Stamp: s.at, Kind: c.Kind, Tokens: c.Tokens})
	if c.TokensBy > t.TokensBy {
		t.TokensBy = c.TokensBy
	}
	s.tokens += max(c.Tokens, 0)
	s.checkLength()
}

// checkLength ends an answer that goes on far beyond what was asked for.
func (s *Stream) checkLength() {
	t := &s.Trace
	// Events that don't say what they hold are one token each; the server knows better.
	got := max(s.texts, s.tokens, t.Usage.Output)
	switch {
	case s.limits.tokens > 0 && got > s.limits.tokens:
		t.Overlong, s.over = got, true
	case len(t.Events) > s.limits.events:
		s.giveUp(tooMuch("it has more than %d events", s.limits.events))
	}
}

// count takes over an event's usage.
func (s *Stream) count(c *Chunk) {
	t := &s.Trace
	t.HasUsage = true
	if c.OwnCount {
		c.Usage.Output = min(t.Usage.Output+c.Usage.Output, MaxTokenCount)
	}
	if c.Replaces {
		t.Usage.Prompt = c.Usage.Prompt
	}
	t.Usage.Output = max(t.Usage.Output, c.Usage.Output)
	if c.Kind&EventChoices == 0 {
		return
	}
	if s.texts == 0 && s.tokens == 0 {
		s.continuous = true
	}
	if !s.continuous || c.Usage.Output == 0 && s.lastOut > 0 { // this one says nothing
		return
	}
	if c.Usage.Output < s.lastOut {
		s.giveUp(fmt.Errorf("the usage of an event counts fewer tokens than the one before: %d after %d", c.Usage.Output, s.lastOut))
		return
	}
	c.Tokens, c.TokensBy = c.Usage.Output-s.lastOut, TokensByUsage
	s.lastOut = c.Usage.Output
}

// internFinish returns the reason as a string, without a copy for the usual ones.
func internFinish(b []byte) string {
	switch string(b) {
	case "length":
		return "length"
	case "stop", "eos_token", "stop_sequence": // TGI's words, on its OpenAI-compatible paths too
		return "stop"
	}
	return string(b[:min(len(b), maxWord)])
}

func appendUpTo(dst, src []byte, limit int) []byte {
	return append(dst, src[:min(len(src), limit-len(dst))]...)
}
