package find

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/plan/plantest"
	"github.com/inferometer/inferometer/internal/spec"
)

// ab runs the command against played servers. drain may be nil.
func ab(t *testing.T, a, b *plantest.Server, drain <-chan struct{}, args ...string) *said {
	t.Helper()
	s := &said{t: t}
	r := &abRun{Streams: s.streams()}
	urls := [2]string{answering(t), answering(t)}
	r.instead = servers{urls[0]: a, urls[1]: b}.run
	args = append([]string{
		"--a", urls[0], "--b", urls[1], "--num-prompts", "24", "--random-input-len", "8", "--random-output-len", "4", "--max-concurrency", "24", "--skip-tokenizer-init",
		"--seed", "5", // else it is the time, and the noise another
	}, args...)
	set := r.flags()
	if done, err := command.Parse(s.streams(), set, args); done || err != nil {
		t.Fatal(done, err)
	}
	if err := r.resolve(set); err != nil {
		t.Fatal(err)
	}
	s.ended(r.run(t.Context(), drain))
	return s
}

// answers in 150 ms, more or less, or in so many times that.
func server(times int, noise uint64) *plantest.Server {
	return &plantest.Server{TTFT: time.Duration(times) * 150 * time.Millisecond, ITL: time.Millisecond, Spread: 0.1, Noise: noise}
}

