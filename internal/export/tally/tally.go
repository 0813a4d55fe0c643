// Package tally adds up the requests of a run as they end, for those who tell others of it
// while it goes on. What counts is decided by the rules that the result is made by, so that
// the last sums are the result's.
package tally

import (
	"sync"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// Bounds are those of the histograms, in seconds or tokens.
type Bounds struct {
	TTFT, Gap, Duration []float64
	// Of a request, from send to end whatever became of it, and its tokens; nil: not wanted.
	Span, Tokens []float64
}

// Tally adds up requests, which end in many goroutines: each goes to one of several parts,
// so that they rarely wait for each other.
type Tally struct {
	rules  row.Rules
	bounds Bounds
	parts  [8]part
}

type part struct {
	mu sync.Mutex
	Sums
}

// Sums are what is known of the requests so far.
type Sums struct {
	Outcomes map[journal.Outcome]uint64
	Prompt   uint64 // tokens, of the successes, as the next five
	Output   uint64
	TTFT     Histogram
	Gap      Histogram // between token chunks
	Duration Histogram // to the last token chunk
	In, Out  Histogram // tokens of a request
	// Spans are the times from send to end, by outcome.
	Spans map[journal.Outcome]*Histogram
}

// New is the tally of a run, by its journal's first line.
func New(first *journal.Run, b Bounds) *Tally {
	t := &Tally{rules: row.NewRules(&first.Options, first.Options.Compat), bounds: b}
	for i := range t.parts {
		t.parts[i].Sums = t.empty()
	}
	return t
}

func (t *Tally) empty() Sums {
	return Sums{
		Outcomes: map[journal.Outcome]uint64{}, Spans: map[journal.Outcome]*Histogram{},
		TTFT: NewHistogram(t.bounds.TTFT), Gap: NewHistogram(t.bounds.Gap), Duration: NewHistogram(t.bounds.Duration),
		In: NewHistogram(t.bounds.Tokens), Out: NewHistogram(t.bounds.Tokens),
	}
}

// Add takes in a request that has ended, and keeps nothing of it. Warm-ups don't count.
func (t *Tally) Add(q *journal.Request) {
	if q.Warmup {
		return
	}
	p := &t.parts[uint(q.Index)%uint(len(t.parts))]
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Outcomes[q.Outcome]++
	if q.Outcome.Missing() { // of a fleet: there is nothing else of it
		return
	}
	r, err := t.rules.Read(q)
	if err != nil {
		return // columns that don't fit; the journal's reader says so
	}
	if t.bounds.Span != nil {
		p.span(q.Outcome, t.bounds.Span).Add(row.Seconds(q.End - q.Sent))
	}
	if r.OK {
		p.success(q, &r, t.rules)
	}
}

// span is the histogram of an outcome.
func (s *Sums) span(o journal.Outcome, bounds []float64) *Histogram {
	if s.Spans[o] == nil {
		own := NewHistogram(bounds)
		s.Spans[o] = &own
	}
	return s.Spans[o]
}

func (s *Sums) success(q *journal.Request, r *row.Row, u row.Rules) {
	s.Prompt += uint64(max(r.Prompt, 0))
	s.Output += uint64(max(r.Output, 0))
	if s.In.Bounds != nil {
		s.In.Add(float64(r.Prompt))
		s.Out.Add(float64(r.Output))
	}
	s.Duration.Add(r.Latency())
	if u.Pooling || r.Whole {
		return // there is no first token
	}
	if r.First >= 0 {
		s.TTFT.Add(r.TTFT())
	}
	row.EachGap(q, func(_, gap int64, first bool) {
		if !first {
			s.Gap.Add(row.Seconds(gap))
		}
	})
}

// Sums adds up the parts.
func (t *Tally) Sums() *Sums {
	all := t.empty()
	for i := range t.parts {
		p := &t.parts[i]
		p.mu.Lock()
		all.merge(&p.Sums, t.bounds.Span)
		p.mu.Unlock()
	}
	return &all
}

func (s *Sums) merge(o *Sums, bounds []float64) {
	for outcome, n := range o.Outcomes {
		s.Outcomes[outcome] += n
	}
	for outcome, h := range o.Spans {
		s.span(outcome, bounds).Merge(h)
	}
	s.Prompt += o.Prompt
	s.Output += o.Output
	for _, pair := range [][2]*Histogram{{&s.TTFT, &o.TTFT}, {&s.Gap, &o.Gap}, {&s.Duration, &o.Duration}, {&s.In, &o.In}, {&s.Out, &o.Out}} {
		pair[0].Merge(pair[1])
	}
}
