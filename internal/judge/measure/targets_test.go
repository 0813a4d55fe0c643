package measure

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/sample"
)

// spread gives the requests of a run to targets in turn; the last of them takes
// three times as long.
func spread(m *memory, n int) *memory {
	m.run.Options.Balance = "round-robin"
	for i := range n {
		m.run.Targets = append(m.run.Targets, journal.Target{URL: "http://" + string(rune('a'+i)), Model: "m"})
	}
	for i := range m.requests {
		r := &m.requests[i]
		r.Target = r.Index % n
		if r.Target != n-1 {
			continue
		}
		at := slices.Clone(r.Events.At)
		for k := range at {
			at[k] *= 3
		}
		r.Events.At, r.End = at, r.Sent+3*(r.End-r.Sent)
	}
	return m
}

func TestTargets(t *testing.T) {
	m := &memory{run: closedRun(2), requests: []journal.Request{
		stream(0, 0, 100, 110, 120),
		stream(1, 0, 100, 110, 120),
		stream(2, 120, 200, 210),
		failed(stream(3, 360, 100), journal.Truncated, "cut"),
		stream(4, 330, 100, 120, 140),
	}}
	m.end = &journal.End{}
	m = spread(m, 2)
	r := measured(t, m, Options{})
	if r.Duration != 0.66 {
		t.Fatalf("duration %v", r.Duration)
	}
	a, b := r.Targets.Each[0], r.Targets.Each[1]
	same := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9*math.Abs(want) {
			t.Errorf("%s = %v, want %v", what, got, want)
		}
	}
	if a.Requests != 3 || a.Completed != 3 || a.Failed != 0 || b.Requests != 2 || b.Completed != 1 || b.Failed != 1 {
		t.Errorf("%+v\n%+v", a, b)
	}
	if diff := cmp.Diff([]OutcomeCount{{journal.Complete, 1}, {journal.Truncated, 1}}, b.Outcomes); diff != "" {
		t.Error(diff)
	}
	same("share", a.Share, 0.6)
	same("tokens a", float64(a.OutputTokens), 8)
	same("tokens b", float64(b.OutputTokens), 3)
	same("throughput a", a.OutputThroughput, 8/0.66)
	same("requests/s b", b.RequestThroughput, 1/0.66)
	same("mean TTFT a", a.TTFT.Mean, 400.0/3)
	same("p50 TTFT a", a.TTFT.P50, 100)
	same("mean TTFT b", b.TTFT.Mean, 300)
	same("mean TPOT a", a.TPOT.Mean, 40.0/3)
	same("mean TPOT b", b.TPOT.Mean, 30)
	same("mean E2EL b", b.E2EL.Mean, 360)
	if a.PeakConcurrency != 1 || b.PeakConcurrency != 1 || r.PeakConcurrency != 2 {
		t.Errorf("peaks %d and %d, together %d", a.PeakConcurrency, b.PeakConcurrency, r.PeakConcurrency)
	}
	s := r.Targets.Skew
	same("skew of TTFT", *s.TTFT.MaxOverMin, 300/(400.0/3))
	same("skew of tokens", *s.OutputThroughput.MaxOverMin, 8.0/3)
	same("cv of tokens", *s.OutputThroughput.CV, 2.5/5.5)
}

// TestTargetsThatAreNot: a run against one server has nothing to compare, and
// an idle server has no latencies.
func TestTargetsThatAreNot(t *testing.T) {
	m := &memory{run: closedRun(2), requests: []journal.Request{stream(0, 0, 100)}, end: &journal.End{}}
	if r := measured(t, m, Options{}); r.Targets != nil {
		t.Errorf("one server: %+v", r.Targets)
	}
	m = spread(m, 3)
	r := measured(t, m, Options{})
	if s := r.Targets.Skew; s.TTFT.MaxOverMin != nil || s.TTFT.CV != nil || s.RequestThroughput.MaxOverMin != nil || s.RequestThroughput.CV == nil {
		t.Errorf("two idle servers: %+v", s)
	}
	m.requests[0].Target = 3
	m.at = 0
	if _, err := Measure(m, Options{}); err == nil || !strings.Contains(err.Error(), "went to target 3, and the run has 3") {
		t.Errorf("a target that is not there: %v", err)
	}
	m.requests[0].Target = 0
	m.run.Targets[1].Model = "another"
	if r := measured(t, m, Options{}); !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "different models") }) {
		t.Errorf("no warning of different models: %q", r.Warnings)
	}
}

// TestTargetsOfACrowd: the parts add up to the whole, and too many to be kept give
// the same numbers within the error that they state.
func TestTargetsOfACrowd(t *testing.T) {
	m := spread(crowded(3000), 3)
	exact, many := measured(t, m, Options{}), measured(t, m, Options{RowLimit: 90})
	var requests, completed, peaks int
	var tokens int64
	var perSecond float64
	for i, e := range exact.Targets.Each {
		requests, completed, peaks = requests+e.Requests, completed+e.Completed, peaks+e.PeakConcurrency
		tokens, perSecond = tokens+e.OutputTokens, perSecond+e.OutputThroughput
		c := many.Targets.Each[i]
		if e.TTFT.Error != 0 || c.TTFT.Error == 0 {
			t.Fatalf("errors %v and %v: the limit is not what this test believes", e.TTFT.Error, c.TTFT.Error)
		}
		for _, v := range [][2]float64{{e.TTFT.P99, c.TTFT.P99}, {e.TPOT.P50, c.TPOT.P50}, {e.E2EL.Mean, c.E2EL.Mean}} {
			if math.Abs(v[1]-v[0]) > 2*sample.HistError*v[0] {
				t.Errorf("target %d: %v, exact %v", i, v[1], v[0])
			}
		}
		if c.PeakConcurrency > e.PeakConcurrency || c.PeakConcurrency < e.PeakConcurrency-2 {
			t.Errorf("target %d: peak %d, exact %d", i, c.PeakConcurrency, e.PeakConcurrency)
		}
		e.TTFT, e.TPOT, e.E2EL, e.PeakConcurrency = c.TTFT, c.TPOT, c.E2EL, c.PeakConcurrency
		if diff := cmp.Diff(e, c); diff != "" {
			t.Error(diff)
		}
	}
	if requests != exact.Requests || completed != exact.Completed || tokens != exact.OutputTokens || math.Abs(perSecond-exact.OutputThroughput) > 1e-6 {
		t.Errorf("the parts are %d, %d, %d, %v, the whole %d, %d, %d, %v", requests, completed, tokens, perSecond,
			exact.Requests, exact.Completed, exact.OutputTokens, exact.OutputThroughput)
	}
	if peaks < exact.PeakConcurrency {
		t.Errorf("peaks of %d in all, and %d together", peaks, exact.PeakConcurrency)
	}
}
