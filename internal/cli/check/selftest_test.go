package check

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/check/selftest"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/spec"
)

// runSelftest is the command with rounds that a test has made, in virtual time.
func runSelftest(t *testing.T, ttft time.Duration, args ...string) (out, said string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	r := &selftestRun{Streams: command.Streams{Out: &stdout, Err: &stderr}, line: command.NewLine(&stderr)}
	r.round = func(_ context.Context, l selftest.Load) (*selftest.Errors, error) {
		time.Sleep(l.Takes())
		return &selftest.Errors{
			Stamps: "kernel", Requests: l.Requests(), PeakStreams: l.Streams, StreamRate: 1 / l.ITL.Seconds(),
			TTFT: selftest.Spread{P99: ttft, P999: ttft}, Gap: selftest.Spread{P99: time.Microsecond, P999: time.Microsecond},
		}, nil
	}
	if done, err := command.Parse(r.Streams, r.flags(), args); done || err != nil {
		t.Fatal(done, err)
	}
	synctest.Test(t, func(t *testing.T) { err = r.run(t.Context(), nil) })
	return stdout.String(), stderr.String(), err
}

// A claim is printed and kept, the same bytes; a bad moment later keeps nothing and undoes nothing.
func TestSelftestKeepsAClaim(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	path := filepath.Join(os.Getenv("XDG_STATE_HOME"), "inferometer", "selftest.json")
	args := []string{"--quick", "--max-streams", "2", "--rounds", "1", "--json"}

	out, said, err := runSelftest(t, 11*time.Millisecond, args...)
	var exit command.Coded
	if !errors.As(err, &exit) || exit.Code != command.ExitNothing || !strings.Contains(err.Error(), "not even the lowest load") {
		t.Errorf("nothing was proven: %v", err)
	}
	if want := "2 streams, a token each 10 ms: fails: TTFT is off by 11.0 ms, more than 10\n"; said != want {
		t.Errorf("it said %q, want %q", said, want)
	}
	if r, err := selftest.Decode([]byte(out)); err != nil || r.Claim != nil || len(r.Steps) != 1 || len(r.Steps[0].Rounds) != 2 { // a step that fails is run again
		t.Errorf("printed was %s (%v)", out, err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("a result without a claim was kept (%v)", err)
	}

	proven, said, err := runSelftest(t, time.Millisecond, args...)
	if want := "2 streams, a token each 10 ms: proven\n"; err != nil || said != want {
		t.Errorf("it said %q, want %q (%v)", said, want, err)
	}
	r, err := selftest.Decode([]byte(proven))
	if err != nil || r.Claim == nil || r.Claim.Streams != 2 || r.Claim.TokensPerS != 200 || r.Claim.TTFTMS != 5 || r.Claim.ITLMS != 0.05 {
		t.Fatalf("printed was %s (%v)", proven, err)
	}
	if p := r.Proven(command.Version(), serve.ResolvedEngine(spec.EngineAuto), serve.ThisMachine()); p == nil || len(p.Points) != 1 {
		t.Errorf("a run here is told %+v", p)
	}
	for range 2 {
		if kept, err := os.ReadFile(path); err != nil || string(kept) != proven {
			t.Errorf("kept is %s (%v), printed was %s", kept, err, proven)
		}
		if _, _, err := runSelftest(t, 11*time.Millisecond, args...); err == nil {
			t.Error("a bad moment proved something")
		}
	}
}

// For people: a table, the sentence, and where it is kept.
func TestSelftestSaysItsClaim(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	out, _, err := runSelftest(t, time.Millisecond, "--quick", "--max-streams", "2")
	for _, want := range []string{"up to 2 streams at 200 tok/s, TTFT is right to ±5 ms and inter-token times to ±0.05 ms (p99)", "\n\nkept in " + os.Getenv("XDG_STATE_HOME")} {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%v: %q lacks %q", err, out, want)
		}
	}
	out, _, _ = runSelftest(t, 11*time.Millisecond, "--quick", "--max-streams", "2")
	if !strings.Contains(out, "nothing could be proven") || strings.Contains(out, "kept in") {
		t.Errorf("got %q", out)
	}
}
