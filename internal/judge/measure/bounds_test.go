package measure

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/bounds"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// world makes requests of which the truth is known, and what a client with few and late
// reads has of them.
type world struct {
	*rand.Rand
	truth, seen []journal.Request
}

// request adds one. Segments hold an event, several, or a part of one; a read takes what has come.
func (w *world) request(index int) {
	n := 1 + w.IntN(40)
	kind := make([]journal.EventKind, 0, n+2)
	if w.IntN(2) == 0 {
		kind = append(kind, journal.EventChoices) // a role
	}
	for range n {
		kind = append(kind, text)
	}
	kind = append(kind, journal.EventUsage, 0) // and [DONE], which is no event
	at := make([]int64, len(kind))
	now := 1000 + w.Int64N(50*ms)
	for i := range at {
		at[i] = now
		if w.IntN(5) > 0 { // else the next one comes in the same segment
			now += 1 + w.Int64N(20*ms)
		}
	}
	headers := max(at[0]-w.Int64N(at[0]), 1)
	r := journal.Request{
		Index: index, Sent: int64(index) * ms, Outcome: journal.Complete, Status: 200,
		PromptTokens: 10, OutputTokens: n, UsagePrompt: 10, UsageOutput: n,
	}
	r.Due, r.End, r.Headers = r.Sent, r.Sent+now, r.Sent+headers
	if w.IntN(6) == 0 {
		r.Outcome, r.Error = journal.Truncated, "cut"
	}
	events := len(kind) - 1
	truth, seen := r, r
	truth.Events, seen.Events = columns(at[:events], kind[:events]), columns(w.read(at, headers, &seen), kind[:events])
	seen.Events.Open = seen.Events.Open[:0]
	w.opens(at, &seen)
	w.truth, w.seen = append(w.truth, truth), append(w.seen, seen)
}

// read gives each event the stamp of the last that lay in its read.
func (w *world) read(at []int64, headers int64, seen *journal.Request) []int64 {
	stamps := make([]int64, len(at))
	patience := w.Int64N(60 * ms)
	for i := 0; i < len(at); {
		until := at[i]
		if w.IntN(3) == 0 {
			until += w.Int64N(patience + 1)
		}
		j := i
		for j < len(at) && at[j] <= until {
			j++
		}
		for k := i; k < j; k++ {
			stamps[k] = at[j-1]
		}
		if i == 0 && headers <= until && w.IntN(2) == 0 {
			seen.Headers = seen.Sent + at[j-1] // they came in the same read
		}
		i = j
	}
	return stamps[:len(at)-1]
}

// opens marks the last event where [DONE] lay behind it in its read.
func (w *world) opens(at []int64, seen *journal.Request) {
	last, sum := len(seen.Events.At)-1, int64(0)
	for _, gap := range seen.Events.At {
		sum += gap
	}
	if sum > at[last] || at[last] == at[last+1] {
		seen.Events.Open = append(seen.Events.Open, last)
	}
}

func columns(at []int64, kind []journal.EventKind) journal.Events {
	e := journal.Events{Kind: kind}
	before := int64(0)
	for _, v := range at {
		e.At = append(e.At, v-before)
		before = v
	}
	return e
}

func kernelRun() journal.Run {
	run := closedRun(8)
	run.Clock, run.ReadEnds = "kernel", true
	run.Options.MetricPercentiles = []float64{1, 25, 50, 75, 95, 99}
	return run
}

// Whatever the truth and however it was read: its percentiles, means and maxima lie within the
// bounds, whether values are kept or counted in histograms.
func TestTheTruthLiesWithinTheBounds(t *testing.T) {
	seed := testfiles.Random(t).Uint64()
	shared := 0
	for round := range 150 {
		w := &world{Rand: rand.New(rand.NewPCG(seed, uint64(round)))}
		for i := range 1 + w.IntN(60) {
			w.request(i)
		}
		opt := Options{}
		if round%2 == 1 {
			opt.ExactLimit, opt.RowLimit = 10, 3
		}
		user := kernelRun()
		if round%5 == 4 {
			user.Clock = "user"
		}
		truth := measured(t, &memory{run: kernelRun(), requests: w.truth, end: &journal.End{}}, Options{})
		seen := measured(t, &memory{run: user, requests: w.seen, end: &journal.End{}}, opt)
		if truth.Completed == 0 {
			continue
		}
		shared += int(seen.Bounds.Within)
		holds(t, fmt.Sprintf("seed %d, round %d", seed, round), truth, seen.Bounds)
	}
	if shared == 0 {
		t.Error("no event shared a read")
	}
}

