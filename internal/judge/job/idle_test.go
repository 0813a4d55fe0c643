package job

import (
	"cmp"
	"slices"
	"testing"

	"github.com/inferometer/inferometer/internal/testfiles"
)

func TestIdle(t *testing.T) {
	var d Idle
	if d.Time(100) != 100 {
		t.Error("nothing was sent")
	}
	for _, s := range [][2]int64{{-5, 10}, {20, 30}, {25, 28}, {50, 60}, {40, 70}, {29, 41}, {90, 200}, {7, 7}} {
		d.Add(s[0], s[1])
	}
	if got := d.Time(100); got != 10+20 {
		t.Errorf("%d of 100", got)
	}
}

// Whatever the order in which requests come, the idle time is what a count of each moment says.
func TestIdleOfDrawnRequests(t *testing.T) {
	r := testfiles.Random(t)
	const run = 500
	for range 500 {
		var moments [run]bool
		var list [][2]int64
		for range r.IntN(40) {
			from := r.Int64N(run)
			to := min(from+r.Int64N(40), run)
			list = append(list, [2]int64{from, to})
			for i := from; i < to; i++ {
				moments[i] = true
			}
		}
		if r.IntN(2) == 0 { // as a journal has them
			slices.SortFunc(list, func(a, b [2]int64) int { return cmp.Compare(a[1], b[1]) })
		}
		want := int64(0)
		for _, busy := range moments {
			if !busy {
				want++
			}
		}
		var d Idle
		for _, s := range list {
			d.Add(s[0], s[1])
		}
		if got := d.Time(run); got != want {
			t.Fatalf("%d, want %d: %v", got, want, list)
		}
	}
}

// Beyond the bound older stretches are a sum.
func TestIdleIsBounded(t *testing.T) {
	var d Idle
	const n = 3 * maxStretches / 2
	for i := range int64(n) {
		d.Add(10*i, 10*i+3)
	}
	if got := d.Time(10 * n); got != 7*n || len(d.busy) >= maxStretches {
		t.Errorf("%d of %d, %d stretches", got, 10*n, len(d.busy))
	}
}
