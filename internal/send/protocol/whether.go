package protocol

import "bytes"

// whether is what is known of a stream whose events may hold all of the text so far, or
// only what is new, and have no ids of tokens that tell more (see sofar).
type whether struct {
	parts bool // they hold what is new
	grown int  // events that began with all of the text before them, and went on
}

// sureGrown is from how many such events on it can't be chance any more.
const sureGrown = 4

// guess finds out what an event's text is. A stream of parts is what is assumed until an
// event begins with all that was said before it and goes on. If a later one does not, it
// was chance, and the texts are put together anew. Parts that are all the same, as of a
// model that stutters, are parts.
func (s *Stream) guess(c *Chunk) {
	w, before := &s.whether, s.Trace.Text
	if w.parts || len(before) == 0 || len(c.Text) == 0 {
		return
	}
	whole := c.Text
	if w.grown > 0 { // half of a letter, which the next event has whole
		whole = bytes.TrimRight(whole, "\uFFFD")
	}
	switch {
	case !bytes.HasPrefix(whole, before):
		if w.grown >= sureGrown {
			s.cut(c) // says what is wrong with it
			return
		}
		w.parts = true
		if w.grown > 0 {
			s.joinParts()
		}
	case len(whole) > len(before):
		w.grown++
		c.Text = whole[len(before):]
	case w.grown > 0:
		c.Text, c.Kind = nil, c.Kind&^EventText
	default:
		w.parts = true
	}
}

// joinParts makes the text of parts that were taken for all of the text so far. What each
// event held is still known: the text up to its end.
func (s *Stream) joinParts() {
	t := &s.Trace
	seen := bytes.Clone(t.Text)
	t.Text = t.Text[:0]
	for i, end := range t.TextEnds {
		if t.Events[i].Kind&EventText != 0 {
			t.Text = append(t.Text, seen[:end]...)
		}
		t.TextEnds[i] = len(t.Text)
	}
}
