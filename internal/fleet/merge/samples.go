package merge

import "github.com/inferometer/inferometer/internal/journal"

// How many samples are kept, of all agents and of one. Counters grow, so that of a long run
// every second sample says the same: what is left out lies between two that are not.
const (
	mostOfAll   = 1 << 19
	mostSamples = 4096
)

// thinned keeps a bounded number of samples, evenly over the time.
type thinned struct {
	most  int
	list  []journal.Sample
	every int // one of so many is kept; 0: all
	n     int
	last  *journal.Sample // the newest, if it is not the list's last
	wake  int64           // the longest since the last that was kept
	files int
}

func (t *thinned) add(s journal.Sample) {
	t.every = max(t.every, 1)
	t.wake, t.files = max(t.wake, s.WakeNs), max(t.files, s.Files)
	t.n++
	if (t.n-1)%t.every != 0 {
		t.last = &s
		return
	}
	s.WakeNs, s.Files = t.wake, t.files
	t.list, t.last, t.wake, t.files = append(t.list, s), nil, 0, 0
	if len(t.list) >= t.most {
		t.halve()
	}
}

// halve leaves out every second one. What was the worst of two stays.
func (t *thinned) halve() {
	half := t.list[:0]
	for i := 0; i < len(t.list); i += 2 {
		s := t.list[i]
		if i > 0 {
			s.WakeNs, s.Files = max(s.WakeNs, t.list[i-1].WakeNs), max(s.Files, t.list[i-1].Files)
		}
		half = append(half, s)
	}
	if len(t.list)%2 == 0 && t.last == nil { // the last one is the newest
		newest := t.list[len(t.list)-1]
		t.last, t.wake, t.files = &newest, newest.WakeNs, newest.Files
	}
	t.list, t.every = half, t.every*2
}

// all are those that are left, the newest among them.
func (t *thinned) all() []journal.Sample {
	if t.last == nil {
		return t.list
	}
	s := *t.last
	s.WakeNs, s.Files = max(t.wake, s.WakeNs), max(t.files, s.Files)
	return append(t.list, s)
}

func newThinned(agents int) *thinned {
	const least = 8
	return &thinned{most: min(max(mostOfAll/max(agents, 1), least), mostSamples)}
}

// writeSamples writes the samples of each agent after those of the one before.
func (m *merger) writeSamples() error {
	for _, s := range m.sources {
		if s == nil {
			continue
		}
		for _, sample := range s.samples.all() {
			if err := m.writer.Sample(&sample); err != nil {
				return err
			}
		}
	}
	return nil
}
