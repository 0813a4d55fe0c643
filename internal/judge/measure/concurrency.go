package measure

import (
	"slices"

	"github.com/inferometer/inferometer/internal/judge/row"
)

// sweep walks over the starts and ends of intervals in time and calls f after
// each step with the time and the number of open intervals. At equal times an
// end comes before a start: a slot that is handed on is one slot.
func sweep(starts, ends []int64, f func(at int64, open int)) {
	slices.Sort(starts)
	slices.Sort(ends)
	open, s, e := 0, 0, 0
	for s < len(starts) || e < len(ends) {
		if e < len(ends) && (s == len(starts) || ends[e] <= starts[s]) {
			open--
			f(ends[e], open)
			e++
			continue
		}
		open++
		f(starts[s], open)
		s++
	}
}

// peakConcurrency is the largest number of requests that were open at one moment,
// from sent to end, whatever their outcome: the server had them all.
func peakConcurrency(rows []row.Row) int {
	starts, ends := make([]int64, 0, len(rows)), make([]int64, 0, len(rows))
	for i := range rows {
		// An interval of no length would close before it opens.
		if rows[i].End > rows[i].Sent {
			starts = append(starts, rows[i].Sent)
			ends = append(ends, rows[i].End)
		}
	}
	return peakOf(starts, ends)
}

// peakConcurrencyBySecond is vLLM's number: for each whole second the successes
// that were open at any time in it. It counts requests that never overlapped.
func peakConcurrencyBySecond(rows []row.Row, origin int64) int {
	starts, ends := make([]int64, 0, len(rows)), make([]int64, 0, len(rows))
	for i := range rows {
		if rows[i].OK {
			starts = append(starts, (rows[i].Sent-origin)/1e9)
			ends = append(ends, (rows[i].Sent+rows[i].Last-origin)/1e9+1)
		}
	}
	return peakOf(starts, ends)
}

func peakOf(starts, ends []int64) int {
	peak := 0
	sweep(starts, ends, func(_ int64, open int) { peak = max(peak, open) })
	return peak
}
