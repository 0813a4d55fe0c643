package verdict

import (
	"hash/fnv"
	"slices"
	"strconv"

	"github.com/inferometer/inferometer/internal/judge/slots"
)

// evenSample keeps every k-th value, and makes k larger when they are too many: a fair
// sample of any length, and the same one each time.
type evenSample struct {
	every, seen int
	values      []int
}

const sampleLen = 4096

func (t *evenSample) add(v int) {
	t.every = max(t.every, 1)
	if t.seen%t.every == 0 {
		t.values = append(t.values, v)
	}
	t.seen++
	if len(t.values) < sampleLen {
		return
	}
	kept := t.values[:0]
	for i := 0; i < len(t.values); i += 2 {
		kept = append(kept, t.values[i])
	}
	t.values = kept
	t.every *= 2
}

func (t *evenSample) median() int {
	if len(t.values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(t.values))
	return s[len(s)/2]
}

// seen remembers hashes up to a limit.
type seen struct {
	limit int
	first map[uint64]uint64
	full  bool // one more was to be remembered
}

func newSeen(limit int) *seen { return &seen{limit: limit, first: map[uint64]uint64{}} }

// add returns what was remembered with a hash, or remembers it.
func (s *seen) add(hash, with uint64) (before uint64, known bool) {
	if before, known = s.first[hash]; known {
		return before, true
	}
	if len(s.first) >= s.limit {
		s.full = true
		return 0, false
	}
	s.first[hash] = with
	return 0, false
}

// hashOf reads a hash of the journal; 0 is none. A hash of another form is hashed.
func hashOf(text string) uint64 {
	if text == "" {
		return 0
	}
	if n, err := strconv.ParseUint(text, 16, 64); err == nil {
		return max(n, 1)
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // never fails
	return max(h.Sum64(), 1)
}

// track is how many requests were open, and how many connections were opened, in time.
type track struct{ *slots.Slots[openCell] }

type openCell struct {
	opened, closed slots.Marks
	conns          int64
}

// All checks that look at the course of a run do so in as many slots at most.
const (
	maxSlots   = 8192
	firstWidth = 1e6 // 1 ms
)

func newTrack(most int) *track { return &track{slots.New(firstWidth, most, mergeOpen)} }

func mergeOpen(into, from *openCell) {
	into.opened.Merge(from.opened)
	into.closed.Merge(from.closed)
	into.conns += from.conns
}

// add counts a request that was open from one moment to another.
func (t *track) add(from, to int64, newConn bool) {
	c := t.At(from)
	c.opened.Add(from)
	if newConn {
		c.conns++
	}
	to = max(to, from)
	t.At(to).closed.Add(to)
}

// series is the mean number of open requests in each slot.
func (t *track) series() []float64 {
	return slots.Open(t.Slots, func(c *openCell) slots.Marks { return c.opened }, func(c *openCell) slots.Marks { return c.closed })
}

// mean is the mean of a series between two moments, by whole slots.
func (t *track) mean(series []float64, from, to int64) float64 {
	a, b := int(from/t.Width), int(to/t.Width)
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
	for i, s := range t.Cells {
		if max(open, open+s.opened.N-s.closed.N) >= threshold {
			if !ok {
				from, sum = int64(i)*t.Width, 0
			}
			to, ok = int64(i+1)*t.Width, true
		}
		sum += s.closed.N
		if to == int64(i+1)*t.Width {
			ended = sum
		}
		open += s.opened.N - s.closed.N
	}
	return from, to, ended, ok
}

// peak bounds the most requests that were open at once, from below and above.
func (t *track) peak() (atLeast, atMost int64) {
	open := int64(0)
	for _, s := range t.Cells {
		atMost = max(atMost, open+s.opened.N)
		open += s.opened.N - s.closed.N
		atLeast = max(atLeast, open)
	}
	return atLeast, atMost
}

// mostConns is the largest number of connections opened in any stretch of this length.
func (t *track) mostConns(length int64) int64 {
	n := int(max(length/t.Width, 1))
	sum, most := int64(0), int64(0)
	for i, s := range t.Cells {
		sum += s.conns
		if i >= n {
			sum -= t.Cells[i-n].conns
		}
		most = max(most, sum)
	}
	return most
}
