package verdict

import "github.com/inferometer/inferometer/internal/judge/stats"

// batches are the means of values that came one after the other, 16 to 32 of them
// whatever the number of values. Neighbours in time share a queue and resemble each
// other, so that the error of a mean, taken from single values, would look too
// small; means of long batches hardly do.
type batches struct {
	size  int // values in a batch
	n     int // values in the batch under way
	sum   float64
	means []float64
}

const mostBatches = 32

func (b *batches) add(v float64) {
	b.size = max(b.size, 1)
	b.sum += v
	b.n++
	if b.n < b.size {
		return
	}
	b.means = append(b.means, b.sum/float64(b.n))
	b.n, b.sum = 0, 0
	if len(b.means) < mostBatches {
		return
	}
	for i := range mostBatches / 2 {
		b.means[i] = (b.means[2*i] + b.means[2*i+1]) / 2
	}
	b.means = b.means[:mostBatches/2]
	b.size *= 2
}

// relativeError is the standard error of the mean, as a share of it.
func (b *batches) relativeError() float64 {
	m := stats.MomentsOf(b.means)
	return ratio(m.StdError(), m.Mean)
}
