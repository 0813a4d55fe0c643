package measure

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/condition"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/sample"
	"github.com/inferometer/inferometer/internal/stats"
)

// What bench/mutation broke and nothing noticed: bounds, units and sums, each by itself.

// A stall of a slow server is a second above its median gap: one that is four tenths above it is none.
func TestAStallIsAWholeSecondAboveTheMedian(t *testing.T) {
	for gap, want := range map[int64]int{1500: 0, 2000: 0, 2100: 0, 2101: 1} {
		m := &memory{run: closedRun(1), end: &journal.End{}, requests: []journal.Request{stream(0, 0, 10, 1110, 2210, 3310, 3310+gap)}}
		got := measured(t, m, Options{}).Stalls
		if got == nil || got.Count != want || got.Threshold != 2100 {
			t.Errorf("a gap of %d ms beside a median of 1100: %+v", gap, got)
		}
	}
}

// The interval of a mean has both tails outside: 1.96 standard errors to each side.
func TestTheIntervalOfAMeanHasTwoSides(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	values := make([]float64, 400)
	for i := range values {
		values[i] = 1 + random.Float64()
	}
	c := stats.InSequence(values)
	in := sample.MeanInterval(&sample.Stats{N: len(values), Mean: 1500, Std: 300}, &c)
	if in.Low == nil || in.High == nil {
		t.Fatalf("%+v", in)
	}
	half := 1.959964 * 300 / math.Sqrt(in.Effective)
	near(t, "the lower end", *in.Low, 1500-half)
	near(t, "the upper end", *in.High, 1500+half)
}

// A server that says it cached more than there was has cached all of it.
func TestNoMoreIsCachedThanThereWas(t *testing.T) {
	var c Cached
	for _, r := range []row.Row{{Counted: 100, Cached: 150}, {Counted: 100, Cached: 50}, {Counted: -1, Cached: 7}, {Counted: 7, Cached: -1}} {
		c.add(&r)
	}
	if share, ok := c.Share(); !ok || share != 0.75 || c.Known != 2 {
		t.Errorf("%+v: %v", c, share)
	}
}

// Requests that come or go in a slot were open for half of it.
func TestWhoComesInASlotIsOpenForHalfOfIt(t *testing.T) {
	c := newCounts(maxCells)
	c.At(1 * msNs).started = 4
	c.At(3 * msNs).ended = 3
	c.At(4 * msNs).ended = 1
	near(t, "open time", c.openTime(0, 6*msNs)/float64(msNs), 2+4+2.5+0.5)
	near(t, "open time of a part", c.openTime(2*msNs, 4*msNs)/float64(msNs), 4+2.5)
}

// What requests took is added up in microseconds, so that a day's requests fit.
func TestASlotAddsUpMicroseconds(t *testing.T) {
	a := &aggregates{slots: newCounts(maxCells)}
	a.add(&row.Row{OK: true, Sent: 0, End: 5 * msNs, Last: 4 * msNs})
	a.add(&row.Row{OK: true, Sent: 0, End: 9 * msNs, Last: 7 * msNs})
	if sum := a.slots.between(0, 10*msNs); sum.took != 11_000 || sum.started != 2 || sum.ended != 2 {
		t.Errorf("%+v", sum)
	}
}

// What is exactly at its limit meets it.
func TestTheLimitItselfIsGood(t *testing.T) {
	g := newGoodput(map[string]float64{"ttft": 200})
	for _, first := range []int64{199, 200, 201} {
		g.add(&journal.Request{}, &row.Row{OK: true, First: first * ms, Last: first * ms})
	}
	if g.good != 2 || g.limits[0].Broken != 1 {
		t.Errorf("%d are good, %d over the limit", g.good, g.limits[0].Broken)
	}
}

// A slot that is handed on at one moment is one slot.
func TestASlotThatIsHandedOnIsOne(t *testing.T) {
	if peak := peakOf([]int64{0, 10, 20}, []int64{10, 20, 30}); peak != 1 {
		t.Errorf("the peak is %d", peak)
	}
}

// The first send is that of the successes, wherever the clock's zero lies.
func TestTheFirstSendIsASuccess(t *testing.T) {
	var n totals
	for _, r := range []row.Row{{Sent: 10, End: 20}, {OK: true, Sent: 50, End: 60}, {OK: true, Sent: 40, End: 70}, {OK: true, Sent: 45, End: 65}} {
		n.add(&r)
	}
	if n.firstSent != 40 || n.lastEnd != 70 || n.completed != 3 || n.requests != 4 {
		t.Errorf("%+v", n)
	}
}

// The seconds of the peak are counted from the first send.
func TestThePeakOfTokensBeginsWithTheFirstSend(t *testing.T) {
	times := tokenTimes{limit: 100}
	times.add(800*ms, 5)
	times.add(1600*ms, 7)
	for origin, want := range map[int64]int64{0: 7, 500: 7, 700: 12, 800: 12} {
		if got := times.peakPerSecond(origin * ms); got != want {
			t.Errorf("from %d ms on: %d tokens, want %d", origin, got, want)
		}
	}
}

// Requests end on many goroutines at once, and none is lost from the count.
func TestUntilCountsRequestsThatEndTogether(t *testing.T) {
	goals, err := condition.Parse("median_itl±5%", condition.Width)
	if err != nil {
		t.Fatal(err)
	}
	run := closedRun(4)
	u := NewUntil(&run.Options, goals)
	var all sync.WaitGroup
	for k := range 4 {
		all.Go(func() {
			for i := range 50 {
				r := stream(k*50+i, int64(i)*20, 50, 60, 71)
				u.Ended(&r)
			}
		})
	}
	all.Wait()
	if u.ok != 200 || len(u.rows) != 200 || len(u.gaps.values) != 400 {
		t.Errorf("%d successes, %d rows, %d gaps", u.ok, len(u.rows), len(u.gaps.values))
	}
}
