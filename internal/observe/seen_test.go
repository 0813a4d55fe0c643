package observe

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSeenPrompts(t *testing.T) {
	state := t.TempDir()
	first := openSeen(state, "http://a", "m", "start 1")
	first.note("a")
	first.note("a") // twice in the same run is the workload's business
	first.note("b")
	if first.hits != 0 {
		t.Errorf("%d hits in the first run", first.hits)
	}
	if err := first.save(); err != nil {
		t.Fatal(err)
	}
	again := openSeen(state, "http://a", "m", "start 1")
	again.note("b")
	again.note("c")
	if again.hits != 1 {
		t.Errorf("%d hits, want 1", again.hits)
	}
	restarted := openSeen(state, "http://a", "m", "start 2")
	restarted.note("b")
	if restarted.hits != 0 {
		t.Errorf("%d hits after the server was started anew", restarted.hits)
	}
}

func TestSeenPromptsKeepTheNewest(t *testing.T) {
	state := t.TempDir()
	s := openSeen(state, "a")
	const n = 2*maxSeen + 5
	for i := range n {
		s.note(fmt.Sprintf("%x", i))
	}
	if err := s.save(); err != nil {
		t.Fatal(err)
	}
	again := openSeen(state, "a")
	if len(again.ring) != maxSeen || again.ring[0] != n-maxSeen || again.ring[maxSeen-1] != n-1 {
		t.Errorf("%d hashes are kept, from %d to %d", len(again.ring), again.ring[0], again.ring[len(again.ring)-1])
	}
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
