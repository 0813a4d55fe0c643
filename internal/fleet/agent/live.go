package agent

import (
	"encoding/json"
	"sync"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/hist"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/spec"
)

// liveBits give percentiles within 0.8 %, and messages of a few kilobytes.
const liveBits = 6

// live counts the latencies of what has ended, for a display. Requests end in many
// goroutines: each goes to one of several parts, so that they rarely wait for each other.
type live struct {
	rules row.Rules
	parts [8]livePart
}

type livePart struct {
	mu              sync.Mutex
	ttft, itl, e2el *hist.Histogram
}

func newLive(s *spec.Spec) *live {
	l := &live{rules: row.Rules{VLLM: s.Compat == "vllm"}}
	for i := range l.parts {
		l.parts[i] = livePart{ttft: hist.New(liveBits), itl: hist.New(liveBits), e2el: hist.New(liveBits)}
	}
	return l
}

// ended takes in a request.
func (l *live) ended(q *journal.Request) {
	r, err := l.rules.Read(q)
	if err != nil || !r.OK {
		return
	}
	p := &l.parts[q.Index%len(l.parts)]
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.First >= 0 {
		p.ttft.Add(r.First)
	}
	if r.Last >= 0 {
		p.e2el.Add(r.Last)
	}
	row.EachGap(q, func(_, gap int64, first bool) {
		if !first {
			p.itl.Add(gap)
		}
	})
}

// encode gives the histograms so far by metric.
func (l *live) encode() map[string]json.RawMessage {
	ttft, itl, e2el := hist.New(liveBits), hist.New(liveBits), hist.New(liveBits)
	for i := range l.parts {
		p := &l.parts[i]
		p.mu.Lock()
		ttft.Merge(p.ttft)
		itl.Merge(p.itl)
		e2el.Merge(p.e2el)
		p.mu.Unlock()
	}
	all := map[string]json.RawMessage{}
	for name, h := range map[string]*hist.Histogram{"ttft": ttft, "itl": itl, "e2el": e2el} {
		if h.Count() == 0 {
			continue
		}
		if b, err := json.Marshal(h); err == nil {
			all[name] = b
		}
	}
	return all
}
