package batch

import (
	"slices"

	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/stats"
)

// LatencyPercentiles are those that vllm bench latency reports.
var LatencyPercentiles = []float64{10, 25, 50, 75, 90, 99}

// Latencies is how long batches of one shape took, each from its first
// request to the last token of its slowest.
type Latencies struct {
	Seconds  []float64 // one a batch, in the order sent
	Failures []string  // one for each batch that could not be counted
}

// LatenciesOf reads batches. tokens is how many each request must have
// generated; one that the server says generated fewer makes its batch fail.
func LatenciesOf(batches []Batch, tokens int) Latencies {
	var l Latencies
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
		l.Seconds = append(l.Seconds, row.Seconds(b.Latency()))
	}
	return l
}

// Mean is their mean; NaN without any.
func (l *Latencies) Mean() float64 { return stats.Mean(l.Seconds) }

// Percentiles are those of LatencyPercentiles, by NumPy's rule.
func (l *Latencies) Percentiles() []float64 {
	sorted := slices.Sorted(slices.Values(l.Seconds))
	values := make([]float64, len(LatencyPercentiles))
	for i, p := range LatencyPercentiles {
		values[i] = stats.Percentile(sorted, p)
	}
	return values
}
