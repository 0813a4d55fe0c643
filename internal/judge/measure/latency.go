package measure

import (
	"slices"

	"github.com/inferometer/inferometer/internal/judge/stats"
)

// LatencyPercentiles are those that vllm bench latency reports.
var LatencyPercentiles = []float64{10, 25, 50, 75, 90, 99}

// BatchLatencies is how long batches of one shape took, each from its first
// request to the last token of its slowest.
type BatchLatencies struct {
	Seconds  []float64 // one a batch, in the order sent
	Failures []string  // one for each batch that could not be counted
}

// MeasureLatencies reads batches. tokens is how many each request must have
// generated; one that the server says generated fewer makes its batch fail.
func MeasureLatencies(batches []Batch, tokens int) BatchLatencies {
	var l BatchLatencies
	for i := range batches {
		b := &batches[i]
		err := b.Failure()
		if err == nil {
			err = b.shorter(tokens)
		}
		if err != nil {
			l.Failures = append(l.Failures, err.Error())
			continue
		}
		l.Seconds = append(l.Seconds, seconds(b.Latency()))
	}
	return l
}

// Mean is their mean; NaN without any.
func (l *BatchLatencies) Mean() float64 { return stats.Mean(l.Seconds) }

// Percentiles are those of LatencyPercentiles, by NumPy's rule.
func (l *BatchLatencies) Percentiles() []float64 {
	sorted := slices.Sorted(slices.Values(l.Seconds))
	values := make([]float64, len(LatencyPercentiles))
	for i, p := range LatencyPercentiles {
		values[i] = stats.Percentile(sorted, p)
	}
	return values
}
