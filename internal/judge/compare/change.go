package compare

import (
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/stats"
)

// Call classifies a change.
type Call string

// The calls.
const (
	Real    Call = "real"         // beyond noise, all numbers of the table considered together
	Noise   Call = "within noise" // and all of its interval, corrected as well, is too small to matter
	Unclear Call = "unclear"      // a change that matters may hide in the noise
	Unknown Call = "unknown"      // the files do not tell how sure the values are
)

// Change is the difference of one side against the first, relative to it.
type Change struct {
	Ratio    float64 `json:"change"`  // 0.05: five percent more
	Bounded  bool    `json:"bounded"` // low and high are known
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	P        float64 `json:"p,omitempty"` // that noise alone gives so much; adjusted for all numbers of the table
	Call     Call    `json:"call"`
	Smallest float64 `json:"smallest_visible,omitempty"` // change that would have been called real four times in five
	Runs     int     `json:"runs"`                       // of the side with fewer

	log          float64 // of the ratio
	below, above float64 // its standard errors
	degrees      float64 // with which they are known
}

// changeOf joins two estimates to that of the ratio (the method of Zou and Donner, on
// logarithms: each end goes in with its own distance, so that skewed intervals stay
// skewed; the degrees of freedom are Welch's). Nil where a value is missing or zero.
func changeOf(a, b estimate) *Change {
	if !a.known || !b.known || a.value <= 0 || b.value <= 0 {
		return nil
	}
	d := math.Log(b.value / a.value)
	c := &Change{Ratio: relative(d), Runs: min(a.runs, b.runs), Call: Unknown, log: d}
	if !a.bounded || !b.bounded {
		return c
	}
	c.Bounded = true
	c.below, c.above = math.Hypot(b.below, a.above), math.Hypot(b.above, a.below)
	towardsZero := []float64{b.below * b.below, a.above * a.above}
	if d < 0 {
		towardsZero = []float64{b.above * b.above, a.below * a.below}
	}
	c.degrees = stats.WelchDegrees(towardsZero, []float64{b.degrees, a.degrees})
	return c
}

// spreads is how much more the runs of one side differ than those of the first, over all
// metrics: the mean logarithm of the ratio of their variances.
type spreads struct {
	logRatio stats.Moments
	a, b     float64 // degrees of freedom, of the first side and of this one
}

func (s *spreads) add(a, b *estimate) {
	if math.IsInf(a.degrees, 1) || math.IsInf(b.degrees, 1) { // of questions: not from how much runs differ
		return
	}
	if a.runs > 1 && b.runs > 1 && a.bounded && b.bounded && a.below > 0 && b.below > 0 {
		s.logRatio.Add(2 * math.Log(b.below/a.below))
		s.a, s.b = a.degrees, b.degrees
	}
}

// degrees of freedom that the ratio allows; infinite where no metric tells it.
func (s *spreads) degrees() float64 {
	if s.logRatio.N == 0 {
		return math.Inf(1)
	}
	return stats.WelchDegrees([]float64{math.Exp(s.logRatio.Mean), 1}, []float64{s.b, s.a})
}

// steady keeps Welch's degrees from being too many. They come from the ratio of two
// variances of few runs: where one side's runs spread far more than the other's, those
// metrics whose spread comes out small by chance get the more degrees for it, and
// among many metrics there is always one. All metrics together know the ratio better.
func (c *Change) steady(s *spreads) {
	if c != nil && c.Bounded && c.Runs > 1 {
		c.degrees = min(c.degrees, s.degrees())
	}
}

// relative is the change of a ratio with this logarithm. Beyond e¹⁰⁰ it is only known to
// be absurd, and a file needs a number.
func relative(log float64) float64 { return math.Expm1(min(log, 100)) }

// tail is the probability that noise alone gives a change of this size, on either side.
func (c *Change) tail() float64 {
	err := c.below // towards no change
	if c.log < 0 {
		err = c.above
	}
	switch {
	case c.log == 0:
		return 1
	case err == 0:
		return 0
	}
	return stats.StudentTail(c.log/err, c.degrees)
}

// interval holds the true change but for this share of cases.
func (c *Change) interval(share float64) (low, high float64) {
	t := stats.StudentQuantile(1-share/2, c.degrees)
	return relative(c.log - t*c.below), relative(c.log + t*c.above)
}

// call decides on each change. The more numbers are looked at, the more of them
// differ by chance: Holm's correction over all metrics of all sides keeps the chance of
// one false "real" in the whole table at 1 − level. What is called within noise must be
// so at the level of a single number of that table too: the share of error that it returns.
func (c *Comparison) call(opt Options) (each float64) {
	var all []*Change
	for i := range c.Rows {
		for side := range c.Rows[i].Cells {
			if ch := c.Rows[i].Cells[side].Change; ch != nil && ch.Bounded {
				ch.P = ch.tail()
				ch.Low, ch.High = ch.interval(1 - opt.Level)
				all = append(all, ch)
			}
		}
	}
	holm(all)
	each = (1 - opt.Level) / float64(max(len(all), 1)*opt.Tables)
	for _, ch := range all {
		ch.P = min(ch.P*float64(opt.Tables), 1) // a false alarm in any of the tables is one
		ch.decide(1-opt.Level, each, opt.Interest)
	}
	return each
}

// decide calls a change by its adjusted P. each is the share of error of one number.
func (c *Change) decide(whole, each, interest float64) {
	t := stats.StudentQuantile(1-each/2, c.degrees)
	c.Smallest = relative((c.below + c.above) / 2 * (t + stats.StudentQuantile(0.8, c.degrees)))
	low, high := relative(c.log-t*c.below), relative(c.log+t*c.above)
	switch {
	case c.P < whole:
		c.Call = Real
	case -low <= interest && high <= interest:
		c.Call = Noise
	default:
		c.Call = Unclear
	}
}

// holm adjusts p-values for their number.
func holm(changes []*Change) {
	order := slices.Clone(changes)
	slices.SortFunc(order, func(a, b *Change) int {
		switch {
		case a.P < b.P:
			return -1
		case a.P > b.P:
			return 1
		}
		return 0
	})
	most := 0.0
	for i, ch := range order {
		most = max(most, min(ch.P*float64(len(order)-i), 1))
		ch.P = most
	}
}
