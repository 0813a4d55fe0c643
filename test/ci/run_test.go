package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// play runs parts whose commands only say that they ran, and gives their names in the order in which they did.
func play(t *testing.T, r *runner, some []part, things []get) []string {
	t.Helper()
	var ran []string
	r.execute = func(_ context.Context, c command, _, _ io.Writer) error {
		ran = append(ran, strings.Join(append(c.args, c.env...), " "))
		return nil
	}
	r.gets = startGets(t.Context(), things, startCommand)
	t.Cleanup(r.gets.stop)
	r.out, r.began = io.Discard, time.Now()
	r.alone = func() func() { return func() {} }
	r.list = func(context.Context) ([]string, error) { return nil, nil }
	if err := r.run(t.Context(), some); err != nil {
		t.Fatal(err)
	}
	return ran
}

func TestRealOrder(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	some := []part{
		{name: "core", core: true, run: words("core"), needs: words("quick")},
		{name: "of a higher rung", from: all, run: words("never")},
		{name: "waits", from: landing, run: words("waits"), needs: words("slow")},
		{name: "what there can't be", run: words("never"), needs: words("broken")},
		{name: "later", run: words("later"), needs: words("quick")},
		{name: "lets the slow one go", run: []string{"open"}},
	}
	things := []get{
		{name: "quick", run: words("echo here it is"), env: "QUICK"},
		{name: "broken", run: []string{"sh", "-c", "echo there is no cargo >&2; exit 1"}},
		{name: "slow", run: []string{"cat", fifo}, env: "SLOW"}, // until somebody writes
	}
	r := &runner{rung: landing, late: time.Hour, latest: time.Hour, over: time.Hour}
	go func() {
		if f, err := os.OpenFile(fifo, os.O_WRONLY, 0); err == nil {
			_, _ = f.WriteString("slowly\n")
			f.Close()
		}
	}()
	ran := play(t, r, some, things)
	if ran[0] != "core QUICK=here it is" || !slices.Contains(ran, "later QUICK=here it is") || !slices.Contains(ran, "waits SLOW=slowly") || len(ran) != 4 {
		t.Errorf("%q", ran)
	}
	i := slices.IndexFunc(r.results, func(one *result) bool { return one.Part == "what there can't be" })
	if i < 0 || len(r.results[i].Skipped) != 1 || !strings.HasSuffix(r.results[i].Skipped[0].Why, "there is no cargo") {
		t.Errorf("%+v", r.results)
	}
}

// Late in a run nothing waits any more, later nothing begins but the core, at last what runs is cut off; what must be there and is not is a failure.
func TestRealLate(t *testing.T) {
	some := []part{
		{name: "there", run: words("there"), needs: words("quick")},
		{name: "not yet", run: words("never"), needs: words("slow")},
		{name: "core", core: true, run: words("core")},
		{name: "must", core: true, run: words("never"), needs: words("must")},
	}
	things := []get{
		{name: "quick", run: words("true")},
		{name: "must", run: words("false"), must: true},
		{name: "slow", run: words("sleep 1000")},
	}
	state := func(r *runner, name string) string {
		i := slices.IndexFunc(r.results, func(one *result) bool { return one.Part == name })
		return r.results[i].count()
	}
	for _, k := range []struct {
		latest, over time.Duration
		want         map[string]string
	}{
		{time.Hour, time.Hour, map[string]string{"there": "1 passed", "not yet": "0 passed, 1 skipped", "core": "1 passed", "must": "0 passed, 1 failed"}},
		{time.Hour, 0, map[string]string{"there": "0 passed, 1 skipped", "not yet": "0 passed, 1 skipped", "core": "1 passed", "must": "0 passed, 1 failed"}},
		{0, time.Hour, map[string]string{"there": "0 passed, 1 skipped", "not yet": "0 passed, 1 skipped", "core": "1 passed", "must": "0 passed, 1 failed"}},
	} {
		r := &runner{late: 0, latest: k.latest, over: k.over}
		// The core goes first wherever it stands, when the others wait; then "quick" is there.
		play(t, r, slices.Concat(some[2:], some[:2]), things)
		for name, want := range k.want {
			if got := state(r, name); got != want {
				t.Errorf("latest %v, over %v: %s: %s, want %s", k.latest, k.over, name, got, want)
			}
		}
	}
}

