package load

import (
	"math"
	"testing"
)

// Ten requests at a time, all alike, a second each: between two waves nothing ends, and what is
// left must not grow.
func TestDoneInWaves(t *testing.T) {
	const total, wave, tokens = 100, 10, 50
	for tenth := 11; tenth < 100; tenth++ {
		s := Snapshot{Completed: int64(tenth / 10 * wave), InFlight: wave}
		s.Finished = s.Completed * tokens
		s.Tokens = s.Finished + wave*tokens*int64(tenth%10)/10
		if left := 10 - float64(tenth)/10; math.Abs(float64(tenth)/10*(1/s.Done(total)-1)-left) > 1e-9 {
			t.Errorf("after %d tenths of a second %v is done", tenth, s.Done(total))
		}
	}
}

func TestDone(t *testing.T) {
	for _, c := range []struct {
		name  string
		s     Snapshot
		total int
		want  float64
	}{
		{"nothing yet", Snapshot{InFlight: 4, Tokens: 90}, 8, 0},
		{"no tokens", Snapshot{Completed: 2, InFlight: 2}, 8, 0.25},
		{"tokens of the finished not known", Snapshot{Completed: 2, InFlight: 2, Tokens: 900}, 8, 0.25},
		{"longer than those before", Snapshot{Completed: 2, InFlight: 2, Finished: 20, Tokens: 900}, 8, 0.5},
		{"all but its last line", Snapshot{Completed: 8, Finished: 80, Tokens: 80}, 8, 1},
		{"more than there should be", Snapshot{Completed: 9, Finished: 80, Tokens: 80}, 8, 1},
	} {
		if got := c.s.Done(c.total); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
