package replica

import (
	"math"

	"github.com/inferometer/inferometer/internal/stats"
)

// Load is how evenly requests went to the replicas. A field is nil where it does not exist: fewer than two replicas, or no request.
type Load struct {
	BusiestOverMean *float64 `json:"busiest_over_mean"`
	CV              *float64 `json:"cv"`           // coefficient of variation: standard deviation / mean
	MaxOverMin      *float64 `json:"max_over_min"` // nil too where one got nothing
	// Luck: a router that throws dice for each request leaves them as uneven in one run of a hundred, or more often.
	Luck bool `json:"may_be_luck"`
}

// LoadOf is that of requests per replica.
func LoadOf(requests []float64) (l Load) {
	if len(requests) < 2 {
		return l
	}
	m := stats.MomentsOf(requests)
	if !(m.Mean > 0) {
		return l
	}
	l.BusiestOverMean, l.CV = new(m.Max/m.Mean), new(stats.Std(requests)/m.Mean)
	if m.Min > 0 {
		l.MaxOverMin = new(m.Max / m.Min)
	}
	// Of dice the sum of (n − mean)² / mean has the law of χ² with a degree of freedom fewer than replicas.
	sum := 0.0
	for _, n := range requests {
		sum += (n - m.Mean) * (n - m.Mean) / m.Mean
	}
	l.Luck = sum <= chi99(float64(len(requests)-1))
	return l
}

// chi99 is the 99th percentile of χ², by Wilson and Hilferty: within 1 % for two degrees of freedom or more, and 2 % for one.
func chi99(degrees float64) float64 {
	v := 2 / (9 * degrees)
	return degrees * math.Pow(1-v+stats.NormalQuantile(0.99)*math.Sqrt(v), 3)
}