// analysis reads ab.json.
func analysis(t *testing.T, folder string) (a struct {
	Outcome   string
	Undecided []string
	Sides     []string
	Rounds    int
},
) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(folder, "ab.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

func seeds(s *plantest.Server) (list []int) {
	for _, asked := range s.Played {
		list = append(list, asked.Seed)
	}
	return list
}

// B takes four times as long to the first token: that is decided at the first look, and no sooner.
func TestDuelIsDecided(t *testing.T) {
	t.Parallel()
	a, b, out := server(1, 1), server(4, 2), t.TempDir()
	s := ab(t, a, b, nil, "--metric", "mean_ttft", "--output", out)
	s.exit(command.ExitDone, "")
	s.stderr(`^A http://.*, B http://.*; seeds from 5; runs in /.*$`, `^round 1: mean_ttft_ms \+[0-9.]+ %, unknown error$`, `^round 3: mean_ttft_ms \+(29|30)[0-9.]+ %.* real$`)
	s.noStderr(`^round 4`, `left out`)
	s.stdout(`^ +A +B  change$`, `^mean TTFT ms .*\+[0-9.]+ % \[\+.* real$`, `paired by round`,
		`^After 3 rounds: mean TTFT is really (29|30)\d\.\d % higher with B, worse \(\+[\d.]+ to \+[\d.]+ %\)\.$`)
	if got := analysis(t, out); got.Outcome != "decided" || got.Undecided == nil || len(got.Undecided) != 0 || !slices.Equal(got.Sides, []string{"A", "B"}) || got.Rounds != 3 {
		t.Errorf("%+v", got)
	}
	for _, file := range []string{"round-01-a/journal.jsonl.zst", "round-03-b/result.json"} {
		if _, err := os.Stat(filepath.Join(out, file)); err != nil {
			t.Error(err)
		}
	}
	// Each round has a seed of its own, and both sides the same.
	if diff := cmp.Diff([]int{5, 6, 7}, seeds(a)); diff != "" || !slices.Equal(seeds(a), seeds(b)) {
		t.Errorf("%s; %v", diff, seeds(b))
	}
}

// Rounds begin with A, B, B, A: neither side is always the first.
func TestDuelInTurns(t *testing.T) {
	t.Parallel()
	var order []string
	a, b := server(1, 1), server(1, 2)
	for name, s := range map[string]*plantest.Server{"A": a, "B": b} {
		s.Ends = func(*spec.Spec) error { order = append(order, name); return nil }
	}
	s := ab(t, a, b, nil, "--metric", "mean_ttft", "--min-rounds", "5", "--max-rounds", "5", "--output", t.TempDir())
	s.stderr(`^round 5: `)
	if diff := cmp.Diff([]string{"A", "B", "B", "A", "B", "A", "A", "B"}, order[:8]); diff != "" || len(order) != 10 {
		t.Errorf("%v: %s", order, diff)
	}
}

// A gate that B breaks, and one that it keeps; each limit has its line.
func TestDuelWithAGate(t *testing.T) {
	t.Parallel()
	s := ab(t, server(1, 1), server(4, 2), nil, "--gate", "mean_ttft<+5%", "--quiet", "--output", t.TempDir())
	s.exit(command.ExitGate, `^the gate is broken$`)
	s.stdout(`gate mean_ttft<\+5%, B: broken: `, `The gate is broken\.$`)
	if s.err.Len() > 0 {
		t.Errorf("--quiet, and it says %q", s.err.String())
	}
	s = ab(t, server(1, 1), server(4, 2), nil, "--gate", "p95_ttft<+900%", "--format", "markdown", "--output", t.TempDir())
	s.exit(command.ExitDone, "")
	s.stdout(`^\| p95 TTFT ms `, `- gate p95_ttft<\+900%, B: kept: `)
	// Two alike: within a fivefold they are the same, which takes few rounds.
	out := t.TempDir()
	s = ab(t, server(1, 1), server(1, 2), nil, "--gate", "mean_ttft<+400% and mean_ttft>-80%", "--output", out)
	s.exit(command.ExitDone, "")
	s.stdout(`gate mean_ttft<\+400%, B: kept: `, `gate mean_ttft>-80%, B: kept: `, `^After 3 rounds: mean TTFT is .* The gate is kept\.$`)
	if got := analysis(t, out); got.Outcome != "kept" {
		t.Errorf("%+v", got)
	}
}

// What B changes is too little to be told apart from none within the rounds: that is said, by the bound that ended it.
func TestDuelUndecided(t *testing.T) {
	t.Parallel()
	a, b, out := server(1, 1), server(1, 2), t.TempDir()
	a.Spread, b.Spread = 0.9, 0.9
	s := ab(t, a, b, nil, "--metric", "mean_ttft", "--max-rounds", "3", "--output", out)
	s.exit(command.ExitUndecided, `^undecided: mean_ttft_ms \(--max-rounds 3 are run\)$`)
	if got := analysis(t, out); got.Outcome != "undecided" || !slices.Equal(got.Undecided, []string{"mean_ttft_ms"}) {
		t.Errorf("%+v", got)
	}
	out = t.TempDir()
	s = ab(t, a, b, nil, "--metric", "mean_ttft", "--max-time", "1ns", "--output", out)
	s.exit(command.ExitUndecided, `^undecided: mean_ttft_ms \(--max-time 1ns leaves no time for another round of \d+s\)$`)
	if got := analysis(t, out); got.Rounds != 1 {
		t.Errorf("%+v", got)
	}
}

// A server that fails is no opponent: its rounds are left out, and that is said.
func TestDuelWithAServerThatFails(t *testing.T) {
	t.Parallel()
	half, all := server(1, 2), server(1, 2)
	half.Fails = func(i int) bool { return i%2 == 0 }
	all.Fails = func(int) bool { return true }
	s := ab(t, server(1, 1), half, nil, "--metric", "mean_ttft", "--output", t.TempDir())
	s.exit(command.ExitUndecided, `^undecided: no round tells anything: 3 of 3 are left out because of B: only 12 of 24 requests completed`)
	s.stderr(`^round 1 is left out: B: only 12 of 24 `, `^round 3 is left out: `)
	s.noStderr(`^round 4`, `^round \d: mean`)
	s = ab(t, server(1, 1), all, nil, "--output", t.TempDir())
	s.exit(command.ExitNothing, `^B, http://.*: exit status 1: no request completed: 24 of 24 http_5xx: HTTP 500: `)
}

// Ctrl-C: what is known so far, and exit code 3.
func TestDuelIsStopped(t *testing.T) {
	t.Parallel()
	for rounds, want := range map[int]string{2: `^stopped after 2 rounds$`, 0: `^stopped before the first round was complete$`} {
		drain := make(chan struct{})
		a, b, out := server(1, 1), server(4, 2), t.TempDir()
		a.Ends = func(*spec.Spec) error {
			if len(a.Played) == rounds+1 {
				close(drain)
			}
			return nil
		}
		s := ab(t, a, b, drain, "--metric", "mean_ttft", "--min-rounds", "50", "--max-rounds", "50", "--output", out)
		s.exit(command.ExitPartial, want)
		if rounds == 0 {
			if s.out.Len() > 0 {
				t.Errorf("nothing is known, and it prints %q", s.out.String())
			}
			continue
		}
		s.stdout(`^mean TTFT ms `, `^After 2 rounds: mean TTFT is [\d.]+ % higher with B, which is not decided yet\.$`)
		if got := analysis(t, out); got.Rounds != 2 {
			t.Errorf("%+v", got)
		}
	}
}
