package bench

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/live"
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
		ReadStates(bytes.NewReader(b), func(s *live.State) {
			if s.Phase == "" {
				t.Error("a state without a phase")
			}
		})
		ReadCommands(bytes.NewReader(b), &load.Control{})
	})
}

// The file of prompts that were sent is as long as its disk and its last writer left it.
func FuzzSeenPrompts(f *testing.F) {
	f.Add([]byte(strings.Repeat("12345678", 3)+"123"), "00000000000000ff")
	f.Fuzz(func(t *testing.T, b []byte, hash string) {
		state := t.TempDir()
		s := openSeen(state, "server")
		if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(s.path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		s = openSeen(state, "server")
		s.note(hash)
		if err := s.save(); err != nil {
			t.Fatal(err)
		}
		if again := openSeen(state, "server"); len(again.ring) != len(s.ring) {
			t.Errorf("%d hashes were kept of %d", len(again.ring), len(s.ring))
		}
	})
}
