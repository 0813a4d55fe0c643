package stream

import (
	"bytes"
	"fmt"
)

// TextIs says what the text of an event is.
type TextIs uint8

// What it may be. Servers of one protocol differ, and then the texts tell: one that begins with all
// that came before and goes on is taken for all of the text so far, and the first that does not begin
// so shows that each is its own.
const (
	TextNew         TextIs = iota // what is new
	TextSoFar                     // all of the text so far
	TextLikelySoFar               // one of the two; where nothing shows it, all of the text so far
	TextLikelyNew                 // one of the two; where nothing shows it, what is new
)

// cumulative is what is known of a stream whose texts may be all of the text so far.
type cumulative struct {
	own      bool   // each text is its own
	grown    int    // events that began with all of the text before them, and went on
	tokens   uint64 // Chunk.TokenHash of the last event that said something new
	repeated []int  // events, by their index, that said what had been said and no more
}

// sureGrown is from how many such events on it can't be chance any more: texts of single events
// would have to double in length that often to look the same.
const sureGrown = 4

// cutKnown takes off an event's text what earlier events said already.
func (s *Stream) cutKnown(c *Chunk) {
	k, before := &s.cumulative, s.Trace.Text
	likelySoFar := c.TextIs == TextLikelySoFar
	switch {
	case c.TextIs == TextSoFar:
		k.grown = sureGrown
	case k.own || len(c.Text) == 0 && !likelySoFar:
		return
	case len(before) == 0:
		k.tokens = c.TokenHash
		return
	}
	text := c.Text
	if c.TextIs == TextLikelyNew && k.grown > 0 { // half of a letter, which the next event has whole
		text = bytes.TrimRight(text, "\uFFFD")
	}
	again := bytes.HasPrefix(text, before)
	if again && c.AllTokens {
		k.grown = sureGrown
	}
	sure := k.grown >= sureGrown
	sameToken := c.TokenHash != 0 && c.TokenHash == k.tokens
	switch {
	case again && len(text) > len(before):
		k.grown, k.tokens = k.grown+1, c.TokenHash
		c.Text = text[len(before):]
	case again && (sure || (likelySoFar || k.grown > 0) && !sameToken):
		c.Text, c.Kind = nil, c.Kind&^EventText
		k.repeated = append(k.repeated, len(s.Trace.Events))
	case sure:
		s.giveUp(fmt.Errorf("an event takes back what the one before it said: %.200s", c.Text))
		c.Text, c.Kind = nil, c.Kind&^EventText
	default:
		k.own = true
		s.separate()
	}
}

// separate mends the trace: what was taken for one growing text are texts of their own. What each
// event held is still known: the text up to its end.
func (s *Stream) separate() {
	t := &s.Trace
	for _, i := range s.cumulative.repeated {
		t.Events[i].Kind |= EventText
		s.texts++
	}
	size := 0
	for i, end := range t.TextEnds {
		if t.Events[i].Kind&EventText != 0 {
			size += end
		}
	}
	switch {
	case size > maxText:
		s.giveUp(tooMuch("its text is longer than %d MiB", maxText>>20))
		return
	case size == len(t.Text): // there was one
		return
	}
	last := t.Text
	t.Text = make([]byte, 0, size)
	for i, end := range t.TextEnds {
		if t.Events[i].Kind&EventText != 0 {
			t.Text = append(t.Text, last[:end]...)
		}
		t.TextEnds[i] = len(t.Text)
	}
}
