package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/plan/scenario"
)

// On a terminal the last line says what runs and what is to come, and is erased
// before a point's own line.
func TestRunShowOnATerminal(t *testing.T) {
	var out bytes.Buffer
	s := &runShow{w: &out, live: true, total: 4}
	point := func(id string) *scenario.Point {
		return &scenario.Point{ID: id, Values: map[string]string{"target": "a"}}
	}
	ended := func(id string, state scenario.State, seconds float64) scenario.Event {
		return scenario.Event{Kind: scenario.Ended, Point: point(id), Record: &scenario.Record{State: state, Seconds: seconds, Error: "no good\nmore"}}
	}
	for _, step := range []struct {
		event scenario.Event
		want  string
	}{
		{
			scenario.Event{Kind: scenario.Skipped, Point: point("p1"), Record: &scenario.Record{Started: time.Date(2026, 1, 2, 3, 4, 0, 0, time.Local)}},
			"[1/4] p1: has a result already, of 2026-01-02 03:04\n\r\x1b[K1 of 4 done, 3 to come",
		},
		{scenario.Event{Kind: scenario.Starting, Point: point("p2")}, "\r\x1b[K\r\x1b[K1 of 4 done, starting a for 0s, 2 to come"},
		{scenario.Event{Kind: scenario.Running, Point: point("p2")}, "\r\x1b[K\r\x1b[K1 of 4 done, running p2 for 0s, 2 to come"},
		{ended("p2", scenario.Done, 60), "\r\x1b[K[2/4] p2: done after 1m0s\n\r\x1b[K2 of 4 done, 2 to come, about 2m0s left"},
		{ended("p3", scenario.Failed, 20), "\r\x1b[K[3/4] p3: failed after 20s: no good\n\r\x1b[K3 of 4 done, 1 failed, 1 to come, about 40s left"},
		{scenario.Event{Kind: scenario.Note, Text: "so it is"}, "\r\x1b[Knote: so it is\n\r\x1b[K3 of 4 done, 1 failed, 1 to come, about 40s left"},
	} {
		out.Reset()
		s.event(step.event)
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
