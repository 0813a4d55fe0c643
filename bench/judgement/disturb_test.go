package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestStopsGoOn: whoever is stopped goes on, also where the run ends within a pause, and after the end nothing is sent.
func TestStopsGoOn(t *testing.T) {
	for name, pauses := range map[string][]stopped{
		"one that ends by itself": {{0, time.Millisecond}},
		"one that is cut short":   {{0, time.Hour}},
		"some":                    {{0, 0}, {0, 0}, {0, 0}},
	} {
		signals := make(chan os.Signal, 16)
		stop := stops(func(*played) []func(os.Signal) error {
			return []func(os.Signal) error{func(s os.Signal) error { signals <- s; return nil }}
		}, pauses)(nil)
		first := <-signals
		stop()
		close(signals)
		paused := first == syscall.SIGSTOP
		if !paused {
			t.Errorf("%s: it began with %v", name, first)
		}
		for s := range signals {
			if want := map[bool]os.Signal{true: syscall.SIGCONT, false: syscall.SIGSTOP}[paused]; s != want {
				t.Errorf("%s: %v, want %v", name, s, want)
			}
			paused = !paused
		}
		if paused {
			t.Errorf("%s: it was left stopped", name)
		}
	}
}

// TestQuota: a command runs inside of the group, and the group goes.
func TestQuota(t *testing.T) {
	q, err := newQuota(0.5)
	if err != nil {
		t.Skip(err)
	}
	args := append(q.within(), "cat", "/proc/self/cgroup")
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil || !strings.Contains(string(out), filepath.Base(q.folder)) {
		t.Errorf("%v: it ran in %s", err, out)
	}
	if err := q.remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(q.folder); !os.IsNotExist(err) {
		t.Errorf("the group is still there: %v", err)
	}
}
