package measure

import (
	"math"

	"github.com/inferometer/inferometer/internal/judge/sample"
)

// A gap is a stall if it is over so many times the run's median gap, or a second above
// it: readers of a slow server notice that too.
const (
	stallFactor = 10
	stallAbove  = 1e9 // ns
)

// Stalls are the inter-chunk gaps of the successes far above the run's median one:
// pauses that a reader notices, and that mean and percentiles hide.
type Stalls struct {
	Threshold float64 `json:"threshold_ms"` // ten times the median gap, at most a second above it
	Count     int     `json:"count"`        // gaps over it
	Requests  int     `json:"requests"`     // successes with at least one
	Share     float64 `json:"share"`        // of the successes: 0 to 1
	Longest   float64 `json:"longest_ms"`
	Total     float64 `json:"total_ms"` // the stalls' whole length
	// Error bounds the relative error of the threshold that was held against gaps,
	// and of the total, where the gaps were too many to keep.
	Error float64 `json:"relative_error,omitempty"`
}

// stalls are nil where no gap or a median of zero leaves nothing to compare with:
// then more than half of the chunks came together with the one before.
func (c *collector) stalls(completed int) *Stalls {
	all := c.gaps.Stats(nil)
	if all.Median <= 0 {
		return nil
	}
	// In nanoseconds, so that a gap of exactly ten medians is on one side for sure.
	twice := int64(math.Round(all.Median * 2e6))
	limit := min(twice*stallFactor, twice+2*stallAbove) / 2
	longest := c.sample("longest_gap")
	count, sum := c.gaps.Above(limit)
	requests, _ := longest.Above(limit)
	s := &Stalls{
		Threshold: min(all.Median*stallFactor, all.Median+stallAbove/1e6), Count: count, Requests: requests,
		Share: float64(requests) / float64(max(completed, 1)), Total: sum / 1e6,
	}
	if count > 0 {
		s.Longest = all.Max
	}
	if !c.gaps.Exact() {
		s.Error = 2 * sample.HistError // of the median, and of the gaps held against it
	}
	return s
}
