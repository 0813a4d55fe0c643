package measure

// tokenTimes is when tokens arrived: exact times up to a limit, and beyond it
// counts by slots, which is enough for rates over a second and more.
type tokenTimes struct {
	limit  int
	at     []int64 // nanoseconds on the run's clock
	tokens []int32
	slots  *counts // shared with the requests, if those are too many as well
	full   bool    // the limit is passed: times are in slots
}

func (t *tokenTimes) add(at int64, tokens int) {
	if tokens <= 0 || at < 0 {
		return
	}
	if !t.full && len(t.at) >= t.limit {
		t.spill()
	}
	if t.full {
		t.slots.At(at).tokens += int64(tokens)
		return
	}
	t.at = append(t.at, at)
	t.tokens = append(t.tokens, int32(tokens))
}

// reserve makes room for n times where there is none yet, as far as they would be kept.
func (t *tokenTimes) reserve(n int) {
	if n = min(max(n, 0), t.limit); !t.full && len(t.at) == 0 {
		t.at, t.tokens = make([]int64, 0, n), make([]int32, 0, n)
	}
}

// spill moves the exact times into slots.
func (t *tokenTimes) spill() {
	for i, a := range t.at {
		t.slots.At(a).tokens += int64(t.tokens[i])
	}
	t.at, t.tokens, t.full = nil, nil, true
}

func (t *tokenTimes) exact() bool { return !t.full }

// each calls f with every token time (by slots beyond the limit).
func (t *tokenTimes) each(f func(at int64, tokens int64)) {
	for i, a := range t.at {
		f(a, int64(t.tokens[i]))
	}
	if !t.full {
		return
	}
	for at, c := range t.slots.All() {
		if c.tokens > 0 {
			f(at, c.tokens)
		}
	}
}

// between counts the tokens in [from, to).
func (t *tokenTimes) between(from, to int64) int64 {
	sum := int64(0)
	t.each(func(at, n int64) {
		if at >= from && at < to {
			sum += n
		}
	})
	return sum
}

// peakPerSecond is the largest count in one of the seconds from origin on.
func (t *tokenTimes) peakPerSecond(origin int64) int64 {
	counts := map[int64]int64{}
	// Tokens of one second come together: the map is asked once for each such group.
	second, sum := int64(0), int64(0)
	t.each(func(at, n int64) {
		if s := (at - origin) / 1e9; s != second {
			counts[second] += sum
			second, sum = s, 0
		}
		sum += n
	})
	counts[second] += sum
	peak := int64(0)
	for _, n := range counts {
		peak = max(peak, n)
	}
	return peak
}
