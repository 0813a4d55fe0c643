package bench

import (
	"sync"

	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/send/live"
)

// latest is what a server said last, for those who watch a run.
type latest struct {
	mu                sync.Mutex
	first, last       map[string]float64 // before the load, and now
	tokens, perSecond float64            // generated up to now, and of late
	at                int64
	told              bool
}

func (l *latest) begin(values map[string]float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.first = values
}

func (l *latest) set(at int64, values map[string]float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last, l.at, l.told = values, at, true
}

// Servers are what the servers say of themselves now, in their order; nil: nobody does.
func (r *Run) Servers() (list []live.Server) {
	told := false
	for _, m := range r.meters {
		s := m.now.server(r)
		told = told || s != (live.Server{})
		list = append(list, s)
	}
	if !told {
		return nil
	}
	return list
}

func (l *latest) server(r *Run) (s live.Server) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.told {
		return s
	}
	now := serving.Values(l.last, r.metricsMap...)
	get := func(m serving.Meaning) *float64 {
		if v, ok := now[m]; ok {
			return &v
		}
		return nil
	}
	s = live.Server{Running: get(serving.Running), Waiting: get(serving.Waiting), CacheUse: get(serving.CacheUse)}
	if v, ok := now[serving.Preemptions]; ok {
		if was, ok := serving.Values(l.first, r.metricsMap...)[serving.Preemptions]; ok {
			v -= was
			s.Preempted = &v
		}
	}
	return s
}