// While something is measured, what is being built stands still with all that it started, and goes on after it; at the
// end of the run it is ended.
func TestRealPause(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("there is no /proc here")
	}
	started := make(chan *exec.Cmd, 1)
	// As ninja does it: what works is in a process group of its own.
	build := []string{"bash", "-c", "set -m; sleep 1000 & set +m; wait"}
	g := startGets(t.Context(), []get{{name: "endless", run: build}}, func(ctx context.Context, c command, out, words *bytes.Buffer) (*exec.Cmd, error) {
		cmd, err := startCommand(ctx, c, out, words)
		started <- cmd
		return cmd, err
	})
	leader := (<-started).Process.Pid
	both := []int{leader}
	for began := time.Now(); len(both) < 2 && since(began) < 60; time.Sleep(5 * time.Millisecond) {
		for _, pid := range session(leader) {
			if text, err := os.ReadFile(filepath.Join("/proc", itoa(pid), "stat")); err == nil && strings.Contains(string(text), "(sleep) S") {
				both = append(both, pid)
			}
		}
	}
	if len(both) != 2 {
		t.Fatalf("%v: a shell and what it started", both)
	}
	for _, pid := range both {
		waitFor(t, pid, "S")
	}
	resume := g.pause()
	for _, pid := range both {
		waitFor(t, pid, "T")
	}
	resume()
	for _, pid := range both {
		waitFor(t, pid, "S")
	}
	g.stop()
	for began := time.Now(); len(alive(both)) > 0; time.Sleep(5 * time.Millisecond) {
		if since(began) > 60 {
			t.Fatalf("%v are left", alive(both))
		}
	}
}

// alive are those of the processes that have not ended; one that nobody has waited for has.
func alive(pids []int) []int {
	return slices.DeleteFunc(slices.Clone(pids), func(pid int) bool {
		text, err := os.ReadFile(filepath.Join("/proc", itoa(pid), "stat"))
		return err != nil || strings.Contains(string(text), ") Z ")
	})
}

// waitFor waits until a process is in a state, as /proc has it.
func waitFor(t *testing.T, pid int, state string) {
	t.Helper()
	for began := time.Now(); since(began) < 60; time.Sleep(5 * time.Millisecond) {
		text, err := os.ReadFile(filepath.Join("/proc", itoa(pid), "stat"))
		if err != nil {
			t.Fatal(err)
		}
		if _, after, ok := strings.Cut(string(text), ") "); ok && strings.HasPrefix(after, state) {
			return
		}
	}
	t.Fatalf("process %d is not in state %s", pid, state)
}

// What the race detector would spoil is run without it, and is not skipped then.
func TestAgain(t *testing.T) {
	s := &script{t: t, first: "pass"}
	r := s.runner()
	spoiled := "the race detector's own memory would be measured"
	r.results = []*result{{Part: "units", Passed: 3, Skipped: []finding{
		{Package: "internal/journal", Test: "TestLongestLine", Why: spoiled},
		{Package: "internal/cli", Test: "TestManPages/mandoc", Why: "mandoc is not installed"},
		{Package: "internal/journal", Test: "TestBombs", Why: spoiled},
		{Package: "internal/cli", Test: "TestCraftedFiles/one", Why: spoiled},
	}}}
	p := &part{name: "without it", again: unraced, core: true}
	r.keep(r.part(t.Context(), p, nil))
	want := "go test -json -count=1 -timeout 40m -run ^(TestBombs|TestCraftedFiles|TestLongestLine)$ ./internal/cli ./internal/journal"
	if got := strings.Join(s.calls[0], " "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	record := newRecord(landing, false, r.results)
	if record.Passed != 7 || len(record.Skipped) != 1 || record.Skipped[0].Test != "TestManPages/mandoc" {
		t.Errorf("%d passed, skipped %+v", record.Passed, record.Skipped)
	}
	s.calls = nil
	if r.part(t.Context(), p, nil); len(s.calls) != 0 {
		t.Errorf("nothing is left to run, and %q was", s.calls)
	}
}
