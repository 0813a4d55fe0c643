package run

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// On a terminal the last line says what runs and what is to come, and is erased
// before a point's own line.
func TestProgressOnATerminal(t *testing.T) {
	var out bytes.Buffer
	s := &Progress{Line: &fakeLine{w: &out}, Total: 4}
	point := func(name string) *Point {
		return &Point{Name: name, Target: &Target{Name: "a"}, Measured: "2026-01-02 03:04"}
	}
	ended := func(name string, state State, seconds float64) Event {
		return Event{Kind: Ended, Point: point(name), Outcome: Outcome{State: state, Seconds: seconds, Err: errors.New("no good\nmore")}}
	}
	for _, step := range []struct {
		event Event
		want  string
	}{
		{
			Event{Kind: Skipped, Point: point("p1")},
			"[1/4] p1: has a result already, of 2026-01-02 03:04\n~1 of 4 done, 3 to come",
		},
		{Event{Kind: Starting, Point: point("p2")}, "~~1 of 4 done, starting a for 0s, 2 to come"},
		{Event{Kind: Running, Point: point("p2")}, "~~1 of 4 done, running p2 for 0s, 2 to come"},
		{ended("p2", Done, 60), "~[2/4] p2: done after 1m0s\n~2 of 4 done, 2 to come, about 2m0s left"},
		{ended("p3", Failed, 20), "~[3/4] p3: failed after 20s: no good\n~3 of 4 done, 1 failed, 1 to come, about 40s left"},
		{Event{Kind: Note, Text: "so it is"}, "~note: so it is\n~3 of 4 done, 1 failed, 1 to come, about 40s left"},
	} {
		out.Reset()
		s.Event(step.event)
		if got := out.String(); got != step.want {
			t.Errorf("%q, want %q", got, step.want)
		}
	}
	s.begin("running p4")
	s.since = time.Now().Add(-30 * time.Second)
	out.Reset()
	s.draw()
	if got := out.String(); !strings.Contains(got, "running p4 for 30s, 0 to come, about 10s left") {
		t.Errorf("%q", got)
	}
}

// fakeLine writes ~ where a terminal's line is erased.
type fakeLine struct {
	w     *bytes.Buffer
	drawn bool
}

func (l *fakeLine) Live() bool { return true }

func (l *fakeLine) Set(format string, args ...any) {
	fmt.Fprintf(l.w, "~"+format, args...)
	l.drawn = true
}

func (l *fakeLine) Clear() {
	if l.drawn {
		l.w.WriteString("~")
		l.drawn = false
	}
}

func (l *fakeLine) Print(format string, args ...any) {
	l.Clear()
	fmt.Fprintf(l.w, format+"\n", args...)
}
