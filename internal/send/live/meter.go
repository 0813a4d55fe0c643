package live

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// span is what a window looks back over.
const span = 10 * time.Second

// Meter counts what happens in a run as it happens, for windows of the last ten seconds.
// Whoever counts takes a Part of its own, so that streams on different processors rarely
// touch the same memory; adding takes some nanoseconds and no memory. A nil Meter counts
// nothing.
type Meter struct {
	parts []Part
	taken atomic.Uint32

	mu       sync.Mutex
	outcomes map[string]int64
	first    string // the words of the first error

	// Of whoever reads.
	ring    [11]reading // one a second, as old as the window and one more
	newest  int         // in the ring
	reading reading
	began   bool
}

// Part is one of the places to count in. It may be shared; a nil one counts nothing.
type Part struct {
	ttft, gap, lag, whole counting
	_                     [64]byte // the next part's counters are on another line of the cache
}

// reading is all that was counted up to a moment.
type reading struct {
	at             time.Duration
	tokens, done   int64
	ttft, gap, lag counted
}

// maxParts bounds the memory: each part takes 16 kB.
const maxParts = 16

// NewMeter makes one with a part for each processor.
func NewMeter() *Meter {
	n := 1
	for n < min(runtime.GOMAXPROCS(0), maxParts) {
		n *= 2
	}
	return &Meter{parts: make([]Part, n), outcomes: map[string]int64{}}
}

// Part is the next one's place to count.
func (m *Meter) Part() *Part {
	if m == nil {
		return nil
	}
	return &m.parts[int(m.taken.Add(1))&(len(m.parts)-1)]
}

// First counts a time to the first token chunk, in nanoseconds.
func (p *Part) First(ns int64) { p.ttft.add(ns) }

// Gap counts a time between two token chunks.
func (p *Part) Gap(ns int64) { p.gap.add(ns) }

// Lag counts how long bytes lay in the kernel before we had them.
func (p *Part) Lag(ns int64) { p.lag.add(ns) }

// Whole counts the time to the last token chunk of a success.
func (p *Part) Whole(ns int64) {
	if p != nil {
		p.whole.add(ns)
	}
}

// Ended counts the end of a request. words are those of an error, bounded and stripped.
func (m *Meter) Ended(outcome, words string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.outcomes[outcome]++
	if m.first == "" && words != "" {
		m.first = outcome + ": " + words
	}
}

// Look fills in what is known at a moment since the run began: the windows and rates of
// the last ten seconds, outcomes, and the first error. s.Tokens and s.Completed are there
// already. One goroutine at a time may look, with moments that do not go back.
func (m *Meter) Look(s *State, at time.Duration) {
	now := &m.reading
	*now = reading{at: at, tokens: s.Tokens, done: s.Completed}
	for i := range m.parts {
		p := &m.parts[i]
		now.ttft.read(&p.ttft)
		now.gap.read(&p.gap)
		now.lag.read(&p.lag)
	}
	old := m.before(at)
	if seconds := (at - old.at).Seconds(); seconds > 0 {
		s.TokensPerS = max(float64(now.tokens-old.tokens)/seconds, 0)
		s.RequestsPerS = max(float64(now.done-old.done)/seconds, 0)
	}
	s.TTFT, s.ITL, s.Lag = window(&now.ttft, &old.ttft), window(&now.gap, &old.gap), window(&now.lag, &old.lag)
	m.keep(at)
	m.mu.Lock()
	defer m.mu.Unlock()
	s.FirstError = m.first
	if len(m.outcomes) > 0 {
		s.Outcomes = make(map[string]int64, len(m.outcomes))
		for kind, n := range m.outcomes {
			s.Outcomes[kind] = n
		}
	}
}

// before is the newest reading that is as old as the window is long, or the oldest that
// there is: of a run's beginning, where all is zero.
func (m *Meter) before(at time.Duration) *reading {
	if !m.began {
		m.began = true
		for i := range m.ring {
			m.ring[i].at = -1
		}
		m.ring[0], m.newest = reading{}, 0
	}
	var best *reading
	for i := range m.ring {
		r := &m.ring[(m.newest+len(m.ring)-i)%len(m.ring)]
		if r.at < 0 {
			break
		}
		if best = r; at-r.at >= span {
			break
		}
	}
	return best
}

// keep keeps the reading, one a second. A moment of slack lets a ticker that comes a
// little early still fill each second.
func (m *Meter) keep(at time.Duration) {
	if at-m.ring[m.newest].at < time.Second-50*time.Millisecond {
		return
	}
	m.newest = (m.newest + 1) % len(m.ring)
	m.ring[m.newest] = m.reading
}

func window(now, before *counted) Window {
	diff, n := now.minus(before)
	if n == 0 {
		return Window{}
	}
	return Window{Count: int64(n), P50: diff.percentile(50, n) / 1e6, P99: diff.percentile(99, n) / 1e6}
}

// soFar is what was counted of a latency since the run began, by its name in a result.
func (m *Meter) soFar(name string) (all counted, n uint64) {
	for i := range m.parts {
		p := &m.parts[i]
		switch name {
		case "ttft":
			all.read(&p.ttft)
		case "itl":
			all.read(&p.gap)
		case "e2el":
			all.read(&p.whole)
		}
	}
	for _, k := range all {
		n += k
	}
	return all, n
}

// PercentileSoFar is that of a latency since the run began, in milliseconds. ok is false
// where it is not counted, or nothing has come yet.
func (m *Meter) PercentileSoFar(name string, p float64) (ms float64, ok bool) {
	all, n := m.soFar(name)
	if n == 0 {
		return 0, false
	}
	return all.percentile(p, n) / 1e6, true
}

// MeanSoFar is the mean, as PercentileSoFar is a percentile.
func (m *Meter) MeanSoFar(name string) (ms float64, ok bool) {
	all, n := m.soFar(name)
	if n == 0 {
		return 0, false
	}
	sum := 0.0
	for i, k := range all {
		sum += middle(i) * float64(k)
	}
	return sum / float64(n) / 1e6, true
}
