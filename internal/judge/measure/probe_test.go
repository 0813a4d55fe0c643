package measure

import (
	"reflect"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/metric"
)

// Probes have numbers of their own, and no other number has anything of them.
func TestProbes(t *testing.T) {
	load := []journal.Request{stream(0, 0, 10, 20, 30), stream(1, 5, 12, 22), stream(2, 40, 11, 31)}
	run := journal.Run{Options: journal.Options{NumPrompts: 3, Pace: "closed", MaxConcurrency: 2}}
	without := measured(t, &memory{run: run, requests: load, end: &journal.End{At: 100 * ms, Sent: 3}}, Options{})

	probed := run
	probed.Options.ProbeRate = 5
	requests := append([]journal.Request{}, load...)
	for i, latency := range []int64{4, 8, 100, 6} {
		p := stream(i, int64(i)*20, latency)
		p.Warmup, p.Probe = true, true
		requests = append(requests, p)
	}
	failed := journal.Request{Index: 4, Warmup: true, Probe: true, Outcome: journal.HTTP5xx, Status: 500}
	requests = append(requests, failed)
	with := measured(t, &memory{run: probed, requests: requests, end: &journal.End{At: 100 * ms, Sent: 3}}, Options{})

	p := with.Probe
	if p == nil || p.Completed != 4 || p.Failed != 1 || p.Rate != 5 {
		t.Fatalf("the probes are %+v", p)
	}
	near := func(name string, got, want float64) {
		t.Helper()
		if got < want-1e-9 || got > want+1e-9 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	near("the median", p.E2EL.P50, 7)
	near("the p99", p.E2EL.P99, 97.24) // NumPy's, of 4, 6, 8 and 100
	near("the maximum", p.E2EL.Max, 100)
	near("the median TTFT", p.TTFT.P50, 7)
	with.Probe, with.Run = nil, without.Run
	for _, r := range []*Result{with, without} { // their functions can't be compared
		for i := range r.Metrics {
			r.Metrics[i].Metric = metric.Metric{}
		}
	}
	if !reflect.DeepEqual(with, without) {
		t.Error("the load's numbers changed with probes")
	}
	if without.Probe != nil {
		t.Error("probes that nobody asked for")
	}
}
