package compare

import (
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/stats"
)

// Call classifies a change.
type Call string

// The calls.
const (
	Real    Call = "real"         // beyond noise, all numbers of the table considered together; both sides have repeats
	Noise   Call = "within noise" // and all of its interval, corrected as well, is too small to matter
	Differs Call = "differs"      // in these runs; one run per side can't tell whether the servers do
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
	Needs    *Needs  `json:"needs,omitempty"`            // what would decide it, where it is not decided
	Why      string  `json:"why,omitempty"`              // why the error is not known, where the file tells

	log          float64 // of the ratio
	below, above float64 // its standard errors
	degrees      float64 // with which they are known, where the law is Student's
	mixed        mixture // the law with what drifts between runs
	under, over  float64 // what it may be off by for other reasons than chance
	each         float64 // standard error of the change with one run per side
	exact        bool    // nothing drifts
}

// Needs is what would decide an open change.
type Needs struct {
	Runs   int     `json:"runs,omitempty"` // a side; 0: more than MaxRuns
	Change float64 `json:"change"`         // of the size that they would decide
	Off    float64 `json:"off,omitempty"`  // the values may be off by so much, which no number of runs decides
}

// changeOf joins two estimates to that of the ratio (the method of Zou and Donner, on
// logarithms: each end goes in with its own distance, so that skewed intervals stay
// skewed). Nil where a value is missing or zero.
func changeOf(a, b estimate) *Change {
	if !a.known || !b.known || a.value <= 0 || b.value <= 0 {
		return nil
	}
	d := math.Log(b.value / a.value)
	c := &Change{Ratio: relative(d), Runs: min(a.runs, b.runs), Call: Unknown, log: d, exact: a.exact && b.exact, Why: a.why}
	if !a.bounded || !b.bounded {
		if b.why != "" {
			c.Why = b.why
		}
		return c
	}
	c.Bounded, c.Why = true, ""
	c.under, c.over = b.under+a.over, b.over+a.under
	c.below, c.above = math.Hypot(b.below, a.above), math.Hypot(b.above, a.below)
	c.each = math.Hypot((a.below+a.above)/2*math.Sqrt(float64(a.runs)), (b.below+b.above)/2*math.Sqrt(float64(b.runs)))
	if a.mixed != nil && b.mixed != nil {
		c.mixed = b.mixed.over(a.mixed)
		c.each = math.Hypot(a.mixed.typical()*math.Sqrt(float64(a.runs)), b.mixed.typical()*math.Sqrt(float64(b.runs)))
		return c
	}
	towardsZero := []float64{b.below * b.below, a.above * a.above}
	if d < 0 {
		towardsZero = []float64{b.above * b.above, a.below * a.below}
	}
	c.degrees = stats.WelchDegrees(towardsZero, []float64{b.degrees, a.degrees}) // Student's law
	return c
}

// spreads is how much more the runs of one side differ than those of the first, over all
// metrics: the mean logarithm of the ratio of their variances.
type spreads struct {
	logRatio stats.Moments
	a, b     float64 // degrees of freedom, of the first side and of this one
}

func (s *spreads) add(a, b *estimate) {
	if a.exact || b.exact || a.mixed != nil || b.mixed != nil { // not from how much runs differ alone
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
	if c != nil && c.Bounded && c.Runs > 1 && c.mixed == nil {
		c.degrees = min(c.degrees, s.degrees())
	}
}

// relative is the change of a ratio with this logarithm. Beyond e¹⁰⁰ it is only known to
// be absurd, and a file needs a number.
func relative(log float64) float64 { return math.Expm1(min(log, 100)) }

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

// decide calls a change by its adjusted P. each is the share of error of one number. One run per side can't tell what drifts between
// runs from a change of the server: it is never called real, whatever P.
func (c *Change) decide(whole, each, interest float64) {
	low, high := c.interval(each)
	reach := (c.reach(each/2, false) + c.reach(each/2, true) + c.reach(0.2, false) + c.reach(0.2, true) + c.under + c.over) / 2
	c.Smallest = relative(reach)
	switch {
	case c.P < whole && (c.Runs > 1 || c.exact):
		c.Call = Real
	case -low <= interest && high <= interest:
		c.Call = Noise
	case c.Runs == 1 && !c.exact && (c.Low > 0 || c.High < 0):
		c.Call = Differs
	default:
		c.Call = Unclear
	}
	if (c.Call == Unclear || c.Call == Differs) && !c.exact {
		size := max(math.Abs(c.log), math.Log1p(interest))
		c.Needs = &Needs{Runs: c.needs(size, each), Change: max(math.Abs(c.Ratio), interest)}
		if off := (c.under + c.over) / 2; off >= size {
			c.Needs.Off = relative(off)
		}
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
