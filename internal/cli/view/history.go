package view

import (
	"math"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/send/live"
)

// history are the states of the last minutes, as the sparklines need them.
type history struct{ samples []sample }

// sample is what one state adds to the sparklines; NaN is what it does not know.
type sample struct {
	time   int64 // Unix, nanoseconds
	values [lastSeries]float64
}

// series is one sparkline.
type series int

const (
	tokensRate series = iota
	requestRate
	inFlight
	ttftP50
	ttftP99
	itlP50
	itlP99
	lagP99
	queued
	cacheUse
	lastSeries
)

// keptFor is longer than the widest sparkline shows.
const keptFor = 10 * time.Minute

// worst says that of several values in a cell the highest is drawn: a spike must not be
// averaged away.
func (s series) worst() bool { return s == ttftP99 || s == itlP99 || s == lagP99 }

func (h *history) add(s *live.State) {
	p := sample{time: s.Time}
	for i := range p.values {
		p.values[i] = math.NaN()
	}
	if s.Phase == live.Preparing || s.Phase == live.WarmingUp {
		return // nothing of it is measured
	}
	p.values[tokensRate], p.values[requestRate], p.values[inFlight] = s.TokensPerS, s.RequestsPerS, float64(s.InFlight)
	set := func(w live.Window, p50, p99 series) {
		if w.Count > 0 {
			p.values[p50], p.values[p99] = w.P50, w.P99
		}
	}
	set(s.TTFT, ttftP50, ttftP99)
	set(s.ITL, itlP50, itlP99)
	if s.Lag.Count > 0 {
		p.values[lagP99] = s.Lag.P99
	}
	for _, server := range s.Servers {
		add(&p.values[queued], server.Waiting)
		if v := server.CacheUse; v != nil && !(p.values[cacheUse] >= *v) {
			p.values[cacheUse] = *v // the fullest of them
		}
	}
	first := 0
	for first < len(h.samples) && h.samples[first].time < s.Time-int64(keptFor) {
		first++
	}
	h.samples = append(h.samples[first:], p)
}

// add adds what is known to a sum that may not be known yet.
func add(sum *float64, v *float64) {
	switch {
	case v == nil:
	case math.IsNaN(*sum):
		*sum = *v
	default:
		*sum += *v
	}
}

// cells are the newest values of a series, each of a span of time, the newest last. NaN is a
// span of which nothing is known.
func (h *history) cells(s series, n int, span time.Duration) []float64 {
	out := make([]float64, n)
	count := make([]int, n)
	for i := range out {
		out[i] = math.NaN()
	}
	if len(h.samples) == 0 {
		return out
	}
	// Cells begin at multiples of the span, so that a value stays in its cell while it moves.
	last := h.samples[len(h.samples)-1].time / int64(span)
	for _, p := range slices.Backward(h.samples) {
		at := n - 1 - int(last-p.time/int64(span))
		if at < 0 {
			break
		}
		v := p.values[s]
		if at >= n || math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		switch {
		case count[at] == 0:
			out[at] = v
		case s.worst():
			out[at] = max(out[at], v)
		default:
			out[at] += (v - out[at]) / float64(count[at]+1)
		}
		count[at]++
	}
	return out
}

// highest is the highest value of a series in the spans of n cells; false: none is known. A cell
// may be a mean: what is shown as current must not be above what is shown as highest.
func (h *history) highest(s series, n int, span time.Duration) (top float64, known bool) {
	if len(h.samples) == 0 {
		return 0, false
	}
	first := h.samples[len(h.samples)-1].time/int64(span) - int64(n) + 1
	for _, p := range h.samples {
		if v := p.values[s]; p.time/int64(span) >= first && !math.IsNaN(v) && !math.IsInf(v, 0) {
			top, known = max(top, v), true
		}
	}
	return top, known
}

// spanOf is what one of n cells stands for: the line as a whole shows a minute or more.
func spanOf(n int) time.Duration {
	return time.Duration(max(1, (60+n-1)/max(n, 1))) * time.Second
}
