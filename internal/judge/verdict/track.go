package verdict

// track is how many requests were open, and how many connections were opened, in
// time: slots of equal width, which doubles when they would be too many. The area
// under the number of open requests stays exact, whatever the width.
type track struct {
	width int64 // ns
	cells []slot
}

type slot struct {
	opened, closed int64
	// Sums, over those opened and closed in the slot, of the time from then to the slot's end.
	openRest, closeRest int64
	conns               int64
}

const (
	maxSlots   = 8192
	firstWidth = 1e6 // 1 ms
)

func newTrack() *track { return &track{width: firstWidth} }

// at is the slot of a moment.
func (t *track) at(ns int64) (s *slot, rest int64) {
	ns = max(ns, 0)
	for ns/t.width >= maxSlots {
		t.widen()
	}
	i := int(ns / t.width)
	if i >= len(t.cells) {
		t.cells = append(t.cells, make([]slot, i+1-len(t.cells))...)
	}
	return &t.cells[i], int64(i+1)*t.width - ns
}

// widen makes one slot of two.
func (t *track) widen() {
	for i := range t.cells {
		from, to := t.cells[i], &t.cells[i/2]
		if i%2 == 0 { // its end is one old slot further away now
			from.openRest += from.opened * t.width
			from.closeRest += from.closed * t.width
			*to = from
			continue
		}
		to.opened += from.opened
		to.closed += from.closed
		to.openRest += from.openRest
		to.closeRest += from.closeRest
		to.conns += from.conns
	}
	t.cells = t.cells[:(len(t.cells)+1)/2]
	t.width *= 2
}

// add counts a request that was open from one moment to another.
func (t *track) add(from, to int64, newConn bool) {
	s, rest := t.at(from)
	s.opened++
	s.openRest += rest
	if newConn {
		s.conns++
	}
	s, rest = t.at(max(to, from))
	s.closed++
	s.closeRest += rest
}

// series is the mean number of open requests in each slot.
func (t *track) series() []float64 {
	out := make([]float64, len(t.cells))
	open := int64(0)
	for i, s := range t.cells {
		out[i] = float64(open) + float64(s.openRest-s.closeRest)/float64(t.width)
		open += s.opened - s.closed
	}
	return out
}

// mean is the mean of a series between two moments, by whole slots.
func (t *track) mean(series []float64, from, to int64) float64 {
	a, b := int(from/t.width), int(to/t.width)
	b = min(max(b, a+1), len(series))
	sum := 0.0
	for _, v := range series[min(a, b):b] {
		sum += v
	}
	return sum / float64(max(b-a, 1))
}

// reached is the time from when at least so many requests were open first to when
// they were last, by whole slots, and how many ended in it. What was open is known
// at the edges of slots: between them one may have ended before the next began.
func (t *track) reached(threshold int64) (from, to, ended int64, ok bool) {
	open, sum := int64(0), int64(0)
	for i, s := range t.cells {
		if max(open, open+s.opened-s.closed) >= threshold {
			if !ok {
				from, sum = int64(i)*t.width, 0
			}
			to, ok = int64(i+1)*t.width, true
		}
		sum += s.closed
		if to == int64(i+1)*t.width {
			ended = sum
		}
		open += s.opened - s.closed
	}
	return from, to, ended, ok
}

// peak bounds the most requests that were open at once, from below and above.
func (t *track) peak() (atLeast, atMost int64) {
	open := int64(0)
	for _, s := range t.cells {
		atMost = max(atMost, open+s.opened)
		open += s.opened - s.closed
		atLeast = max(atLeast, open)
	}
	return atLeast, atMost
}

// mostConns is the largest number of connections opened in any stretch of this length.
func (t *track) mostConns(length int64) int64 {
	n := int(max(length/t.width, 1))
	sum, most := int64(0), int64(0)
	for i, s := range t.cells {
		sum += s.conns
		if i >= n {
			sum -= t.cells[i-n].conns
		}
		most = max(most, sum)
	}
	return most
}
