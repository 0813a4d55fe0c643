// Package slots counts what happens in time in bounded memory: in slots of equal
// width, which doubles whenever a run turns out to be longer than they reach.
package slots

import "iter"

// Slots are cells of C, one per slot, from the run's zero on.
type Slots[C any] struct {
	Width int64 // of a slot, in nanoseconds
	Cells []C
	most  int
	merge func(into, from *C)
}

// New returns slots that begin with this width. Cells must add up: when there would be
// more than most, merge adds each second one to the one before.
func New[C any](width int64, most int, merge func(into, from *C)) *Slots[C] {
	return &Slots[C]{Width: width, most: most, merge: merge}
}

// At is the cell of a moment; what lies before zero counts as zero. The pointer is
// valid until the next call.
func (s *Slots[C]) At(ns int64) *C {
	ns = max(ns, 0)
	i := ns / s.Width
	for ; i >= int64(s.most); i = ns / s.Width {
		s.Widen()
	}
	if more := int(i) + 1 - len(s.Cells); more > 0 {
		s.Cells = append(s.Cells, make([]C, more)...)
	}
	return &s.Cells[i]
}

// Widen makes one slot of two.
func (s *Slots[C]) Widen() {
	s.Width *= 2
	for i := range s.Cells {
		if i%2 == 0 {
			s.Cells[i/2] = s.Cells[i]
		} else {
			s.merge(&s.Cells[i/2], &s.Cells[i])
		}
	}
	half := (len(s.Cells) + 1) / 2
	clear(s.Cells[half:]) // what they point to is not kept
	s.Cells = s.Cells[:half]
}

// All are the cells, with the moment at which each begins.
func (s *Slots[C]) All() iter.Seq2[int64, *C] {
	return func(yield func(int64, *C) bool) {
		for i := range s.Cells {
			if !yield(int64(i)*s.Width, &s.Cells[i]) {
				return
			}
		}
	}
}

// Marks are how often something happened in a slot, and when: from both follows for how
// much of the slot it held, however wide the slot is.
type Marks struct {
	N   int64
	sum int64 // of the moments; it may overflow, which until undoes
}

// Add counts one at a moment; what lies before zero counts as zero.
func (m *Marks) Add(at int64) {
	m.N++
	m.sum += max(at, 0)
}

// Merge adds those of another slot.
func (m *Marks) Merge(from Marks) {
	m.N += from.N
	m.sum += from.sum
}

// until is the time from each of the marks to a moment, added up.
func (m Marks) until(end int64) int64 { return m.N*end - m.sum }

// Open is the mean number in each slot of what has begun and not ended: those open at
// its beginning, and each change for the part of the slot that was left. The area below
// it is exact, whatever the width.
func Open[C any](s *Slots[C], began, ended func(*C) Marks) []float64 {
	out := make([]float64, len(s.Cells))
	open := int64(0)
	for i := range s.Cells {
		b, e := began(&s.Cells[i]), ended(&s.Cells[i])
		end := int64(i+1) * s.Width
		out[i] = float64(open) + float64(b.until(end)-e.until(end))/float64(s.Width)
		open += b.N - e.N
	}
	return out
}
