package slots

import (
	"math"
	"math/rand/v2"
	"testing"
)

type cell struct {
	n             int
	opened, ended Marks
}

func merge(into, from *cell) {
	into.n += from.n
	into.opened.Merge(from.opened)
	into.ended.Merge(from.ended)
}

// A run of any length fits, and no count is lost, wherever it happened.
func TestCountsAreKept(t *testing.T) {
	for _, length := range []int64{1, 1e6, 1e9, 3600e9, math.MaxInt64} {
		s := New(1e6, 100, merge)
		for range 1000 {
			s.At(rand.Int64N(length)).n++
		}
		s.At(length).n++
		s.At(-5).n++
		all := 0
		for begin, c := range s.All() {
			all += c.n
			if begin < 0 || begin > length {
				t.Errorf("a slot of a run of %d ns begins at %d", length, begin)
			}
		}
		if all != 1002 || len(s.Cells) > 100 || s.Cells[0].n == 0 || length/s.Width >= 100 {
			t.Errorf("%d ns: %d counts of 1002 in %d slots of %d ns", length, all, len(s.Cells), s.Width)
		}
	}
}

// A moment lies in the slot that its time says, before and after widening.
func TestSlotOfAMoment(t *testing.T) {
	s := New(10, 8, merge)
	for i := range int64(8) {
		s.At(10 * i).n = int(i)
	}
	s.At(80).n = 100 // now 20 wide
	want := []int{0 + 1, 2 + 3, 4 + 5, 6 + 7, 100}
	for i, n := range want {
		if s.Cells[i].n != n {
			t.Errorf("slot %d has %d, want %d", i, s.Cells[i].n, n)
		}
	}
}

// The area under what is open is exact, however often slots were widened.
func TestOpenKeepsTheArea(t *testing.T) {
	for _, scale := range []int64{1, 1000, 100_000} {
		s, want := New(1e6, 128, merge), 0.0
		for range 500 {
			from := rand.Int64N(4e7) * scale
			to := from + rand.Int64N(2e7)*scale
			s.At(from).opened.Add(from)
			s.At(to).ended.Add(to)
			want += float64(to - from)
		}
		got := 0.0
		for _, v := range Open(s, func(c *cell) Marks { return c.opened }, func(c *cell) Marks { return c.ended }) {
			if v < -1e-9 {
				t.Errorf("%v are open", v)
			}
			got += v * float64(s.Width)
		}
		if math.Abs(got-want) > 1e-9*want {
			t.Errorf("the area is %v, want %v, in %d slots", got, want, len(s.Cells))
		}
	}
}
