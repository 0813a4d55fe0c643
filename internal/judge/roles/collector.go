package roles

import (
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/handoff"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// SecondGap is the gap between the first and the second chunk with tokens, in milliseconds, and by how much it is longer (or, below
// 0, shorter) than the later gaps of the same answer: medians over answers.
type SecondGap struct {
	Answers int     `json:"answers"`
	Median  float64 `json:"median_ms"`
	Excess  float64 `json:"excess_ms"`
}

// Stages are the parts of the time to the first token as the server tells them, and ours: means over the answers of which it does, in
// milliseconds, so that they add up.
type Stages struct {
	Requests int     `json:"requests"`
	TTFT     float64 `json:"ttft_ms"`     // as we measured it
	Queue    float64 `json:"queue_ms"`    // until the prefill began
	Prefill  float64 `json:"prefill_ms"`  //
	Transfer float64 `json:"transfer_ms"` // from there to the first decoded token: the transfer at most
	Rest     float64 `json:"rest_ms"`     // what is left: the way to the router and back, and its own work
	Over     int     `json:"over"`        // answers whose parts are longer than what we measured, which can't be
}

// Collector takes in the requests of a run.
type Collector struct {
	run    *journal.Run
	apart  bool // replicas have roles
	seen   bool // an answer shows that its prompt was computed elsewhere
	gaps   handoff.SecondGaps
	stages sums
	own    []float64 // gaps of an answer, used again
}

// sums are in seconds.
type sums struct {
	n, over                        int
	ttft, queue, prefill, transfer float64
}

// NewCollector is for one run.
func NewCollector(run *journal.Run) *Collector {
	c := &Collector{run: run}
	for _, r := range run.Replicas {
		c.apart = c.apart || r.Role == journal.Prefill
	}
	return c
}

// Add takes in a success.
func (c *Collector) Add(r *row.Request) {
	tells := r.ServerTransferNs > 0
	if !c.apart && !tells && r.Prefiller == "" {
		return
	}
	c.seen = true
	c.own = c.own[:0]
	for _, gap := range r.Gaps() {
		c.own = append(c.own, row.Seconds(gap))
	}
	c.gaps.Add(c.own)
	if tells && r.Row.First >= 0 {
		c.stages.add(r)
	}
}

func (s *sums) add(r *row.Request) {
	ttft, queue, prefill, transfer := r.Row.TTFT(), row.Seconds(r.ServerQueueNs), row.Seconds(r.ServerPromptNs), row.Seconds(r.ServerTransferNs)
	const rounding = 1e-3 // the parts are told in milliseconds
	if queue+prefill+transfer > ttft+rounding {
		s.over++
	}
	s.n++
	s.ttft, s.queue, s.prefill, s.transfer = s.ttft+ttft, s.queue+queue, s.prefill+prefill, s.transfer+transfer
}

// result is nil where no answer told its parts.
func (s *sums) result() *Stages {
	if s.n == 0 {
		return nil
	}
	mean := func(sum float64) float64 { return 1e3 * sum / float64(s.n) }
	return &Stages{
		Requests: s.n, TTFT: mean(s.ttft), Queue: mean(s.queue), Prefill: mean(s.prefill), Transfer: mean(s.transfer),
		Rest: mean(s.ttft - s.queue - s.prefill - s.transfer), Over: s.over,
	}
}
