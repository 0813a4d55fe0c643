package observe

import (
	"slices"
	"sync"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/send/live"
)

// latest is what a server said last, for those who watch a run.
type latest struct {
	mapping []journal.MetricName

	mu     sync.Mutex
	before map[serving.Meaning]float64 // the load
	now    map[serving.Meaning]float64 // nil: nothing was said yet
	at     int64
	rate   *float64 // generated tokens per second, between the last two
}

// begin is told what the server said before the load.
func (l *latest) begin(values map[string]float64) {
	meanings := serving.Values(values, l.mapping...)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.before = meanings
}

// set is told what it says at a moment of the run's clock.
func (l *latest) set(at int64, values map[string]float64) {
	meanings := serving.Values(values, l.mapping...)
	l.mu.Lock()
	defer l.mu.Unlock()
	was, hadOne := l.now[serving.GeneratedTokens]
	is, hasOne := meanings[serving.GeneratedTokens]
	l.rate = nil
	if hadOne && hasOne && at > l.at && is >= was {
		rate := (is - was) / (float64(at-l.at) / 1e9)
		l.rate = &rate
	}
	l.now, l.at = meanings, at
}

// servers are what the servers say of themselves now, in their order; nil: nobody does. Where replicas tell, they are
// the servers: a router's own gauges count the same requests.
// Others than the run's own goroutine may call it.
func (c *Scrape) servers() (list []live.Server) {
	told := false
	for _, m := range c.meters {
		if len(c.meters) > len(c.URLs) && m.replica == 0 && c.isRouter(m.target) {
			continue
		}
		s := m.now.server()
		told = told || s != (live.Server{})
		list = append(list, s)
	}
	if !told {
		return nil
	}
	return list
}

// isRouter says that replicas are read that are behind an address.
func (c *Scrape) isRouter(at int) bool {
	return !c.FindsReplicas() || slices.ContainsFunc(c.meters, func(m *metered) bool { return m.replica > 0 && m.target == at })
}

func (l *latest) server() live.Server {
	l.mu.Lock()
	defer l.mu.Unlock()
	get := func(m serving.Meaning) *float64 {
		if v, ok := l.now[m]; ok {
			return &v
		}
		return nil
	}
	s := live.Server{Running: get(serving.Running), Waiting: get(serving.Waiting), CacheUse: get(serving.CacheUse), TokensPerS: l.rate}
	if preempted := get(serving.Preemptions); preempted != nil {
		*preempted = max(*preempted-l.before[serving.Preemptions], 0) // a log counts from its first line
		s.Preempted = preempted
	}
	return s
}
