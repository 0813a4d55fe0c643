package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/inferometer/inferometer/bench/judgement/drawn"
	"github.com/inferometer/inferometer/internal/judge/compare"
)

// compareTrials draws tables of runs whose truth is known and holds calls and gates against it. A trial is a table, or a gate
// of one limit. What drifts between runs is no disturbance that a quiet machine is without, so that only tables with
// three repeats and more at 1 % drift count as quiet.
func compareTrials(o *options) ([]tally, error) {
	gate, err := compare.ParseGate("mean_tpot<+5%")
	if err != nil {
		return nil, err
	}
	var out []tally
	for _, size := range []int{50, 200} {
		random := rand.New(rand.NewPCG(o.seed, uint64(size)))
		pools, err := drawn.NewPools(random, size, o.pick(30, 100))
		if err != nil {
			return nil, err
		}
		for _, repeats := range drawn.Repeats {
			for _, drift := range []float64{0.01, 0.03} {
				t := tally{situation: fmt.Sprintf("%d requests, %d a side, %.0f %% drift", size, repeats, 100*drift), quiet: repeats >= 3 && drift == 0.01}
				g := tally{situation: t.situation + ", gate", quiet: t.quiet}
				for i := range o.pick(30, 400) {
					truth := []drawn.Change{{}, drawn.Slower(0.10)}[i%2]
					a, b := pools[i/2%len(pools)].Table(random, repeats, drift, truth)
					j, err := drawn.Judge(a, b, truth, gate)
					if err != nil {
						return nil, err
					}
					t.add(called(&j, truth))
					g.add(gated(&j, truth))
				}
				out = append(out, t, g)
			}
		}
	}
	return out, nil
}

// called is what a table is worth: wrong where one of its numbers is called real and is not, or within noise though it
// changed by what matters. Where something changed, it is right if a number is called real.
func called(j *drawn.Judged, truth drawn.Change) answer {
	switch {
	case j.FalseReal, j.Dismissed:
		return wrong
	case truth == drawn.Change{}, len(j.Found) > 0:
		return right
	}
	return undecided
}

// gated is the same of a gate at half of the change.
func gated(j *drawn.Judged, truth drawn.Change) answer {
	should := compare.Kept
	if truth != (drawn.Change{}) {
		should = compare.Broken
	}
	switch j.Gate {
	case compare.Undecided:
		return undecided
	case should:
		return right
	}
	return wrong
}
