package bounds

import (
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/hist"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/sample"
)

// heldValues are values of a sample during which the client was held up: the machine stood still, or others had its
// processors. How much each is longer for it is not known, since a server that sleeps loses nothing. But none is longer by
// more than it was held up for, and none would be shorter than is usual.
type heldValues struct{ was, low *hist.Histogram }

// unseen: a timer each 5 ms sees of a short stop about a half.
const unseen = 2

func (h *heldValues) add(v, by int64) {
	if by <= 0 {
		return
	}
	if h.was == nil {
		h.was, h.low = hist.New(hist.FullBits), hist.New(hist.FullBits)
	}
	h.was.Add(v)
	h.low.Add(max(v-by, 0))
}

// usual is how long a value is as a rule, in nanoseconds.
func usual(all *hist.Histogram) int64 { return int64(all.Percentile(50)) }

// unsure are these values with their lower ends, none below least, and with what is likely, none below what is usual.
func (h *heldValues) unsure(s *sample.Sample, least, likely int64) (u uncertain) {
	if h.was == nil {
		return u
	}
	all := s.Histogram()
	u = uncertain{n: h.was.Count(), was: h.was, high: h.was, mostSure: int64(all.Moments().Max)} // one value alone is not judged
	u.low, u.less = h.not(least)
	u.even, u.moved = h.not(likely)
	u.moved = -u.moved
	return u
}

// not are the lower ends of the values, none below a bound but for what was below it anyway; and by how much shorter they are
// together. Of two histograms that is as exact as of pairs: what was below the bound stays, and of the others those that
// would fall below it are as many as are left.
func (h *heldValues) not(below int64) (low *hist.Histogram, less float64) {
	low = hist.New(hist.FullBits)
	left := int64(h.was.Count())
	add := func(ns, n int64) {
		for ; n > 0 && left > 0; n, left = n-1, left-1 {
			low.Add(ns)
			less -= float64(ns)
		}
	}
	for i, n := range h.was.All() {
		ns, _ := h.was.Bounds(i)
		if less += float64(n) * float64(ns); ns < below {
			add(ns, n)
		}
	}
	for i, n := range h.low.All() {
		if ns, _ := h.low.Bounds(i); ns >= below {
			add(ns, n)
		}
	}
	add(below, left)
	return low, max(less, 0)
}

// heldIn is by how much a request's first token chunk can be late, and by how much the time from there to its last one can be too
// long, because the client was held up; and gap is told of each gap between two of them in which it was.
func heldIn(r *row.Request, gap func(ns, by int64)) (first, rest int64) {
	ev := &r.Events
	if len(ev.Held) == 0 {
		return 0, 0
	}
	held, at, by, last := 0, int64(0), int64(0), int64(-1)
	var gaps, delays []int64
	for i, ns := range ev.At {
		at += ns
		if held < len(ev.Held) && ev.Held[held] == i {
			by += unseen * ev.HeldNs[held]
			held++
		}
		if ev.Kind[i]&journal.EventChoices == 0 {
			continue
		}
		if last < 0 {
			first = by
		} else {
			gaps, delays = append(gaps, at-last), append(delays, by)
			if by > 0 {
				gap(at-last, by)
			}
		}
		last, by = at, 0
	}
	return first, tooLong(gaps, delays)
}

// tooLong is by how much some gaps are longer than is usual among them where they were held up. What a server makes good
// in the gaps after one is not lost.
func tooLong(gaps, delays []int64) (by int64) {
	if len(gaps) == 0 {
		return 0
	}
	usual := slices.Sorted(slices.Values(gaps))[len(gaps)/2]
	longer := int64(0)
	for i, ns := range gaps {
		longer += ns - usual
		by += min(delays[i], max(ns-usual, 0))
	}
	return max(min(by, longer), 0)
}

// turns are how often other programs have the processor when it is our turn, and for how long: a server on the same
// machine waits as often, at other moments.
type turns struct {
	share float64 // of the times that something was due
	ns    float64 // for how long, on average
}

// turnsOf takes them from the samples of one client.
func turnsOf(samples []journal.Sample) (t turns) {
	if len(samples) < 2 {
		return t
	}
	a, b := &samples[0], &samples[len(samples)-1]
	wakes, late, ns := b.Wakes-a.Wakes, b.Late-a.Late, b.LateNs-a.LateNs
	if wakes > 0 && late > 0 && ns > 0 {
		t = turns{float64(late) / float64(wakes), float64(ns) / float64(late)}
	}
	return t
}

// below is by how much a percentile can be too long for them, where a value takes so many wake-ups of the server: not by
// more than twice a usual turn, nor further than to the percentile that lies as many values lower as can be late.
func (t turns) below(s *sample.Sample, p, value, wakeups float64) float64 {
	share := min(wakeups*t.share, 1)
	return min(2*t.ns/1e6, value-s.Histogram().Percentile(max(p-100*share, 0))/1e6)
}
