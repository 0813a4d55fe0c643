package bench

import (
	"sync"

	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/send/live"
)

// latest is what a server said last, for those who watch a run.
type latest struct {
	mu           sync.Mutex
	first        map[string]float64 // before the load
	before, last map[string]float64 // the two newest; nil: not yet
	beforeAt, at int64
}

func (l *latest) begin(values map[string]float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.first = values
}

func (l *latest) set(at int64, values map[string]float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.before, l.beforeAt, l.last, l.at = l.last, l.at, values, at
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
	if l.last == nil {
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
			v = max(v-was, 0)
			s.Preempted = &v
		}
	}
	made, counts := now[serving.GeneratedTokens]
	if earlier, counted := serving.Values(l.before, r.metricsMap...)[serving.GeneratedTokens]; counts && counted && l.at > l.beforeAt && made >= earlier {
		rate := (made - earlier) / (float64(l.at-l.beforeAt) / 1e9)
		s.TokensPerS = &rate
	}
	return s
}
