package measure

import (
	"math"
	"testing"
)

// TestBucketsHoldTheirError: from a nanosecond to the largest number there is, each
// bucket's middle is close to whatever falls into it, and buckets follow in order.
func TestBucketsHoldTheirError(t *testing.T) {
	before := -1
	for v := int64(0); v >= 0 && v < math.MaxInt64/2; v += v/5000 + 1 {
		b := bucketOf(v)
		if b < before {
			t.Fatalf("bucket %d of %d comes before bucket %d of a smaller value", b, v, before)
		}
		before = b
		if d := math.Abs(middle(b) - float64(v)); d > float64(v)/16384 {
			t.Fatalf("bucket %d stands for %v, %v away from %d", b, middle(b), d, v)
		}
	}
	if b := bucketOf(math.MaxInt64); b != maxBuckets-1 {
		t.Errorf("the largest value is in bucket %d, want the last one, %d", b, maxBuckets-1)
	}
}

func TestHistogramGivesBackWhatWasTakenOut(t *testing.T) {
	h := new(histogram)
	for _, ns := range []int64{-5, 100, 200, 300, 1e12} {
		h.add(ns, 1)
	}
	h.add(1e12, -1)
	if h.n != 4 || h.percentile(100) != 300 || h.percentile(0) != 0 || h.percentile(50) != 150 {
		t.Errorf("%d values, p100 %v, p0 %v, p50 %v", h.n, h.percentile(100), h.percentile(0), h.percentile(50))
	}
	if new(histogram).percentile(50) != 0 {
		t.Error("no values give 0")
	}
}

// TestSlotsGrowWider: a run of any length fits, and no count is lost.
func TestSlotsGrowWider(t *testing.T) {
	s := newSlots(maxCells)
	for second := range int64(2000) {
		c := s.at(second * 1e9)
		c.tokens += 2
		c.started++
		c.opened++
		s.at(second*1e9+5e8).ended++
		s.at(second*1e9+5e8).closed++
	}
	if len(s.cells) > maxCells || s.width != 16*msNs {
		t.Errorf("%d slots of %d ns", len(s.cells), s.width)
	}
	all := s.between(0, math.MaxInt64)
	if all.tokens != 4000 || all.started != 2000 || all.ended != 2000 {
		t.Errorf("%+v", all)
	}
	if half := s.between(0, 1000e9); half.started < 999 || half.started > 1001 {
		t.Errorf("%d of 2000 started in the first half", half.started)
	}
	if low, high := s.peakOpen(); low != 1 || high != 1 {
		t.Errorf("between %d and %d were open, want 1", low, high)
	}
	s.at(math.MaxInt64).tokens++ // a broken file may say that
	s.at(-1).tokens++
	if len(s.cells) > maxCells || s.between(0, math.MaxInt64).tokens != 4002 {
		t.Error("a moment at the end of time must neither take memory nor be lost")
	}
}
