package cli

import (
	"fmt"
	"testing"
)

func TestSeenPrompts(t *testing.T) {
	state := t.TempDir()
	first := openSeen(state, "http://a", "m", "start 1")
	first.note("x")
	first.note("x") // twice in the same run is the workload's business
	first.note("y")
	if first.hits != 0 {
		t.Errorf("%d hits in the first run", first.hits)
	}
	if err := first.save(); err != nil {
		t.Fatal(err)
	}
	again := openSeen(state, "http://a", "m", "start 1")
	again.note("y")
	again.note("z")
	if again.hits != 1 {
		t.Errorf("%d hits, want 1", again.hits)
	}
	restarted := openSeen(state, "http://a", "m", "start 2")
	restarted.note("y")
	if restarted.hits != 0 {
		t.Errorf("%d hits after the server was started anew", restarted.hits)
	}
}

func TestSeenPromptsAreBounded(t *testing.T) {
	s := openSeen(t.TempDir(), "a")
	for i := range 3 * maxSeen {
		s.note(fmt.Sprint(i))
	}
	if len(s.list) > 2*maxSeen {
		t.Errorf("%d hashes are kept", len(s.list))
	}
	if err := s.save(); err != nil {
		t.Fatal(err)
	}
	if len(s.list) != maxSeen || s.list[maxSeen-1] != fmt.Sprint(3*maxSeen-1) {
		t.Errorf("%d hashes are saved, the last is %s", len(s.list), s.list[len(s.list)-1])
	}
}
