package selftest

import (
	"slices"
	"time"
)

// Spread is a distribution of errors.
type Spread struct {
	N                           int
	Min, Median, P99, P999, Max time.Duration
}

// spreadOf sorts the values in place. A percentile is a value that was there, the
// next one above: of fewer than 100 the p99 is the largest.
func spreadOf(values []int64) Spread {
	n := len(values)
	if n == 0 {
		return Spread{}
	}
	slices.Sort(values)
	at := func(permille int) time.Duration { return time.Duration(values[max((n*permille+999)/1000, 1)-1]) }
	return Spread{N: n, Min: at(0), Median: at(500), P99: at(990), P999: at(999), Max: at(1000)}
}

// sizes is the same of the values without their signs.
func sizes(values []int64) Spread {
	for i, v := range values {
		values[i] = max(v, -v)
	}
	return spreadOf(values)
}
