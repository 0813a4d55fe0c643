package explain

import (
	"maps"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/stats"
)

// dependence is how much of the time between tokens comes from the other requests in the
// batch: a server with room gives each request its tokens as fast as alone, one that is full
// shares what it has. It is read from the run itself: from moments with few requests that
// decode (its beginning, its end) and moments with many. What is known of it is an interval:
// a name follows only where all of it lies on one side.
type dependence struct {
	known           bool
	few, many       float64 // requests that decode
	gapFew, gapMany float64 // seconds between chunks
	share           float64 // of gapMany that would not be there with no other request
	low, high       float64 // of share: what the moments, chance and the bounds of times leave open
	unknown         string  // why it is not known
}

// room says that the other requests in the batch hardly matter, and full that they take a share at least.
func (d *dependence) room() bool                { return d.known && d.high <= ownGap }
func (d *dependence) full(atLeast float64) bool { return d.known && d.low >= atLeast }

// leavesOpen says why neither follows.
func (d *dependence) leavesOpen() string {
	low, high := max(d.low, 0), min(d.high, 1)
	if high-low > wideShare {
		return "they came too unevenly, or the run is too short, to tell whether other requests in the batch slow them down"
	}
	return "between " + percent(low) + " and " + percent(high) + " of that time comes from the others in the batch, so the server is neither clearly full nor clearly free"
}

// wideShare is an interval that says nothing.
const wideShare = 0.6

const (
	fewMoments  = 3 // with few requests: what one hiccup of a machine does is no evidence
	manyMoments = 10
	shortMoment = 10_000_000 // ns
	// The many are the half of the gaps with the most requests, and the few those with no more than three
	// quarters of what they have at the median: with less of a difference chance would decide.
	fewerThan = 0.75
	// The interval reaches so many standard errors of the few to either side, and so many times as far as chance moves as
	// many moments with many, which is seen in so many stretches of the run at least.
	sureErrors  = 2.5
	chanceTimes = 1.5
	fewWindows  = 10
	// slowerAlone: with few requests tokens may come later than with many by so much, and not more; then it is
	// something else that is seen.
	slowerAlone = 1.1
)

// moment is a short time with about as many requests that generate.
type moment struct {
	gaps      []float64 // ns
	low, high float64   // requests, sums over gaps: at least and at most
}

// value is the time between tokens: the lower quartile, since prompts that are computed in between lengthen some
// gaps, and are not what is asked for.
func (m *moment) value() float64 {
	slices.Sort(m.gaps)
	return stats.Percentile(m.gaps, 25)
}

// group are the moments with few requests, or those with many.
type group struct {
	at     map[int64]*moment
	values []float64 // of each moment
	ns     []float64 // requests of each, the middle of least and most
	low    float64   // requests at the median of the moments, at least and at most
	high   float64
}

func (g *group) add(at int64, gap float64, low, high int) {
	if g.at == nil {
		g.at = map[int64]*moment{}
	}
	m := g.at[at]
	if m == nil {
		m = &moment{}
		g.at[at] = m
	}
	m.gaps = append(m.gaps, gap)
	m.low, m.high = m.low+float64(low), m.high+float64(high)
}

func (g *group) settle() {
	var lows, highs []float64
	for _, at := range slices.Sorted(maps.Keys(g.at)) {
		m := g.at[at]
		n := float64(len(m.gaps))
		g.values, g.ns = append(g.values, m.value()), append(g.ns, (m.low+m.high)/2/n)
		lows, highs = append(lows, m.low/n), append(highs, m.high/n)
	}
	g.low, g.high = median(lows), median(highs)
}

// rests are what a line through the two groups leaves of the moments, in the order of time.
func (g *group) rests(slope, n, value float64) []float64 {
	out := make([]float64, len(g.values))
	for i, v := range g.values {
		out[i] = v - value - slope*(g.ns[i]-n)
	}
	return out
}

