//go:build linux

package fleet

import (
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/check/selftest"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/stats"
	"github.com/inferometer/inferometer/test/fleet/stage"
)

// How far a percentile may be from the truth's: docs/accuracy.md states 0.5 ms for the p99 of a
// client's times. A machine that is taken away adds to that; what it adds is read off the same
// events, see within.
const statedMs = 0.5

// TestUnion: eight agents, each in a network namespace of its own, send what one client sends,
// each request once, and the merged percentiles are those of the truth.
func TestUnion(t *testing.T) {
	const agents, planned, prefix = 8, 480, "union-"
	s := newStage(t)
	h := hosts(t, s, agents+2) // the last two: the server with NATS, and the leader
	server, leader := h[agents], h[agents+1]
	flags := []string{
		"--model", "sim", "--skip-tokenizer-init", "--dataset-name", "random", "--random-input-len", "64", "--random-output-len", "32",
		"--num-prompts", strconv.Itoa(planned), "--request-rate", "60", "--request-id-prefix", prefix, "--seed", "7",
		"--percentile-metrics", "ttft,itl,e2el", "--metric-percentiles", "50,90,99",
	}
	simFlags := []string{"--ttft", "lognormal:50ms:0.3", "--itl", "uniform:5ms-15ms"}

	sim := must[*stage.Sim](t)(s.StartSim("sim", server, server.Load, simFlags...))
	nats := must[*stage.NATS](t)(s.StartNATS(server))
	must[[]*stage.Process](t)(s.StartAgents(agents, h, nats, "--allow", server.Load))
	lead := must[*stage.Process](t)(s.Bench("fleet", leader, nats, append(flags, "--base-url", sim.URL, "--fleet-agents", strconv.Itoa(agents))...))
	if code := lead.Wait(3 * time.Minute); code != 0 {
		t.Fatalf("the leader's exit code is %d", code)
	}
	if err := sim.Stop(); err != nil {
		t.Fatal(err)
	}
	truth := must[stage.Truth](t)(stage.ReadTruth(prefix, sim.Truth))
	if err := truth.Once(planned); err != nil {
		t.Error(err)
	}
	merged := must[*stage.Journal](t)(stage.ReadJournal(s.Run("fleet")))
	tally, wrong := merged.Account(planned, truth)
	for _, err := range wrong {
		t.Error(err)
	}
	if tally.Complete != planned {
		t.Errorf("%v of %d", tally, planned)
	}
	result := must[*stage.Result](t)(stage.ReadResult(s.Run("fleet")))
	percentiles(t, s, result, truth, filepath.Join(s.Run("fleet"), journal.FileName), sim.Truth)

	// One client alone, with the same lock.
	again := must[*stage.Sim](t)(s.StartSim("sim2", server, server.Load, simFlags...))
	single := must[*stage.Process](t)(s.Bench("single", leader, nil, append(flags, "--base-url", again.URL)...))
	if code := single.Wait(2 * time.Minute); code != 0 {
		t.Fatalf("the single run's exit code is %d", code)
	}
	alone := must[*stage.Result](t)(stage.ReadResult(s.Run("single")))
	if a, b := alone.Inferometer.Workload.SHA256, result.Inferometer.Workload.SHA256; a == "" || a != b {
		t.Errorf("the workload's hash is %q alone and %q of the fleet", a, b)
	}
}

// percentiles holds the result's against those of the truth.
func percentiles(t *testing.T, s *stage.Stage, r *stage.Result, truth stage.Truth, journalPath, truthPath string) {
	t.Helper()
	off := must[*selftest.Errors](t)(selftest.Join(journalPath, truthPath))
	t.Logf("event times, ours minus the server's: median %v, p99 %v; TTFT p99 %v, gaps p99 %v", off.At.Median, off.At.P99, off.TTFT.P99, off.Gap.P99)
	var ttft, itl, e2el []float64
	for _, all := range truth {
		seen := all[0]
		last := int64(0)
		for i, at := range seen.Events {
			if seen.Kinds[i] != "token" {
				continue
			}
			if last == 0 {
				ttft = append(ttft, ms(at-seen.Begun()))
			} else {
				itl = append(itl, ms(at-last))
			}
			last = at
		}
		e2el = append(e2el, ms(last-seen.Begun()))
	}
	for _, m := range []struct {
		name   string
		truth  []float64
		within time.Duration
		beyond float64 // percent of the values are further off than that, at most
	}{{"ttft", ttft, off.TTFT.P99, 1}, {"itl", itl, off.Gap.P99, 1}, {"e2el", e2el, off.TTFT.P99 + off.At.P99, 2}} {
		slices.Sort(m.truth)
		for _, p := range []float64{50, 90, 99} {
			got, ok := r.Percentile(m.name, p)
			want := stats.Percentile(m.truth, p)
			bound := max(statedMs, ms(int64(m.within)))
			// Values that are further off may move a percentile by as many places.
			low, high := stats.Percentile(m.truth, max(p-m.beyond, 0))-bound, stats.Percentile(m.truth, min(p+m.beyond, 100))+bound
			if !ok || got < low || got > high {
				t.Errorf("p%v of %s is %.3f ms, of the truth %.3f ms: not between %.3f and %.3f ms", p, m.name, got, want, low, high)
			} else {
				t.Logf("p%v of %s: %.3f ms, of the truth %.3f ms", p, m.name, got, want)
			}
		}
	}
}

func ms(ns int64) float64 { return float64(ns) / 1e6 }
