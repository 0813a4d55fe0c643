package measure

// slots count what happened in time, in bounded memory: by the millisecond at
// first, and by twice as much whenever the run turns out to be longer.
type slots struct {
	width int64 // nanoseconds
	most  int   // cells
	cells []cell
}

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

func newSlots(most int) *slots { return &slots{width: msNs, most: most} }

// at is the cell of a moment. The pointer is good until the next call.
func (s *slots) at(ns int64) *cell {
	ns = max(ns, 0)
	for ns/s.width >= int64(s.most) {
		s.widen()
	}
	i := int(ns / s.width)
	for i >= len(s.cells) {
		s.cells = append(s.cells, make([]cell, min(max(len(s.cells), i+1-len(s.cells)), s.most-len(s.cells)))...)
	}
	return &s.cells[i]
}

// widen makes one slot of two.
func (s *slots) widen() {
	s.width *= 2
	for i := range s.cells {
		from, to := s.cells[i], &s.cells[i/2]
		if i%2 == 0 {
			*to = cell{}
		}
		to.tokens += from.tokens
		to.planned += from.planned
		to.took += from.took
		to.started += from.started
		to.ended += from.ended
		to.opened += from.opened
		to.closed += from.closed
	}
	s.cells = s.cells[:(len(s.cells)+1)/2]
}

// each calls f with every slot and the moment at which it begins.
func (s *slots) each(f func(at int64, c *cell)) {
	for i := range s.cells {
		f(int64(i)*s.width, &s.cells[i])
	}
}

// between adds up the slots that begin in [from, to).
func (s *slots) between(from, to int64) (sum cell) {
	s.each(func(at int64, c *cell) {
		if at < from || at >= to {
			return
		}
		sum.tokens += c.tokens
		sum.planned += c.planned
		sum.took += c.took
		sum.started += c.started
		sum.ended += c.ended
	})
	return sum
}

// openTime is the time for which successes were open in [from, to), added up: those
// that come or go in a slot, for half of it.
func (s *slots) openTime(from, to int64) (ns float64) {
	open := 0
	s.each(func(at int64, c *cell) {
		change := int(c.started - c.ended)
		if at >= from && at < to {
			ns += (float64(open) + float64(change)/2) * float64(s.width)
		}
		open += change
	})
	return ns
}

// peakOpen bounds the largest number of requests open at one moment: it was
// reached at the end of some slot, and can't have been above the open ones plus
// all that were sent in one.
func (s *slots) peakOpen() (atLeast, atMost int) {
	open := 0
	s.each(func(_ int64, c *cell) {
		atMost = max(atMost, open+int(c.opened))
		open += int(c.opened - c.closed)
		atLeast = max(atLeast, open)
	})
	return atLeast, atMost
}

// peakBySecond is vLLM's peak, see peakConcurrencyBySecond.
func (s *slots) peakBySecond(origin int64) int {
	open, peak, second, leaving := 0, 0, int64(-1), 0
	s.each(func(at int64, c *cell) {
		if now := (at - origin) / 1e9; now != second { // who ended in a second counts to its end
			open -= leaving
			second, leaving = now, 0
		}
		open += int(c.started)
		leaving += int(c.ended)
		peak = max(peak, open)
	})
	return peak
}

// steadyWindow is the same as that of rows, in whole slots.
func (s *slots) steadyWindow(threshold int) (from, to int64, peak int, ok bool) {
	began, open := false, 0
	s.each(func(at int64, c *cell) {
		before := open
		open += int(c.started - c.ended)
		peak = max(peak, open)
		if !began && open >= threshold {
			from, began = at, true
		}
		if before >= threshold && open < threshold {
			to, ok = at, true
		}
	})
	return from, to, peak, ok && to > from
}