// byChance is how far the median of so many moments that follow each other lies from the middle of all, nineteen times of
// twenty: what hiccups of a machine do to it is in that, and that they come in heaps.
func byChance(rests []float64, moments int) float64 {
	long := max(min(moments, len(rests)/fewWindows), 1)
	var off []float64
	for from := 0; from+long <= len(rests); from += long {
		off = append(off, math.Abs(median(rests[from:from+long])))
	}
	slices.Sort(off)
	return stats.Percentile(off, 95) * math.Sqrt(float64(long)/float64(moments)) // fewer of them scatter more
}

// medianError is the standard error of the median of values around 0, some of which are far off.
func medianError(rests []float64) float64 {
	off := make([]float64, len(rests))
	for i, v := range rests {
		off[i] = math.Abs(v)
	}
	const normal = 1.4826 * 1.2533 // of a normal distribution: deviation by median deviation, and a median's error by a mean's
	return normal * median(off) / math.Sqrt(float64(len(rests)))
}

func median(values []float64) float64 { return stats.Median(slices.Sorted(slices.Values(values))) }

// dependence compares them. slack is by how much a mean time between tokens may be off, in ns.
func (t *times) dependence(slack float64) dependence {
	few, many := t.groups()
	switch {
	case len(many.at) < manyMoments:
		return dependence{unknown: "there are too few moments with tokens"}
	case len(few.at) < fewMoments:
		return dependence{unknown: "the number of requests in the batch hardly changed over the run"}
	}
	few.settle()
	many.settle()
	gapFew, gapMany := median(few.values), median(many.values)
	nFew, nMany := (few.low+few.high)/2, (many.low+many.high)/2
	// A step of a + b·n takes no less for the few than their share of what it takes for the many. Where it
	// seems to, what was sent lay in heaps on its way or before the client.
	if gapMany <= 0 || gapFew/gapMany < 0.8*nFew/nMany {
		return dependence{unknown: "tokens arrived in bursts"}
	}
	slope := (gapMany - gapFew) / (nMany - nFew)
	unsure := max(chanceTimes*byChance(many.rests(slope, nMany, gapMany), len(few.values)), sureErrors*medianError(few.rests(slope, nFew, gapFew))) + slack
	if gapFew-unsure > slowerAlone*gapMany {
		return dependence{unknown: "tokens came later with few requests than with many: something else slowed them down"}
	}
	share := func(difference, n float64) float64 { return difference / (nMany - n) * (nMany - 1) / gapMany }
	least, most := gapMany-gapFew-unsure, gapMany-gapFew+unsure
	return dependence{
		known: true, few: nFew, many: nMany, gapFew: gapFew / 1e9, gapMany: gapMany / 1e9,
		share: min(max(0, share(gapMany-gapFew, nFew)), 1),
		low:   min(share(least, few.low), share(least, few.high)), high: max(share(most, few.low), share(most, few.high)),
	}
}

// gapAmong is a time between tokens, with how many requests generated meanwhile.
type gapAmong struct {
	stretch
	gap       float64 // ns
	low, high int
}

// groups sorts the times between tokens by how many requests generated meanwhile.
func (t *times) groups() (few, many group) {
	decoding := t.decoding()
	var all []gapAmong
	var lows []int
	for _, s := range t.stretches {
		if s.to > t.until {
			continue
		}
		one := gapAmong{stretch: s, gap: float64(s.to-s.from) / float64(s.gaps)}
		one.low, _ = decoding.within(s.from, s.to)
		_, one.high = decoding.within(s.from-int64(one.gap), s.to) // a server may be a step behind
		all, lows = append(all, one), append(lows, one.low)
	}
	if len(all) == 0 {
		return few, many
	}
	slices.Sort(lows)
	middle := lows[len(lows)/2]
	if middle < 2 {
		return few, many
	}
	for _, s := range all {
		switch at := s.to / shortMoment; {
		case s.low >= middle:
			many.add(at, s.gap, s.low, s.high)
		case float64(s.high) <= fewerThan*float64(middle):
			few.add(at, s.gap, s.low, s.high)
		}
	}
	return few, many
}
