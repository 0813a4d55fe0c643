package stats

import "sort"

// EarlyStoppingConfidence is MLPerf's.
const EarlyStoppingConfidence = 0.99

// EarlyStopping is MLPerf's estimate of the p-quantile (0 < p < 1) at the end of a run
// of n independent values: the rank-th largest of them. With this confidence no more than
// 1−p of all values lie above it. rank is the largest t such that t or fewer values above
// the quantile have less than one chance in a hundred:
//
//	P(Bin(n, 1−p) ≤ t) = I_p(n−t, t+1) < 1 − confidence
//
// LoadGen looks for the fewest values h below that go with t above, and takes the largest t
// with h + t ≤ n, which is the same. least is from how many values on there is a t of 1 or
// more; below it rank is 0.
func EarlyStopping(n int, p float64) (rank, least int) {
	passes := func(n, t int) bool { return binomialCDF(t, n, 1-p) < 1-EarlyStoppingConfidence }
	high := 2
	for !passes(high, 1) {
		high *= 2
	}
	least = high/2 + sort.Search(high/2, func(i int) bool { return passes(high/2+i, 1) })
	if n < least {
		return 0, least
	}
	return sort.Search(n, func(t int) bool { return !passes(n, t) }) - 1, least
}
