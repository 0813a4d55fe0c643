package explain

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/serving"
)

// fullSteps is the share of a server's steps with more than half as many tokens as its largest, by the
// histogram of them before and after the load; NaN: not known. Where prompts fill every step it is near
// 1; where a batch generates, and takes a prompt in now and then, it is small.
func fullSteps(scrapes []journal.Scrape, s *server) float64 {
	name := strings.TrimSuffix(s.Name[serving.Iterations], "_count")
	counts := map[float64]float64{} // up to an upper bound
	seen := 0
	for i := range scrapes {
		buckets := scrapes[i].Buckets[name]
		if buckets == nil {
			buckets = scrapes[i].Buckets[name+"_bucket"]
		}
		if scrapes[i].Target != s.Target || scrapes[i].Replica != s.Replica || buckets == nil {
			continue
		}
		sign := -1.0
		if scrapes[i].After {
			sign = 1
		}
		seen++
		for text, n := range buckets {
			if bound, err := strconv.ParseFloat(text, 64); err == nil {
				counts[bound] += sign * n
			}
		}
	}
	if seen != 2 {
		return math.NaN()
	}
	return largeShare(counts)
}

// largeShare is the share in the highest bucket that is not empty, and in those that lie above half of its bound.
func largeShare(upTo map[float64]float64) float64 {
	var bounds []float64
	for b := range upTo {
		bounds = append(bounds, b)
	}
	slices.Sort(bounds)
	if len(bounds) < 2 {
		return math.NaN()
	}
	all := upTo[bounds[len(bounds)-1]]
	if !(all > 0) {
		return math.NaN()
	}
	// A hundredth of the steps may be larger than all others: the first ones, when a run fills up.
	top := 0
	for top < len(bounds)-1 && upTo[bounds[top]] < 0.99*all {
		top++
	}
	below := 0.0
	for _, b := range bounds[:top] {
		if b <= bounds[top]/2 {
			below = upTo[b]
		}
	}
	return 1 - below/all
}
