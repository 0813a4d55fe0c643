// Package clock estimates by how much an agent's clock is ahead of the leader's, and how
// wrong that can be. It is pure: times come in, bounds come out.
//
// One exchange gives two bounds that hold whatever the network does, because no message
// arrives before it is sent: the agent received it not before the leader sent it, and the
// leader had the answer not before the agent sent that.
//
//	answered - back  <=  offset  <=  received - sent
//
// Their middle is the usual estimate, and half their distance is half the round trip. An
// exchange of an earlier moment bounds the offset too, less well by what the clocks can
// have drifted since (MostDrift). The estimate is the middle of what all exchanges allow:
// the quickest ones decide (a minimum-delay filter, for each way by itself). When two
// exchanges contradict each other, a clock was set.
package clock

import (
	"math"
	"slices"
	"sort"
)

// MostDrift is by how much two clocks may run apart, as a part of the time that passes:
// each by 50 ppm, a usual bound of quartz. More than that is counted as a clock that was set.
const MostDrift = 100e-6

const (
	// mostMarks bounds what is kept of a clock.
	mostMarks = 1024
	// firstBin is how far apart marks are at first; it doubles each time that there are too many.
	firstBin = int64(1e9)
	mostBin  = int64(3600e9)
)

// Estimator gathers exchanges with one agent. Its zero value is ready. All times are in
// nanoseconds since 1970; those of the leader must not go back.
type Estimator struct {
	marks []mark // by time
	bin   int64  // within one of these there is one mark
	era   int    // counts up when a clock was set
}

// mark is what is known of the offset at one moment of the leader's clock.
type mark struct {
	at, low, high int64
	era           int
}

// width is half of what is left open.
func (m mark) width() int64 { return (m.high - m.low + 1) / 2 }

// Add takes one exchange: sent and back by the leader's clock, received and answered by the
// agent's. One that can't have happened on two clocks that run says that one was set.
func (e *Estimator) Add(sent, received, answered, back int64) {
	for _, t := range []int64{sent, received, answered, back} {
		if t < 0 || t > math.MaxInt64/4 {
			return // no time of these centuries: a message that is wrong, and no clock
		}
	}
	if back < sent {
		return // the leader's own clock went back: nothing can be said of that moment
	}
	// The bounds hold at two moments within the exchange, and are moved to its middle.
	half := (back - sent + 1) / 2
	m := mark{at: sent + (back-sent)/2, low: answered - back - drifted(half), high: received - sent + drifted(half), era: e.era}
	if answered < received || m.low > m.high {
		e.era++ // what was known before says nothing of what comes
		return
	}
	for _, old := range e.marks {
		if old.era != e.era {
			continue
		}
		if low, high := old.then(m.at); low > m.high || high < m.low {
			e.era++ // what was known before says nothing of what comes
			m.era = e.era
			break
		}
	}
	e.keep(m)
}

// keep puts a mark where it belongs, together with others of its bin.
func (e *Estimator) keep(m mark) {
	if e.bin == 0 {
		e.bin = firstBin
	}
	at, _ := slices.BinarySearchFunc(e.marks, m, func(a, b mark) int {
		if a.at <= b.at {
			return -1
		}
		return 1
	})
	e.marks = slices.Insert(e.marks, at, m)
	if at > 0 && e.together(e.marks[at-1], m) {
		e.marks[at-1] = joined(e.marks[at-1], m)
		e.marks = slices.Delete(e.marks, at, at+1)
	}
	if len(e.marks) > mostMarks {
		e.thin()
	}
}

// thin makes marks fewer: neighbours are joined. A clock that is set all the time leaves
// nothing to join, and then the oldest go.
func (e *Estimator) thin() {
	e.bin = min(2*e.bin, mostBin)
	kept := e.marks[:1]
	for _, m := range e.marks[1:] {
		if last := &kept[len(kept)-1]; e.together(*last, m) {
			*last = joined(*last, m)
		} else {
			kept = append(kept, m)
		}
	}
	e.marks = kept
	if len(e.marks) > mostMarks*3/4 {
		e.marks = slices.Delete(e.marks, 0, mostMarks/4)
	}
}

func (e *Estimator) together(a, b mark) bool {
	return a.era == b.era && a.at/e.bin == b.at/e.bin
}

// joined is what both say, at the moment of the better one.
func joined(a, b mark) mark {
	if b.width() < a.width() {
		a, b = b, a
	}
	low, high := b.then(a.at)
	a.low, a.high = max(a.low, low), min(a.high, high)
	return a
}

// then is what a mark says of another moment.
func (m mark) then(at int64) (low, high int64) {
	d := drifted(max(at-m.at, m.at-at))
	return m.low - d, m.high + d
}

func drifted(ns int64) int64 { return int64(math.Ceil(float64(ns) * MostDrift)) }

// At is the agent's clock minus the leader's at a moment of the leader's clock, and how wrong that can be. ok is false
// before the first exchange. Far from all exchanges the error is
// large; between two of which the clock was set it covers both.
func (e *Estimator) At(leader int64) (offset, err int64, ok bool) {
	if len(e.marks) == 0 {
		return 0, 0, false
	}
	leader = min(max(leader, 0), math.MaxInt64/4)
	after := sort.Search(len(e.marks), func(i int) bool { return e.marks[i].at > leader })
	first, last := e.marks[max(after-1, 0)].era, e.marks[min(after, len(e.marks)-1)].era
	low, high := e.within(first, leader)
	if last != first {
		otherLow, otherHigh := e.within(last, leader)
		low, high = min(low, otherLow), max(high, otherHigh)
	}
	return low + (high-low)/2, (high - low + 1) / 2, true
}

// Over is one offset for all of the time from one moment of the leader's clock to another,
// with an error that covers how it changed in between.
func (e *Estimator) Over(from, to int64) (offset, err int64, ok bool) {
	if len(e.marks) == 0 {
		return 0, 0, false
	}
	low, high := int64(math.MaxInt64/2), int64(math.MinInt64/2)
	last := from
	see := func(at int64) {
		// Between two moments the offset can have left its bounds there, and come back.
		between := drifted((at - last + 1) / 2)
		for _, end := range []int64{last, at} {
			offset, err, _ := e.At(end)
			low, high = min(low, offset-err-between), max(high, offset+err+between)
		}
		last = at
	}
	for _, m := range e.marks {
		if from < m.at && m.at < to {
			see(m.at)
		}
	}
	see(max(to, from))
	return low + (high-low)/2, (high - low + 1) / 2, true
}

// within is what the exchanges of one era say of a moment.
func (e *Estimator) within(era int, at int64) (low, high int64) {
	low, high = math.MinInt64/2, math.MaxInt64/2
	for _, m := range e.marks {
		if m.era == era {
			l, h := m.then(at)
			low, high = max(low, l), min(high, h)
		}
	}
	return low, high
}
