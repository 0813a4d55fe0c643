package hangup

import (
	"math"
	"testing"
	"time"
)

// The share is kept within chance, for any seed, and neither seeds nor neighbours agree more often than chance.
func TestShare(t *testing.T) {
	const n = 100_000
	for _, share := range []float64{0, 0.001, 0.1, 0.5, 1} {
		for seed := range int64(20) {
			p, q := Plan{Seed: seed, Share: share, Timed: true}, Plan{Seed: seed + 1, Share: share, Timed: true}
			got, both, pairs := 0, 0, 0
			for i := range n {
				if !p.drawn(i) {
					continue
				}
				got++
				if q.drawn(i) {
					both++
				}
				if p.drawn(i + 1) {
					pairs++
				}
			}
			for what, x := range map[string]struct{ got, want float64 }{"share": {float64(got), share}, "two seeds": {float64(both), share * share}, "neighbours": {float64(pairs), share * share}} {
				if sd := math.Sqrt(n * x.want * (1 - x.want)); math.Abs(x.got-n*x.want) > 5*sd {
					t.Errorf("share %v, seed %d: %s: %v of %d", share, seed, what, x.got, n)
				}
			}
		}
	}
}

func TestAt(t *testing.T) {
	var none *Plan
	for _, tt := range []struct {
		name   string
		plan   *Plan
		after  time.Duration
		tokens int
	}{
		{"no plan", none, 0, 0},
		{"nobody", &Plan{Timed: true, After: time.Second}, 0, 0},
		{"at once", &Plan{Share: 1, Timed: true}, 1, 0},
		{"after a time", &Plan{Share: 1, Timed: true, After: time.Second}, time.Second, 0},
		{"with tokens", &Plan{Share: 1, Tokens: 7}, 0, 7},
		{"whichever is first", &Plan{Share: 1, Timed: true, After: time.Second, Tokens: 7}, time.Second, 7},
	} {
		if after, tokens := tt.plan.At(3); after != tt.after || tokens != tt.tokens {
			t.Errorf("%s: %v, %d tokens", tt.name, after, tokens)
		}
	}
}
