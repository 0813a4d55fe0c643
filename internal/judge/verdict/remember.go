package verdict

import (
	"hash/fnv"
	"slices"
	"strconv"
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
