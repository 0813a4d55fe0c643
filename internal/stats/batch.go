package stats

import "math"

// The number of batches: enough to know their variance, few enough that each is
// long against the correlation of the series.
const (
	fewBatches  = 10
	manyBatches = 40
	// timesPerBatch is how many autocorrelation times a batch lasts.
	timesPerBatch = 5
)

// BatchMeans is the interval of the mean of a series that may be correlated: it is
// cut into batches of equal length, whose means are nearly independent, and
//
//	half = t(batches − 1) · s / √batches,   s: standard deviation of the batch means
//
// A batch is five autocorrelation times of the series long, and a fortieth of it at
// least. Ten batches are made where so many don't fit; the interval is then too narrow,
// and short says so.
func BatchMeans(series []float64, level float64) (mean, half float64, batches int, short bool) {
	n := len(series)
	batches = min(manyBatches, int(float64(n)/(timesPerBatch*max(DependenceOf(series).Time, 0.2))))
	if batches < fewBatches {
		batches, short = min(fewBatches, n), true
	}
	if batches < 2 {
		return 0, math.Inf(1), batches, true
	}
	var m Moments
	for b := range batches {
		from, to := b*n/batches, (b+1)*n/batches
		sum := 0.0
		for _, v := range series[from:to] {
			sum += v
		}
		m.Add(sum / float64(to-from))
	}
	half = StudentQuantile((1+level)/2, float64(batches-1)) * m.StdError()
	return m.Mean, half, batches, short
}
