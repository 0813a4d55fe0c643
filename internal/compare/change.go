package compare

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/stats"
)

// Call says what a change is worth.
type Call string

// The calls.
const (
	Real    Call = "real"         // beyond noise, all metrics considered together
	Noise   Call = "within noise" // and a change that matters would have been seen
	Unclear Call = "unclear"      // a change that matters may hide in the noise
	Unknown Call = "unknown"      // the files do not tell how sure the values are
)

// Change is the difference of one side against the first, relative to it.
type Change struct {
	Ratio    float64 `json:"change"`  // 0.05: five percent more
	Bounded  bool    `json:"bounded"` // low and high are known
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	P        float64 `json:"p,omitempty"` // that noise alone gives so much; adjusted for the number of metrics
	Call     Call    `json:"call"`
	Smallest float64 `json:"smallest_visible,omitempty"` // change that would have been seen four times in five
	Runs     int     `json:"runs"`                       // of the side with fewer
}

// changeOf joins two intervals to that of the ratio (the method of Zou and Donner,
// on logarithms: each end goes in with its own distance, so that skewed intervals
// stay skewed). Nil where a value is missing or zero.
func changeOf(a, b estimate, level float64) *Change {
	if !a.known || !b.known || a.value <= 0 || b.value <= 0 {
		return nil
	}
	d := math.Log(b.value / a.value)
	c := &Change{Ratio: math.Expm1(d), Runs: min(a.runs, b.runs), Call: Unknown}
	if !a.bounded || !b.bounded || a.low <= 0 || b.low <= 0 {
		return c
	}
	below := math.Hypot(math.Log(b.value/b.low), math.Log(a.high/a.value))
	above := math.Hypot(math.Log(b.high/b.value), math.Log(a.value/a.low))
	c.Bounded, c.Low, c.High = true, math.Expm1(d-below), math.Expm1(d+above)

	// The interval's half-width towards zero, in normal deviations, tells how likely
	// noise alone is; what can be seen with a power of 80 % follows from it too.
	wide := stats.NormalQuantile((1 + level) / 2)
	towardsZero := below
	if d < 0 {
		towardsZero = above
	}
	c.P = tail(d, towardsZero, wide)
	c.Smallest = math.Expm1((below + above) / 2 / wide * (wide + stats.NormalQuantile(0.8)))
	return c
}

func tail(d, half, wide float64) float64 {
	if half <= 0 {
		if d == 0 {
			return 1
		}
		return 0
	}
	return math.Erfc(math.Abs(d) / half * wide / math.Sqrt2)
}

// call decides on each change. The more metrics are looked at, the more of them
// differ by chance: Holm's correction keeps the chance of one false "real" in the
// whole table at 1 − level.
func (c *Comparison) call(opt Options) {
	for side := 1; side < len(c.Sides); side++ {
		var all []*Change
		for i := range c.Rows {
			if ch := c.Rows[i].Cells[side].Change; ch != nil && ch.Bounded {
				all = append(all, ch)
			}
		}
		holm(all)
		for _, ch := range all {
			switch {
			case ch.P < 1-opt.Level:
				ch.Call = Real
			case max(math.Abs(ch.Low), math.Abs(ch.High)) <= opt.Interest || ch.Smallest <= opt.Interest:
				ch.Call = Noise
			default:
				ch.Call = Unclear
			}
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

func parsePercent(word string) (float64, error) {
	return strconv.ParseFloat(strings.TrimPrefix(word, "p"), 64)
}
