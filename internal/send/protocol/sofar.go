package protocol

import (
	"bytes"
	"fmt"
)

// sofar finds out whether the texts of a stream are cumulative, where servers of one
// protocol differ (Chunk.Either).
//
// Until it is known, texts are taken to be cumulative: each begins with the one before.
// The first that does not shows that each has been its own. Nothing is lost by then, for
// all texts before are beginnings of the last, and their lengths are in TextEnds. An
// answer that ends before anything shows it is taken to be cumulative.
type sofar struct {
	all, own bool   // it is known
	steps    int    // texts that began with the one before, and went on
	grew     uint64 // IDs of the last event that said something new
	events   int    // that may be either
}

// sureSteps is how many texts must begin with all of the one before and go on. Texts of
// single events would have to double in length that often to look the same.
const sureSteps = 8

// either takes off an event's text what is known already, if it is there again.
func (s *Stream) either(c *Chunk) {
	f, before := &s.sofar, s.Trace.Text
	f.events++
	again := bytes.HasPrefix(c.Text, before)
	longer := len(c.Text) > len(before)
	switch {
	case f.own:
		return
	case len(before) == 0:
		f.grew = c.IDs
		return
	case f.all, again && c.All:
		f.all = true
		s.cut(c)
		return
	case again && !(!longer && c.IDs != 0 && c.IDs == f.grew): // else the same token came again
		if longer {
			f.grew = c.IDs
			f.steps++
			f.all = f.steps >= sureSteps
		}
		s.cut(c)
		return
	}
	f.own = true
	s.apart()
}

// cut takes off an event's text what the events before it said already.
func (s *Stream) cut(c *Chunk) {
	before := s.Trace.Text
	if !bytes.HasPrefix(c.Text, before) {
		s.giveUp(fmt.Errorf("an event takes back what the one before it said: %.200s", c.Text))
		c.Text = nil
	} else {
		c.Text = c.Text[len(before):]
	}
	if len(c.Text) == 0 {
		c.Kind &^= EventText
	}
}

// apart mends the trace: what was taken for one growing text are texts of their own.
func (s *Stream) apart() {
	t := &s.Trace
	size := 0
	for _, end := range t.TextEnds {
		size += end
	}
	switch {
	case s.sofar.events != len(t.Events)+1: // some have no text at all
		s.giveUp(fmt.Errorf("an event takes back what the one before it said, after %d events", len(t.Events)))
		return
	case size > maxText:
		s.giveUp(tooMuch("its text is longer than %d MiB", maxText>>20))
		return
	case size == len(t.Text): // there was one
		return
	}
	last := t.Text
	t.Text = make([]byte, 0, size)
	for i, end := range t.TextEnds {
		t.Text = append(t.Text, last[:end]...)
		t.TextEnds[i] = len(t.Text)
		if end > 0 && t.Events[i].Kind&EventText == 0 {
			t.Events[i].Kind |= EventText
			s.texts++
		}
	}
}
