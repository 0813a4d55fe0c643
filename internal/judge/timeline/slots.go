package timeline

import "math"

// slots count what happened in time in bounded memory: in narrow slots at first,
// and in ones twice as wide whenever the run turns out to be longer.
type slots struct {
	width int64 // nanoseconds
	cells []cell
}

const (
	firstWidth = 12_500_000 // 12.5 ms: doubled, it comes to 100 ms, 200 ms, 400 ms…
	mostCells  = 2 * MostSlots
	fineWidth  = 100_000_000 // narrower slots show chance, not the server
	fewCells   = 40
)

// cell is what happened in one slot. All of it adds up, so that two cells make one.
type cell struct {
	due, sent, ended moments
	tokens           int64
	done, failed     int
	ttft, e2el       histogram // of the requests sent in it
	gaps             histogram // that ended in it
}

// moments are how many and when: from both the mean number of what is open follows.
type moments struct {
	n   float64
	sum float64 // nanoseconds since the slots' zero
}

func (m *moments) add(at int64) { m.n, m.sum = m.n+1, m.sum+float64(at) }

func (m *moments) merge(from moments) { m.n, m.sum = m.n+from.n, m.sum+from.sum }

func newSlots() *slots { return &slots{width: firstWidth} }

// at is the cell of a moment. The pointer is good until the next call.
func (s *slots) at(ns int64) *cell {
	ns = max(ns, 0)
	for ns/s.width >= mostCells {
		s.widen()
	}
	i := int(ns / s.width)
	for i >= len(s.cells) {
		s.cells = append(s.cells, newCell())
	}
	return &s.cells[i]
}

func newCell() cell {
	return cell{ttft: histogram{perOctave: 16}, e2el: histogram{perOctave: 16}, gaps: histogram{perOctave: 8}}
}

// widen makes one slot of two.
func (s *slots) widen() {
	s.width *= 2
	half := make([]cell, 0, len(s.cells)/2+1)
	for i := range s.cells {
		if i%2 == 0 {
			half = append(half, s.cells[i])
			continue
		}
		half[i/2].merge(&s.cells[i])
	}
	s.cells = half
}

func (c *cell) merge(from *cell) {
	c.due.merge(from.due)
	c.sent.merge(from.sent)
	c.ended.merge(from.ended)
	c.tokens += from.tokens
	c.done += from.done
	c.failed += from.failed
	c.ttft.merge(&from.ttft)
	c.e2el.merge(&from.e2el)
	c.gaps.merge(&from.gaps)
}

// settle brings the slots to the number that is shown.
func (s *slots) settle() {
	for len(s.cells) > MostSlots || s.width < fineWidth && len(s.cells) > fewCells {
		s.widen()
	}
}

// open is the mean number in each slot of what began and has not ended: those open
// at its beginning, and each change for the part of the slot that was left.
func (s *slots) open(began, ended func(*cell) moments) []float64 {
	out := make([]float64, len(s.cells))
	now := 0.0
	for i := range s.cells {
		b, e := began(&s.cells[i]), ended(&s.cells[i])
		until := float64(int64(i+1) * s.width)
		out[i] = now + ((b.n*until-b.sum)-(e.n*until-e.sum))/float64(s.width)
		out[i] = math.Max(0, math.Round(out[i]*1e6)/1e6) // sums of large numbers leave dust
		now += b.n - e.n
	}
	return out
}

// values are one number of each slot.
func (s *slots) values(of func(*cell) float64) []float64 {
	out := make([]float64, len(s.cells))
	for i := range s.cells {
		out[i] = of(&s.cells[i])
	}
	return out
}
