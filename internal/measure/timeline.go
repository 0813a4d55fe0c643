package measure

// timeline is when tokens arrived: exact times up to a limit, and beyond it
// counts per millisecond, which is enough for rates over a second and more.
type timeline struct {
	limit  int
	at     []int64 // nanoseconds on the run's clock
	tokens []int32
	perMs  []int32 // set once the limit is passed
}

const msNs = int64(1e6)

func (t *timeline) add(at int64, tokens int) {
	if tokens <= 0 || at < 0 {
		return
	}
	if t.perMs == nil && len(t.at) >= t.limit {
		t.perMs = make([]int32, 1)
		for i, a := range t.at {
			t.count(a, t.tokens[i])
		}
		t.at, t.tokens = nil, nil
	}
	if t.perMs != nil {
		t.count(at, int32(tokens))
		return
	}
	t.at = append(t.at, at)
	t.tokens = append(t.tokens, int32(tokens))
}

func (t *timeline) count(at int64, tokens int32) {
	ms := int(at / msNs)
	for ms >= len(t.perMs) {
		t.perMs = append(t.perMs, make([]int32, max(len(t.perMs), ms+1-len(t.perMs)))...)
	}
	t.perMs[ms] += tokens
}

func (t *timeline) exact() bool { return t.perMs == nil }

// each calls f with every token time (in whole milliseconds beyond the limit).
func (t *timeline) each(f func(at int64, tokens int64)) {
	for i, a := range t.at {
		f(a, int64(t.tokens[i]))
	}
	for ms, n := range t.perMs {
		if n > 0 {
			f(int64(ms)*msNs, int64(n))
		}
	}
}

// between counts the tokens in [from, to).
func (t *timeline) between(from, to int64) int64 {
	sum := int64(0)
	t.each(func(at, n int64) {
		if at >= from && at < to {
			sum += n
		}
	})
	return sum
}

// peakPerSecond is the largest count in one of the seconds from origin on.
func (t *timeline) peakPerSecond(origin int64) int64 {
	seconds, peak := map[int64]int64{}, int64(0)
	t.each(func(at, n int64) {
		s := (at - origin) / 1e9
		seconds[s] += n
		peak = max(peak, seconds[s])
	})
	return peak
}
