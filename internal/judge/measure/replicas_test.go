package measure

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/replica"
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

func TestReplicas(t *testing.T) {
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
	a, b := r.Replicas.Each[0], r.Replicas.Each[1]
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
	s := r.Replicas.Skew
	same("skew of TTFT", *s.TTFT.MaxOverMin, 300/(400.0/3))
	same("skew of tokens", *s.OutputThroughput.MaxOverMin, 8.0/3)
	same("cv of tokens", *s.OutputThroughput.CV, 2.5/5.5)
}

// TestReplicasThatAreNot: a run against one server has nothing to compare, and
// an idle server has no latencies.
func TestReplicasThatAreNot(t *testing.T) {
	m := &memory{run: closedRun(2), requests: []journal.Request{stream(0, 0, 100)}, end: &journal.End{}}
	if r := measured(t, m, Options{}); r.Replicas != nil {
		t.Errorf("one server: %+v", r.Replicas)
	}
	m = spread(m, 3)
	r := measured(t, m, Options{})
	if s := r.Replicas.Skew; s.TTFT.MaxOverMin != nil || s.TTFT.CV != nil || s.RequestThroughput.MaxOverMin != nil || s.RequestThroughput.CV == nil {
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

// TestReplicasOfACrowd: the parts add up to the whole, and too many to be kept give
// the same numbers within the error that they state.
func TestReplicasOfACrowd(t *testing.T) {
	m := spread(crowded(3000), 3)
	exact, many := measured(t, m, Options{}), measured(t, m, Options{RowLimit: 90})
	var requests, completed, peaks int
	var tokens int64
	var perSecond float64
	for i, e := range exact.Replicas.Each {
		requests, completed, peaks = requests+e.Requests, completed+e.Completed, peaks+e.PeakConcurrency
		tokens, perSecond = tokens+e.OutputTokens, perSecond+e.OutputThroughput
		c := many.Replicas.Each[i]
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

// scraped is a journal with scrapes.
type scraped struct {
	*memory
	scrapes []journal.Scrape
}

func (s *scraped) Scrapes() []journal.Scrape { return s.scrapes }

// TestReplicasBehindARouter: requests go by who answered, and what nobody named is not lost.
func TestReplicasBehindARouter(t *testing.T) {
	named := func(r journal.Request, by, prefiller string) journal.Request {
		r.Replica, r.Prefiller = by, prefiller
		return r
	}
	hung := failed(stream(4, 0, 100), journal.HungUp, "")
	hung.Replica = "r1"
	again := named(stream(5, 300, 100, 120), "r2", "p1")
	again.Retries = 2
	m := &memory{run: closedRun(2), end: &journal.End{}, requests: []journal.Request{
		named(stream(0, 0, 100, 110), "r1", "p1"), named(stream(1, 50, 100, 110), "r1", ""), named(stream(2, 100, 100, 110), "r2", "p1"),
		failed(stream(3, 0, 100), journal.Refused, "no"), hung, again,
	}}
	m.run.Replicas = []journal.Replica{{Name: "r1", URL: "http://h:1", Role: journal.Decode}, {Name: "idle", URL: "http://h:3"}, {Name: "p1", URL: "http://h:9", Role: journal.Prefill}}
	r := measured(t, m, Options{})
	all := r.Replicas
	if len(all.Each) != 3 || len(all.Prefillers) != 1 || all.Unknown.Requests != 1 || all.Unknown.Failed != 1 || all.More != nil || all.Balance != "" {
		t.Fatalf("%+v", all)
	}
	r1, idle, r2 := all.Each[0], all.Each[1], all.Each[2]
	if r1.Name != "r1" || r1.Role != journal.Decode || r1.Requests != 3 || r1.Completed != 2 || r1.Failed != 0 || r1.HungUp != 1 || *r1.First != 0 || *r1.Last != 0.16 {
		t.Errorf("%+v, from %v to %v", r1, *r1.First, *r1.Last)
	}
	if idle.Name != "idle" || idle.Requests != 0 || idle.First != nil {
		t.Errorf("%+v", idle)
	}
	if r2.Requests != 2 || r2.Retries != 2 || r2.PeakConcurrency != 1 {
		t.Errorf("%+v", r2)
	}
	if p := all.Prefillers[0]; p.Name != "p1" || p.Requests != 3 || p.Retries != 2 {
		t.Errorf("%+v", p)
	}
	if all.LoadBy != ByNobody || all.Load.CV != nil { // one of six is not known
		t.Errorf("load by %q: %+v", all.LoadBy, all.Load)
	}
	m.requests, m.at = append(m.requests[:3:3], hung, again), 0
	all = measured(t, m, Options{}).Replicas
	if all.LoadBy != ByAnswers || all.Unknown != nil || math.Abs(*all.Load.BusiestOverMean-1.8) > 1e-12 {
		t.Errorf("load by %q: %+v", all.LoadBy, all.Load)
	}
}

// TestReplicasByTheirCounters: where no answer names them, how evenly they were loaded is what they say themselves.
func TestReplicasByTheirCounters(t *testing.T) {
	m := &memory{run: closedRun(2), end: &journal.End{}, requests: []journal.Request{stream(0, 0, 100), stream(1, 0, 100), stream(2, 110, 100), stream(3, 110, 100)}}
	m.run.Replicas = []journal.Replica{{Name: "a", URL: "http://h:1"}, {Name: "b", URL: "http://h:2"}}
	counted := func(replica int, after bool, n float64) journal.Scrape {
		return journal.Scrape{At: -1, Replica: replica, After: after, Counters: map[string]float64{"vllm:request_success_total": n, "vllm:prompt_tokens_total": 10 * n}}
	}
	j := &scraped{m, []journal.Scrape{counted(1, false, 100), counted(2, false, 7), counted(1, true, 103), counted(2, true, 8)}}
	r, err := Measure(j, Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := r.Replicas
	if all.LoadBy != ByCounters || *all.Load.BusiestOverMean != 1.5 || *all.Load.MaxOverMin != 3 || all.Unknown.Requests != 4 || all.Each[0].Own.Requests.Server != 3 {
		t.Errorf("load by %q: %+v, %+v", all.LoadBy, all.Load, all.Each[0].Own)
	}
	for name, want := range map[string]float64{"replica_skew": 1.5, "replica_cov": 0.5} {
		if v, ok := r.Value(name); !ok || v != want {
			t.Errorf("%s is %v, want %v", name, v, want)
		}
	}
	if v, ok := r.Value("affinity"); ok {
		t.Errorf("affinity without conversations: %v", v)
	}
	j.scrapes, m.at = j.scrapes[:3], 0 // the second was killed
	if r, err = Measure(j, Options{}); err != nil || r.Replicas.LoadBy != ByNobody {
		t.Errorf("%v, load by %q", err, r.Replicas.LoadBy)
	}
}

// TestManyReplicas: two thousand names are bounded, and nothing of them is lost.
func TestManyReplicas(t *testing.T) {
	m := crowded(3000)
	for i := range m.requests {
		m.requests[i].Replica = "pod-" + strings.Repeat("x", i%2000/1000) + string(rune('a'+i%26)) + strings.Repeat("y", i%40)
	}
	r := measured(t, m, Options{})
	sum := r.Replicas.More.Requests
	for i := range r.Replicas.Each {
		sum += r.Replicas.Each[i].Requests
	}
	if len(r.Replicas.Each) != replica.Max || sum != r.Requests || r.Replicas.LoadBy != ByNobody {
		t.Errorf("%d replicas with %d of %d requests, load by %q", len(r.Replicas.Each), sum, r.Requests, r.Replicas.LoadBy)
	}
}
