package cli

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/sim"
)

// arrivals are tokens by the tenth of a second since the run's zero.
type arrivals struct{ tokens []int64 }

func (a *arrivals) add(at int64, n int) {
	i := int(max(at, 0) / 1e8)
	for len(a.tokens) <= i {
		a.tokens = append(a.tokens, 0)
	}
	a.tokens[i] += int64(n)
}

// Add takes in the tokens of a success.
func (a *arrivals) Add(r *row.Request) error {
	if r.Row.OK && !r.Warmup {
		for _, one := range r.Arrivals() {
			a.add(one.At, one.Tokens)
		}
	}
	return nil
}

// measuredSim runs bench serve against a simulator and measures its journal.
func measuredSim(t *testing.T, simArgs, benchArgs []string, also ...row.Collector) *measure.Result {
	t.Helper()
	run := filepath.Join(t.TempDir(), "run")
	server, err := startSim(exec.Command(program(t), append([]string{"sim", "--listen", "127.0.0.1:0"}, simArgs...)...))
	if err != nil {
		t.Fatal(err)
	}
	defer server.stop()
	bench := exec.Command(program(t), append([]string{"bench", "serve", "--base-url", server.url, "--run-dir", run, "--skip-tokenizer-init"}, benchArgs...)...)
	if out, err := bench.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return measured(t, run, also...)
}

// measured reads a run's journal.
func measured(t *testing.T, run string, also ...row.Collector) *measure.Result {
	t.Helper()
	r, err := judged.Read(run, measure.Options{}, also...)
	if err != nil {
		t.Fatal(err)
	}
	return r.Result
}

// The course of the tokens of a server that decodes speculatively is that of its own
// log, though no event says how many tokens it holds.
func TestSpeculativeRatesAgainstTheTruth(t *testing.T) {
	t.Parallel()
	server := sim.DefaultConfig()
	server.Engine = sim.EngineBatch
	server.Batch.SpecTokens, server.Batch.SpecAcceptance, server.Batch.Base = 5, 0.8, 20*time.Millisecond
	dir, got := t.TempDir(), &arrivals{}
	truth := virtualRun(t, dir, virtual{server: server, requests: 48, tokens: 100, concurrency: 8})
	r := measured(t, dir, got)
	if r.TokensInTime.Spread < 40 || r.InterToken.Known {
		t.Fatalf("the tokens of events are known, so that this tests nothing: %+v", r.TokensInTime)
	}
	want := &arrivals{}
	for _, tr := range readTruth(t, truth) {
		for i, at := range tr.Events {
			want.add(at-r.Run.StartUnixNs, tr.Tokens[i])
		}
	}
	var gotSum, wantSum, most int64
	for i := range max(len(got.tokens), len(want.tokens)) {
		if i < len(got.tokens) {
			gotSum += got.tokens[i]
		}
		if i < len(want.tokens) {
			wantSum += want.tokens[i]
		}
		most = max(most, gotSum-wantSum, wantSum-gotSum)
	}
	if gotSum != wantSum || gotSum != r.OutputTokens {
		t.Errorf("%d tokens over time, %d in all, in truth %d", gotSum, r.OutputTokens, wantSum)
	}
	// Eight streams with a chunk of six tokens each on their way, and the error of text by its length.
	if most > wantSum/20 {
		t.Errorf("over time the count is up to %d tokens of %d off", most, wantSum)
	}
	peak := int64(0)
	for i := 0; i < len(want.tokens); i++ {
		second := int64(0)
		for k := i; k < min(i+10, len(want.tokens)); k++ {
			second += want.tokens[k]
		}
		peak = max(peak, second)
	}
	if p := int64(*r.PeakTokensPerSecond); p > peak*11/10 || p < peak*8/10 {
		t.Errorf("the peak is %d, in truth at most %d", p, peak)
	}
	if steady := *r.SteadyState.OutputThroughput; steady < 0.95*r.OutputThroughput {
		t.Errorf("%.0f tokens a second in the steady state, %.0f overall", steady, r.OutputThroughput)
	}
}

// README's first run: requests and tokens of the steady state are those of the same
// server, and no fewer than overall.
func TestSteadyStateOfTheFirstRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	virtualRun(t, dir, virtual{server: sim.DefaultConfig(), requests: 200, tokens: 64, concurrency: 50}) // 50 ms, and 10 ms a token
	r := measured(t, dir)
	s := r.SteadyState
	if s == nil || s.OutputThroughput == nil {
		t.Fatalf("no steady state with its rates: %+v", s)
	}
	if each := *s.OutputThroughput / s.RequestThroughput; each < 64*0.95 || each > 64*1.05 {
		t.Errorf("%.1f requests and %.0f tokens a second: %.1f tokens each, and they had 64", s.RequestThroughput, *s.OutputThroughput, each)
	}
	if s.RequestThroughput < 0.95*r.RequestThroughput {
		t.Errorf("%.1f requests a second in the steady state, %.1f overall", s.RequestThroughput, r.RequestThroughput)
	}
}
