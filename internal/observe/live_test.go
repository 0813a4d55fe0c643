package observe

import (
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/wire"
)

func number(v float64) *float64 { return &v }

// What a server's metrics say now, and what has changed since the last scrape.
func TestScrapedValues(t *testing.T) {
	vllm := func(running, cache, tokens, preempted float64) map[string]float64 {
		return map[string]float64{
			"vllm:num_requests_running": running, "vllm:kv_cache_usage_perc": cache,
			"vllm:generation_tokens_total": tokens, "vllm:num_preemptions_total": preempted,
		}
	}
	var one, other latest
	one.begin(vllm(0, 0, 1000, 7))
	one.set(0, vllm(0, 0, 1000, 7))
	one.set(2e9, vllm(4, 0.6, 1500, 9))
	other.set(2e9, map[string]float64{"llamacpp:requests_deferred": 4})
	got := []live.Server{one.server(), other.server()}
	want := []live.Server{
		{Running: number(4), CacheUse: number(0.6), Preempted: number(2), TokensPerS: number(250)},
		{Waiting: number(4)},
	}
	for i := range want {
		for name, pair := range map[string][2]*float64{
			"running": {got[i].Running, want[i].Running}, "waiting": {got[i].Waiting, want[i].Waiting}, "cache": {got[i].CacheUse, want[i].CacheUse},
			"preempted": {got[i].Preempted, want[i].Preempted}, "tokens": {got[i].TokensPerS, want[i].TokensPerS},
		} {
			if (pair[0] == nil) != (pair[1] == nil) || pair[0] != nil && math.Abs(*pair[0]-*pair[1]) > 1e-9 {
				t.Errorf("server %d, %s: %v", i, name, pair)
			}
		}
	}
}

// Clauses that what is counted can judge are judged; close to a limit, and of what only the
// journal knows, nothing is claimed.
func TestClausesSoFar(t *testing.T) {
	m := live.NewMeter()
	p := m.Part()
	for range 100 {
		p.First(int64(40 * time.Millisecond))
		p.Whole(int64(time.Second))
	}
	s := &live.State{At: 10, Completed: 95, Failed: 5, Tokens: 1000}
	objective, err := slo.Parse("p99_ttft<=80ms and mean_ttft<20ms and p99_ttft<=40.5ms and failed<1% and failed<=5 and median_tpot<=9ms and output_throughput>=200 and p90_e2el<2s and request_throughput>9")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"holds", "broken", "near", "broken", "holds", "unknown", "broken", "holds", "holds"}
	for i, c := range soFar(objective, s, m) {
		got := "unknown"
		switch {
		case c.Holds != nil && *c.Holds:
			got = "holds"
		case c.Holds != nil:
			got = "broken"
		case c.Value != nil:
			got = "near"
		}
		if got != want[i] {
			t.Errorf("%s is %s, not %s (%v)", c.Text, got, want[i], c.Value)
		}
	}
	if soFar(nil, s, m) != nil || soFar(objective, &live.State{}, m)[0].Value != nil {
		t.Error("values of nothing")
	}
}

// The phases of a run, as its parts tell them.
func TestPhases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		control := &load.Control{}
		tl := &Live{feed: &live.Feed{}, meter: live.NewMeter(), pace: control, phase: live.Preparing}
		if s := tl.state(); s.Phase != live.Preparing || s.At >= 0 || !s.Pausable {
			t.Errorf("before: %+v", s)
		}
		r := &Run{Folder: "x", Clock: wire.NewClock(), Progress: &load.Progress{}, Total: 10}
		if err := tl.Open(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		r.Progress.Set(load.Snapshot{Sent: 6, Completed: 5})
		if s := tl.state(); s.Phase != live.WarmingUp || s.At >= 0 {
			t.Errorf("warming up: %+v", s)
		}
		if err := tl.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		if s := tl.state(); s.Phase != live.Running || s.At != 3 || s.Left != 3 {
			t.Errorf("running: %+v", s)
		}
		control.Pause(true)
		if s := tl.state(); s.Phase != live.Paused {
			t.Errorf("paused: %+v", s)
		}
		tl.err = errors.New("the server is \x1b[31mgone")
		tl.enter(live.Ended)
		if s := tl.state(); s.Phase != live.Ended || s.Left != 0 || s.Note != "the server is gone" {
			t.Errorf("ended: %+v", s)
		}
	})
}
