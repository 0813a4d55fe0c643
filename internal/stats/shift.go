package stats

import (
	"math"
	"slices"
)

// Shift is the change that fits a series of logarithms best: a step, or a line.
type Shift struct {
	At     int     // the value in which a step lies; 0: it is a line
	Change float64 // of the logarithm
	Sure   float64 // by its standard errors beyond leastChange, as a share of what chance seldom does; from 1 on it is sure
}

// FewestInShift values show a change.
const FewestInShift = 10

const (
	// How often chance alone may look like a change, by the quantile of each test.
	chanceOf = 0.003
	// With how many degrees of freedom what is left tells how large chance is, at least: the
	// dependence is estimated too, and where it comes out too long no change would be sure.
	leastDegrees = 7
	// No block counts for more than this: four times the one in the middle, or a fourth of it.
	// One in which answers were read in one piece after a stall has hardly any TPOT.
	farOut = 1.3863
	// It must surely be more than this.
	leastChange = 0.05
	// A step has at least this share of the blocks on each side, and three: a stall at
	// the end of a run is no drift.
	leastSide  = 0.10
	leastSides = 3
)

// FindShift fits a step at each place of a series and a line, and takes the one that leaves less;
// nil for too few values.
func FindShift(series []float64) *Shift {
	if len(series) < FewestInShift {
		return nil
	}
	values, middle := make([]float64, len(series)), Median(slices.Sorted(slices.Values(series)))
	for i, v := range series {
		values[i] = min(max(v-middle, -farOut), farOut)
	}
	step, line := fitStep(values), fitLine(values)
	if line.variance() < step.variance() {
		step = line
	}
	return step.judge()
}

// fit is a step or a line, and what it leaves of the values.
type fit struct {
	at     int
	change float64
	before float64   // what a step starts from
	spread float64   // variance of change, by that of a value
	places float64   // at which it was looked for
	rest   []float64 // of each value
	left   float64   // the squares of rest
}

// fitStep finds the place at which the values before and after differ most. The block in
// which it changes is both, and counts for neither.
func fitStep(values []float64) fit {
	n := len(values)
	side := max(leastSides, int(math.Ceil(leastSide*float64(n))))
	best, most := fit{at: side}, -1.0
	for k := side; k < n-side; k++ {
		a, b := MomentsOf(values[:k]), MomentsOf(values[k+1:])
		na, nb := float64(a.N), float64(b.N)
		change := b.Mean - a.Mean
		if explained := change * change * na * nb / (na + nb); explained > most {
			most = explained
			best = fit{at: k, change: change, spread: 1/na + 1/nb, places: float64(n - 2*side), before: a.Mean}
		}
	}
	rest := slices.Concat(values[:best.at], values[best.at+1:])
	return best.leave(rest, func(i int) float64 {
		if i < best.at {
			return best.before
		}
		return best.before + best.change
	})
}

// fitLine is the line of least squares, its change from the first value to the last. What
// bends is no chance either: what is left is left by a parabola.
func fitLine(values []float64) fit {
	n := float64(len(values))
	center, mean := (n-1)/2, Mean(values)
	x := func(i int) float64 { return float64(i) - center }
	bend := func(i int) float64 { return x(i)*x(i) - (n*n-1)/12 } // at right angles to the line
	var xx, xy, bb, by float64
	for i, v := range values {
		xx, xy = xx+x(i)*x(i), xy+x(i)*v
		bb, by = bb+bend(i)*bend(i), by+bend(i)*v
	}
	f := fit{change: xy / xx * (n - 1), spread: (n - 1) * (n - 1) / xx, places: 1}
	return f.leave(values, func(i int) float64 { return mean + xy/xx*x(i) + by/bb*bend(i) })
}

func (f fit) leave(values []float64, at func(i int) float64) fit {
	for i, v := range values {
		d := v - at(i)
		f.rest, f.left = append(f.rest, d), f.left+d*d
	}
	return f
}

// variance is that of a value around the fit.
func (f fit) variance() float64 { return f.left / float64(len(f.rest)-3) }

// judge holds the change against its standard error. Blocks that follow each other share
// some of their luck, so what is left of them is taken for a correlated series; and the
// best of many places looks good by chance more often than one.
func (f fit) judge() *Shift {
	together := max(DependenceOf(f.rest).Time, 1)
	const finest = 1e-3 // nobody's latencies are the same to a thousandth
	err := math.Sqrt(f.spread * max(f.variance()*together, finest*finest))
	degrees := max(float64(len(f.rest))/(1+2*together), leastDegrees)
	most := StudentQuantile(1-chanceOf/2/f.places, degrees)
	return &Shift{At: f.at, Change: f.change, Sure: (math.Abs(f.change) - leastChange) / err / most}
}