// holds compares each statistic of the truth with its bounds.
func holds(t *testing.T, where string, truth *Result, seen *bounds.Bounds) {
	t.Helper()
	sent := &truth.Latency.Sent
	for name, is := range map[string]*Summary{
		"ttft": &sent.TTFT, "first_token": &sent.FirstToken, "first_visible": &sent.FirstVisible, "e2el": &sent.E2EL,
		"tpot": &truth.TPOT, "itl": &truth.InterChunk, "inter_token": truth.InterToken.Summary,
	} {
		if is == nil || is.Count == 0 {
			continue
		}
		r := seen.Metrics[name]
		if r.Count != is.Count || len(r.Bounds) < 8 {
			t.Fatalf("%s: %s has %d values, and in truth %d", where, name, r.Count, is.Count)
		}
		for statistic, value := range map[string]float64{"mean": is.Mean, "p50": is.P50, "p90": is.P90, "p99": is.P99, "p99.9": is.P999, "max": is.Max} {
			ends := r.Bounds[statistic+"_ms"]
			slack := 1e-6 + 2e-4*value // of the histogram, and of rounding to the nanosecond
			if value < ends[0]-slack || value > ends[1]+slack {
				t.Errorf("%s: %s of %s is %v, not within %v", where, statistic, name, value, ends)
			}
		}
	}
}

// Events that each have a read of their own have bounds without width.
func TestNothingSharedHasNoWidth(t *testing.T) {
	m := &memory{run: kernelRun(), end: &journal.End{}, requests: []journal.Request{stream(0, 0, 50, 60, 80, 90), stream(1, 5, 40, 55, 71)}}
	for i := range m.requests {
		at := m.requests[i].Events.At
		at[len(at)-1] = ms
	}
	r := measured(t, m, Options{})
	if r.Bounds.Within != 0 || r.Bounds.Events != 9 || !r.Bounds.Known {
		t.Errorf("%+v", r.Bounds)
	}
	for name, x := range r.Bounds.Metrics {
		for statistic, ends := range x.Bounds {
			if ends.Width() != 0 || ends[0] <= 0 {
				t.Errorf("%s of %s: %v", statistic, name, ends)
			}
		}
	}
	if ends, ok := r.Bounds.Of("ttft", "median"); !ok || ends != (bounds.Ends{45, 45}) {
		t.Errorf("median of TTFT: %v, %v", ends, ok)
	}
}

// Three chunks in one read: what is known of them, by hand.
func TestBoundsOfOneRead(t *testing.T) {
	q := stream(0, 0, 50, 60, 90, 90, 90, 100)
	q.Events.At[6] = ms
	m := &memory{run: kernelRun(), end: &journal.End{}, requests: []journal.Request{q}}
	itl := measured(t, m, Options{Percentiles: []float64{0, 100}}).Bounds.Metrics["itl"]
	// 10, 30, 0, 0 and 10 ms are measured; the three in the middle are 30 together.
	if itl.Count != 5 || itl.Within != 3 || itl.Bounds["mean_ms"] != (bounds.Ends{10, 10}) || itl.Bounds["max_ms"] != (bounds.Ends{10, 30}) || itl.Bounds["p0_ms"][0] != 0 {
		t.Errorf("%+v", itl)
	}
	if p50 := itl.Bounds["p50_ms"]; p50[0] > 10 || p50[0] < 9.99 || p50[1] < 10 || p50[1] > 10.01+5 {
		t.Errorf("median %v", p50)
	}
}

// A journal of an older version has no bounds, and says why.
func TestNoBoundsOfAnOldJournal(t *testing.T) {
	m := &memory{run: closedRun(2), end: &journal.End{}, requests: []journal.Request{stream(0, 0, 50, 60)}}
	b := measured(t, m, Options{}).Bounds
	if _, ok := b.Of("ttft", "p99"); ok || b.Known || !strings.Contains(b.Reason, "older version") || len(b.Metrics) != 0 {
		t.Errorf("%+v", b)
	}
}
