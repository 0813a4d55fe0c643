package bench

import (
	"bytes"
	"testing"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/spec"
)

// A metrics map is somebody's file: what it names stands in journals and on screens.
func FuzzMetricsMap(f *testing.F) {
	for _, seed := range []string{
		`{"running": "my_requests_active"}`, `{"waiting": ["a", {"name": "b", "labels": {"state": "queued"}, "scale": 0.01}]}`, `{"ttft": "x_bucket"}`, `{"running": []}`, `[]`, `null`, `{"rnning": 1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var s spec.Spec
		s.MetricsMap = b
		list, err := s.MetricNames()
		if err != nil {
			return
		}
		for _, n := range list {
			if n.Name == "" || outside.Word(n.Name) != n.Name || n.Scale < 0 {
				t.Errorf("%q gave %+v", b, n)
			}
		}
	})
}

// What a child tells its parent, and the other way round, comes through a pipe that others may write to.
func FuzzChildLines(f *testing.F) {
	f.Add([]byte("{\"phase\":\"running\",\"sent\":5}\nnot json\n{}\n"))
	f.Add([]byte("pause\nresume\n\npause"))
	f.Fuzz(func(t *testing.T, b []byte) {
		readLines(bytes.NewReader(b), func(line []byte) {
			if s := stateOf(line); s != nil && s.Phase == "" {
				t.Error("a state without a phase")
			}
		})
		ReadCommands(bytes.NewReader(b), &load.Control{}, NewFaults(func([]byte) error { return nil }))
	})
}
