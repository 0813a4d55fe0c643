package measure

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/sample"
)

// crowded is a closed loop of n requests with 20 slots, in the order in which they
// end. Some fail, some have one token, and the first ones are slow.
func crowded(n int) *memory {
	rnd := rand.New(rand.NewPCG(3, 4))
	m := &memory{run: closedRun(20), end: &journal.End{PeakInFlight: 20}}
	m.run.Options.NumPrompts = n
	m.run.Options.Goodput = map[string]float64{"ttft": 60}
	m.run.Options.PercentileMetrics = append(m.run.Options.PercentileMetrics, "client_queue_time")
	free := make([]int64, 20)
	for i := range free {
		free[i] = int64(i) * 7 // the climb
	}
	for i := range n {
		slot := slices.Index(free, slices.Min(free))
		first := 20 + rnd.Int64N(60)
		if i < 40 {
			first += 300
		}
		chunks := []int64{first}
		for range rnd.IntN(5) {
			chunks = append(chunks, chunks[len(chunks)-1]+5+rnd.Int64N(20))
		}
		r := stream(i, free[slot], chunks...)
		free[slot] = r.End/ms + 2
		if i%50 == 7 {
			r = failed(r, journal.Truncated, "cut")
		}
		m.requests = append(m.requests, r)
	}
	slices.SortStableFunc(m.requests, func(a, b journal.Request) int { return int(a.End - b.End) })
	return m
}

// TestAggregatesGiveTheSameNumbers: requests that are not kept one by one are measured
// within the errors that the result states.
func TestAggregatesGiveTheSameNumbers(t *testing.T) {
	vllm := "vllm"
	for _, compat := range []*string{nil, &vllm} {
		m := crowded(3000)
		exact := measured(t, m, Options{Compat: compat})
		many := measured(t, m, Options{Compat: compat, RowLimit: 100})
		if many.Rows != nil || many.Requests != 3000 {
			t.Fatalf("%d rows are kept of %d", len(many.Rows), many.Requests)
		}
		for _, m := range metric.All() {
			got, _ := many.Number(&m)
			if want, ok := exact.Number(&m); ok && got != want {
				t.Errorf("%s = %v, exact %v", m.Name, got, want)
			}
		}
		if many.PeakConcurrency != exact.PeakConcurrency {
			t.Errorf("peak %d, exact %d", many.PeakConcurrency, exact.PeakConcurrency)
		}
		for i, m := range exact.Metrics {
			sameStats(t, m.Metric.Name, many.Metrics[i].Stats, m.Stats)
		}
		for what, pair := range map[string][2]Summary{
			"sent.ttft":   {many.Latency.Sent.TTFT, exact.Latency.Sent.TTFT},
			"due.e2el":    {many.Latency.Due.E2EL, exact.Latency.Due.E2EL},
			"inter_chunk": {many.InterChunk, exact.InterChunk},
			"inter_token": {*many.InterToken.Summary, *exact.InterToken.Summary},
		} {
			if pair[0].Error != sample.HistError {
				t.Errorf("%s does not state its error", what)
			}
			roughly(t, what+" p50", pair[0].P50, pair[1].P50, sample.HistError)
			roughly(t, what+" p99.9", pair[0].P999, pair[1].P999, sample.HistError)
		}
	}
}

// roughly takes the error of a histogram as it is stated: relative, and interpolation adds none.
func roughly(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within*math.Abs(want)+1e-6 {
		t.Errorf("%s = %v, exact %v", what, got, want)
	}
}

func sameStats(t *testing.T, name string, got, want sample.Stats) {
	t.Helper()
	const ns = 1e-6 // in milliseconds
	if got.N != want.N || math.Abs(got.Max-want.Max) > ns || math.Abs(got.Min-want.Min) > ns ||
		math.Abs(got.Mean-want.Mean) > ns || math.Abs(got.Std-want.Std) > ns {
		t.Errorf("%s: count, range, mean and deviation must stay exact to the nanosecond: %+v, %+v", name, got, want)
	}
	roughly(t, name+" median", got.Median, want.Median, sample.HistError)
	for i, p := range want.Percentiles {
		roughly(t, name+" percentile", got.Percentiles[i].Value, p.Value, sample.HistError)
	}
}

// TestSteadyStateOfAggregates: its window lies in whole slots, and the slow requests of
// the climb, sent before it, are not among its latencies.
func TestSteadyStateOfAggregates(t *testing.T) {
	m := crowded(3000)
	exact := measured(t, m, Options{}).SteadyState
	many := measured(t, m, Options{RowLimit: 100}).SteadyState
	if exact == nil || many == nil {
		t.Fatal("no steady state")
	}
	g, w := many.Window, exact.Window
	if math.Abs(g.Start-w.Start) > 0.001 || math.Abs(g.End-w.End) > 0.001 {
		t.Errorf("window %v to %v, exact %v to %v", g.Start, g.End, w.Start, w.End)
	}
	if g.Started != w.Started || g.Completed != w.Completed {
		t.Errorf("%d started, %d completed, exact %d and %d", g.Started, g.Completed, w.Started, w.Completed)
	}
	late := crowded(300)
	for i := range late.requests { // all at once, in the middle of a slot
		late.requests[i].Sent += ms / 2
		late.requests[i].End += ms / 2
	}
	late.run.Options.MaxConcurrency = 1
	if s := measured(t, late, Options{RowLimit: 100}).SteadyState; s.Window.Start < 0 {
		t.Errorf("the window begins %v s before the first send", -s.Window.Start)
	}
	if g.Started == g.RequestsTotal {
		t.Error("all were sent in the window: this run tests nothing")
	}
	roughly(t, "mean ttft", many.MeanTTFT, exact.MeanTTFT, 1e-9)
	roughly(t, "p99 ttft", many.PercentilesTTFT[1][1], exact.PercentilesTTFT[1][1], sample.HistError)
	roughly(t, "mean tpot", many.MeanTPOT, exact.MeanTPOT, 1e-9)
	roughly(t, "p99 tpot", many.P99TPOT, exact.P99TPOT, sample.HistError)
	roughly(t, "output", *many.OutputThroughput, *exact.OutputThroughput, 1e-3)
	roughly(t, "input", many.InputThroughput, exact.InputThroughput, 1e-3)
}

