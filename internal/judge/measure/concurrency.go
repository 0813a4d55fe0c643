package measure

import (
	"slices"

	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/slots"
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

// counts are what happened in time, for requests or events that are too many to be kept.
type counts struct{ *slots.Slots[cell] }

// cell is what happened in one slot.
type cell struct {
	tokens  int64 // that arrived
	planned int64 // prompt tokens of the successes that were sent
	took    int64 // microseconds until their last token chunk, added up
	started int32 // successes that were sent
	ended   int32 // successes whose last token chunk came
	opened  int32 // requests that were sent, whatever became of them
	closed  int32 // requests whose outcome was known
}

const (
	msNs     = int64(1e6)
	maxCells = 1 << 17 // 4 MB; two minutes by the millisecond, a day by the second
)

func newCounts(most int) *counts { return &counts{slots.New(msNs, most, mergeCells)} }

func mergeCells(to, from *cell) {
	to.tokens += from.tokens
	to.planned += from.planned
	to.took += from.took
	to.started += from.started
	to.ended += from.ended
	to.opened += from.opened
	to.closed += from.closed
}

// between adds up the slots that begin in [from, to).
func (s *counts) between(from, to int64) (sum cell) {
	for at, c := range s.All() {
		if at >= from && at < to {
			mergeCells(&sum, c)
		}
	}
	return sum
}

// openTime is the time for which successes were open in [from, to), added up: those
// that come or go in a slot, for half of it.
func (s *counts) openTime(from, to int64) (ns float64) {
	open := 0
	for at, c := range s.All() {
		change := int(c.started - c.ended)
		if at >= from && at < to {
			ns += (float64(open) + float64(change)/2) * float64(s.Width)
		}
		open += change
	}
	return ns
}

// peakOpen bounds the largest number of requests open at one moment: it was
// reached at the end of some slot, and can't have been above the open ones plus
// all that were sent in one.
func (s *counts) peakOpen() (atLeast, atMost int) {
	open := 0
	for _, c := range s.All() {
		atMost = max(atMost, open+int(c.opened))
		open += int(c.opened - c.closed)
		atLeast = max(atLeast, open)
	}
	return atLeast, atMost
}

// peakBySecond is vLLM's peak, see peakConcurrencyBySecond.
func (s *counts) peakBySecond(origin int64) int {
	open, peak, second, leaving := 0, 0, int64(-1), 0
	for at, c := range s.All() {
		if now := (at - origin) / 1e9; now != second { // who ended in a second counts to its end
			open -= leaving
			second, leaving = now, 0
		}
		open += int(c.started)
		leaving += int(c.ended)
		peak = max(peak, open)
	}
	return peak
}

// steadyWindow is the same as that of rows, in whole slots.
func (s *counts) steadyWindow(threshold int) (from, to int64, peak int, ok bool) {
	began, open := false, 0
	for at, c := range s.All() {
		before := open
		open += int(c.started - c.ended)
		peak = max(peak, open)
		if !began && open >= threshold {
			from, began = at, true
		}
		if before >= threshold && open < threshold {
			to, ok = at, true
		}
	}
	return from, to, peak, ok && to > from
}
