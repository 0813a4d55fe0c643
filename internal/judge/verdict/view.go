package verdict

import (
	"fmt"
	"iter"

	"github.com/inferometer/inferometer/internal/journal"
)

// view is a request with what several checks need of it, computed once.
type view struct {
	*journal.Request
	// Nanoseconds from Sent to the first token chunk, to the first event that carries
	// text, and to the last token chunk; -1 where there is none. As in measure.
	first, firstText, last int64

	complete   bool
	chunks     int // token chunks
	textEvents int // events that carry text, reasoning or a tool call
	tokens     int // as the events say; -1 where one with text does not
	lastLag    int64

	prompt   uint64 // hash; 0: none
	repeated bool   // the same prompt went out before, in this run
}

const carriesText = journal.EventText | journal.EventReasoning | journal.EventTool

// read fills the view. It checks the shape, since a journal may have been edited.
func (v *view) read(req *journal.Request) error {
	ev := &req.Events
	n := len(ev.At)
	if len(ev.Kind) != n || (ev.Lag != nil && len(ev.Lag) != n) || (ev.Tokens != nil && len(ev.Tokens) != n) {
		return fmt.Errorf("journal: request %d: event columns differ in length: at %d, kind %d, lag %d, tokens %d",
			req.Index, n, len(ev.Kind), len(ev.Lag), len(ev.Tokens))
	}
	*v = view{Request: req, first: -1, firstText: -1, last: -1, tokens: -1, complete: req.Outcome == journal.Complete, prompt: hashOf(req.PromptHash)}
	if len(ev.Tokens) > 0 && ev.TokensBy != "tokenizer" { // our own is no witness against the server
		v.tokens = 0
	}
	at := int64(0)
	for i, gap := range ev.At {
		at += gap
		v.event(i, at)
	}
	if n := len(ev.Lag); n > 0 {
		v.lastLag = ev.Lag[n-1]
	}
	return nil
}

func (v *view) event(i int, at int64) {
	ev := &v.Events
	text := ev.Kind[i]&carriesText != 0
	if text {
		v.textEvents++
		if v.firstText < 0 {
			v.firstText = at
		}
	}
	if ev.Kind[i]&journal.EventChoices != 0 {
		v.chunks++
		if v.first < 0 {
			v.first = at
		}
		v.last = at
	}
	if v.tokens < 0 {
		return
	}
	switch t := ev.Tokens[i]; {
	case t >= 0:
		v.tokens += t
	case text:
		v.tokens = -1
	}
}

// gaps are the times between events that carry something of a kind.
func (v *view) gaps(kind journal.EventKind) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		gap, begun := int64(0), false
		for i, at := range v.Events.At {
			gap += at
			if v.Events.Kind[i]&kind == 0 {
				continue
			}
			if begun && !yield(gap) {
				return
			}
			begun, gap = true, 0
		}
	}
}

// got is the number of output tokens, if somebody counted them: the server, or the events.
func (v *view) got() (int, bool) {
	if v.UsageOutput > 0 {
		return v.UsageOutput, true
	}
	return v.tokens, v.tokens >= 0
}

// reached says whether the server answered the request to its end by its own
// account: it must have counted it.
func (v *view) reached() bool {
	switch v.Outcome {
	case journal.Complete, journal.Short, journal.Empty:
		return true
	}
	return false
}

// mayHaveReached says whether the server may have counted a request, or a part of it.
func (v *view) mayHaveReached() bool {
	switch v.Outcome {
	case journal.Refused, journal.HTTP4xx:
		return false
	}
	return true
}

// latency is how long the request was open.
func (v *view) latency() int64 { return max(v.End-v.Sent, 0) }