func TestACrowdSaysSo(t *testing.T) {
	m := crowded(300)
	warned := func(opt Options) bool {
		return strings.Contains(strings.Join(measured(t, m, opt).Warnings, "\n"), "latencies and queue_times are empty")
	}
	if !warned(Options{RowLimit: 299}) || warned(Options{RowLimit: 300}) {
		t.Error("the warning belongs to runs beyond the limit, and to those alone")
	}
	if warned(Options{RowLimit: 100, Detailed: true}) {
		t.Error("a detailed result keeps all requests, whatever the limit")
	}
	m.end = nil // killed: what remains is how many were open at the end of a slot
	if p := measured(t, m, Options{RowLimit: 100}).PeakConcurrency; p != 20 {
		t.Errorf("peak %d, want 20", p)
	}
}

func TestLatenessOfACrowd(t *testing.T) {
	m := crowded(300)
	m.run.Options.Pace, m.run.Options.RequestRate = "poisson", 100
	for i := range m.requests {
		m.requests[i].Due -= int64(i%7) * ms
	}
	exact, many := measured(t, m, Options{}).Client, measured(t, m, Options{RowLimit: 100}).Client
	roughly(t, "p99", many.Lateness.P99, exact.Lateness.P99, sample.HistError)
	roughly(t, "max", many.Lateness.Max, exact.Lateness.Max, 0)
}

// TestEdgesKeepTheOutermost: whatever the order in which they come.
func TestEdgesKeepTheOutermost(t *testing.T) {
	const n = 100_000
	first, last := edge{}, edge{late: true}
	for i := range int64(n) {
		r := edgeRow{sent: i * 7919 % n}
		first.add(r)
		last.add(r)
	}
	if len(first.rows) >= 2*edgeLen || len(last.rows) >= 2*edgeLen {
		t.Fatal("an edge grows without bound")
	}
	for _, e := range []*edge{&first, &last} {
		sent := map[int64]bool{}
		for _, r := range e.rows {
			sent[r.sent] = true
		}
		for i := range int64(edgeLen) {
			want := i
			if e.late {
				want = n - 1 - i
			}
			if !sent[want] {
				t.Fatalf("late %v: %d is missing", e.late, want)
			}
		}
	}
}

// announcing is a journal whose end is known before its requests are read.
type announcing struct {
	*memory
	requests int
}

func (a announcing) Announced() int { return a.requests }

// sameResult compares all but what a metric is, which holds functions.
func sameResult(a, b *Result) bool {
	for _, r := range []*Result{a, b} {
		for i := range r.Metrics {
			r.Metrics[i].Metric = metric.Metric{}
		}
	}
	return reflect.DeepEqual(a, b)
}

// TestNothingChangesForWhatIsExpected: requests that are known beforehand to be too many
// are not kept at all, and each number is the one that they would have had.
func TestNothingChangesForWhatIsExpected(t *testing.T) {
	for _, limit := range []int{100, 2999} {
		m := crowded(3000)
		unknown := measured(t, m, Options{RowLimit: limit})
		m.at = 0
		known, err := Measure(announcing{m, 3000}, Options{RowLimit: limit})
		if err != nil {
			t.Fatal(err)
		}
		if !sameResult(known, unknown) {
			t.Errorf("limit %d: another result where the number of requests is known", limit)
		}
	}
	m := crowded(3000)
	unknown := measured(t, m, Options{Detailed: true, RowLimit: 100})
	m.at = 0
	known, err := Measure(announcing{m, 3000}, Options{Detailed: true, RowLimit: 100})
	if err != nil || len(known.Rows) != 3000 || !sameResult(known, unknown) {
		t.Errorf("a detailed result has %d rows, %v", len(known.Rows), err)
	}
}

// TestAnEndThatPromisesTooMuch: of a damaged journal the end may be whole.
func TestAnEndThatPromisesTooMuch(t *testing.T) {
	m := crowded(50)
	r, err := Measure(announcing{m, 3000}, Options{RowLimit: 100})
	if err != nil {
		t.Fatal(err)
	}
	if r.Requests != 50 || !strings.Contains(strings.Join(r.Warnings, "\n"), "speaks of more than 100 requests, and 50 can be read: latencies come from histograms") {
		t.Errorf("%d requests, %q", r.Requests, r.Warnings)
	}
}
