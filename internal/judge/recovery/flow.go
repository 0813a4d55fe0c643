package recovery

import "math"

// flow is tokens per second before the first fault, in windows that are wide enough to tell.
type flow struct {
	width     int64 // of a window; 0: not known
	mean      float64
	low, much float64 // two windows one after the other below low, or one below much, are no chance
}

// windows are the widths that are tried, in seconds.
var windows = []int64{1, 2, 5, 10, 20, 30, 60}

// Before a fault there must be so many windows; more than half of the mean they may not differ by chance.
const (
	fewestWindows = 10
	calm          = 0.5 / 3
)

func (j *judge) flowBefore() flow {
	if !j.even() || j.run.Whole() {
		return flow{}
	}
	for _, s := range windows {
		width := s * 1_000_000_000
		var list []float64
		for at := j.to - width; at >= j.from; at -= width {
			list = append(list, j.tokensIn(at, at+width)/float64(s))
		}
		if len(list) < fewestWindows {
			return flow{}
		}
		mean, sd := moments(list)
		if mean <= 0 || sd > calm*mean || width < 4*j.tokens.Width {
			continue
		}
		enough := mean * (1 - j.within)
		return flow{width: width, mean: mean, low: min(enough, mean-4*sd), much: min(enough, mean-6*sd)}
	}
	return flow{}
}

// felt is when tokens came again as before, after a moment: none is 0. open: not before the end.
func (j *judge) felt(from, to int64) (end int64, open bool) {
	f := &j.flow
	to = min(to, j.last) // then a run drains
	before := math.Inf(1)
	for at := from; at+f.width <= to; at += f.width {
		now := j.tokensIn(at, at+f.width) * 1e9 / float64(f.width)
		low := now < f.much || now < f.low && before < f.low
		if low { // what came of it came at its end
			end = at + int64(float64(f.width)*min(1, max(0, 1-now/f.mean)))
		}
		open, before = low, now
	}
	return end, open
}

// tokensIn are those that came between two moments; a cell that lies in it by a part counts by that.
func (c *Collector) tokensIn(from, to int64) (sum float64) {
	w := c.tokens.Width
	for i := max(from/w, 0); i < int64(len(c.tokens.Cells)) && i*w < to; i++ {
		part := float64(min(to, (i+1)*w)-max(from, i*w)) / float64(w)
		sum += part * float64(c.tokens.Cells[i])
	}
	return sum
}
