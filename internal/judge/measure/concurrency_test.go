package measure

import (
	"math"
	"testing"
)

// TestSlotsGrowWider: a run of any length fits, and no count is lost.
func TestSlotsGrowWider(t *testing.T) {
	s := newCounts(maxCells)
	for second := range int64(2000) {
		c := s.At(second * 1e9)
		c.tokens += 2
		c.started++
		c.opened++
		s.At(second*1e9+5e8).ended++
		s.At(second*1e9+5e8).closed++
	}
	if len(s.Cells) > maxCells || s.Width != 16*msNs {
		t.Errorf("%d slots of %d ns", len(s.Cells), s.Width)
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
	s.At(math.MaxInt64).tokens++ // a broken file may say that
	s.At(-1).tokens++
	if len(s.Cells) > maxCells || s.between(0, math.MaxInt64).tokens != 4002 {
		t.Error("a moment at the end of time must neither take memory nor be lost")
	}
}
