package history

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/inferometer/inferometer/internal/stats"
)

// Change is a place where a metric began to be another.
type Change struct {
	At            int     // the first value after it: an index into the values
	Before, After float64 // geometric means of the stretch before and of the one after
	Ratio         float64 // After / Before - 1
	Low, High     float64 // the 95 % interval of Ratio
}

const (
	// leastStretch is how many values stand on each side of a change: a single freak
	// run is none.
	leastStretch = 3
	// LeastValues is in how many a change can be seen at all: seven can be three and
	// four in 35 ways, so chance alone sets them apart in 2 of 35 orders, which is not rare.
	LeastValues = 8
	// How often chance alone may look like a change, in a series that has none: once
	// for a step that stays, once for a stretch that comes and goes. Together below 5 %.
	stepLevel, stretchLevel = 0.03, 0.01
	// Once a series is cut, chance has more places to be found at: in a part only so
	// much of the level is left.
	partShare    = 1.0 / 3
	permutations = 2000
	// MostValues is how many of the newest values are looked at: the search for
	// stretches takes the square of their number.
	MostValues = 200
	level      = 0.95
)

// Changes finds where a series of values, in the order of time, changes. Values are
// compared as logarithms, so that a change is a ratio; those that are not above zero
// are left out. The same values give the same answer.
//
// It asks which split, or which stretch in the middle, sets its values apart best
// (the likelihood ratio of two means), and how often the same values in random order
// do as well. If that is rare, the series is cut there, and the parts are searched
// again. No assumption is made on how the noise is spread, but that runs are
// exchangeable while nothing changes: a slow drift is shown as one or several steps.
func Changes(values []float64) []Change {
	var logs []float64
	var place []int // of logs, in values
	for i, v := range values {
		if v > 0 && !math.IsInf(v, 0) {
			logs, place = append(logs, math.Log(v)), append(place, i)
		}
	}
	if drop := len(logs) - MostValues; drop > 0 {
		logs, place = logs[drop:], place[drop:]
	}
	s := &search{logs: logs, random: rand.New(rand.NewPCG(1, uint64(len(logs))))}
	s.cut(0, len(logs), 1)
	s.settle()
	var out []Change
	ends := append(append([]int{0}, s.cuts...), len(logs))
	for i := 1; i < len(ends)-1; i++ {
		c := contrast(logs[ends[i-1]:ends[i]], logs[ends[i]:ends[i+1]])
		c.At = place[ends[i]]
		out = append(out, c)
	}
	return out
}

// contrast compares two stretches: Welch's interval of the difference of their logarithms.
func contrast(a, b []float64) Change {
	ma, mb := stats.MomentsOf(a), stats.MomentsOf(b)
	ea, eb := ma.Variance()/float64(len(a)), mb.Variance()/float64(len(b))
	diff, half := mb.Mean-ma.Mean, 0.0
	if ea+eb > 0 {
		degrees := stats.WelchDegrees([]float64{ea, eb}, []float64{ma.Degrees(), mb.Degrees()})
		half = stats.StudentQuantile((1+level)/2, degrees) * math.Sqrt(ea+eb)
	}
	return Change{Before: math.Exp(ma.Mean), After: math.Exp(mb.Mean), Ratio: math.Expm1(diff), Low: math.Expm1(diff - half), High: math.Expm1(diff + half)}
}

// search holds the cuts that were found, in order.
type search struct {
	logs   []float64
	random *rand.Rand
	cuts   []int
}

// cut looks for changes within [from, to), at a share of the levels.
func (s *search) cut(from, to int, share float64) {
	part := s.logs[from:to]
	if len(part) < LeastValues {
		return
	}
	if at, ok := s.test(part, bestSplit, share*stepLevel); ok {
		s.cutAt(from, from+at.from, to)
		return
	}
	if len(part) < 3*leastStretch {
		return
	}
	if at, ok := s.test(part, bestStretch, share*stretchLevel); ok {
		s.cutAt(from, from+at.from, from+at.to, to)
	}
}

// cutAt keeps the inner ones of these ends, and searches between all of them.
func (s *search) cutAt(ends ...int) {
	s.cuts = append(s.cuts, ends[1:len(ends)-1]...)
	slices.Sort(s.cuts)
	for i := 1; i < len(ends); i++ {
		s.cut(ends[i-1], ends[i], partShare)
	}
}

// settle tests each cut again between its neighbours, moves it to the best place
// there, and drops it where it is none any more: a first cut was chosen when the
// others were not known.
func (s *search) settle() {
	for i := 0; i < len(s.cuts); {
		from, to := 0, len(s.logs)
		if i > 0 {
			from = s.cuts[i-1]
		}
		if i+1 < len(s.cuts) {
			to = s.cuts[i+1]
		}
		at, ok := s.test(s.logs[from:to], bestSplit, stepLevel)
		if !ok {
			s.cuts = slices.Delete(s.cuts, i, i+1)
			i = max(i-1, 0)
			continue
		}
		s.cuts[i] = from + at.from
		i++
	}
}

// stretch is a part [from, to) of values, and how well it is set apart from the rest.
type stretch struct {
	from, to int
	apart    float64
}

// test finds the best place and says whether it is better than chance at a level.
func (s *search) test(part []float64, best func(sums []float64) stretch, level float64) (stretch, bool) {
	shuffled, sums := slices.Clone(part), make([]float64, len(part)+1)
	mean := stats.Mean(part)
	for i := range shuffled {
		shuffled[i] -= mean // so that sums stay small, and equal values give exactly 0
	}
	found := best(prefix(sums, shuffled))
	if found.apart <= 1e-18 {
		return found, false
	}
	limit, asGood := int(level*(permutations+1)), 1 // the real order is one of them
	for range permutations {
		s.random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if best(prefix(sums, shuffled)).apart >= found.apart*(1-1e-9) {
			if asGood++; asGood > limit {
				return found, false
			}
		}
	}
	return found, true
}

// prefix are the sums of the first 0, 1, 2… values.
func prefix(sums, values []float64) []float64 {
	for i, v := range values {
		sums[i+1] = sums[i] + v
	}
	return sums
}

// bestSplit is where the values before and after differ most. The values' mean is 0,
// so the sum of the first k is enough: n·sum²/(k·(n-k)) is what the split explains
// of the squares.
func bestSplit(sums []float64) stretch {
	n := len(sums) - 1
	best := stretch{}
	for k := leastStretch; k <= n-leastStretch; k++ {
		if apart := sums[k] * sums[k] / float64(k*(n-k)); apart > best.apart {
			best = stretch{k, n, apart}
		}
	}
	return best
}

// bestStretch is the part in the middle that differs most from the rest.
func bestStretch(sums []float64) stretch {
	n := len(sums) - 1
	best := stretch{}
	for i := leastStretch; i <= n-2*leastStretch; i++ {
		for j := i + leastStretch; j <= n-leastStretch; j++ {
			sum, k := sums[j]-sums[i], j-i
			if apart := sum * sum / float64(k*(n-k)); apart > best.apart {
				best = stretch{i, j, apart}
			}
		}
	}
	return best
}
