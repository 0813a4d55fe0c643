package measure

import (
	"math"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// totals are sums over requests, for which their order does not matter.
type totals struct {
	requests, completed int
	input, output       int64
	inputs, soundNs     int64 // texts and sound in the successes
	unknownSound        bool  // the length of some is not known
	firstSent           int64 // of the successes; 0 if there are none
	lastEnd             int64
}

func (t *totals) add(r *row.Row) {
	t.requests++
	t.lastEnd = max(t.lastEnd, r.End)
	if !r.OK {
		return
	}
	if t.completed == 0 || r.Sent < t.firstSent {
		t.firstSent = r.Sent
	}
	t.completed++
	t.input += int64(r.Prompt)
	t.output += int64(r.Output)
}

// addMedia counts what a success holds beside one text.
func (t *totals) addMedia(r *journal.Request) {
	t.inputs += int64(max(r.Inputs, 1))
	t.soundNs += max(r.SoundNs, 0)
	t.unknownSound = t.unknownSound || r.SoundNs < 0
}

// result fills in what follows from the totals alone.
func (t *totals) result(r *Result) {
	last := t.lastEnd
	if t.requests == 0 && r.End != nil {
		last = r.End.At
	}
	r.Requests, r.Completed, r.Failed = t.requests, t.completed, t.requests-t.completed
	r.InputTokens, r.OutputTokens = t.input, t.output
	r.Inputs, r.Sound = t.inputs, seconds(t.soundNs)
	if t.unknownSound {
		r.Sound = math.NaN()
	}
	r.Duration = seconds(last)
	r.RequestThroughput = r.number("request_throughput")
	r.OutputThroughput = r.number("output_throughput")
	r.TotalTokenThroughput = r.number("total_token_throughput")
}

// perSecond is n/s, and 0 where no time passed.
func perSecond[N int | int64](n N, s float64) float64 {
	if s <= 0 {
		return 0
	}
	return float64(n) / s
}

func seconds(ns int64) float64 { return row.Seconds(ns) }

// cacheSums are prompt tokens, and those of them in a prefix cache.
type cacheSums struct {
	planned           float64 // by the workload's plan
	of                int64
	measured, counted int64 // as the server says
	anyPlan, anyWord  bool
}

func (s *cacheSums) add(r *row.Request) {
	if r.PlannedKnown {
		s.anyPlan = true
		n := r.UsagePrompt
		if n == 0 {
			n = r.PromptTokens
		}
		s.planned += float64(r.PlannedPPM) / 1e6 * float64(n)
		s.of += int64(n)
	}
	if r.CachedKnown && r.UsagePrompt > 0 {
		s.anyWord = true
		s.measured += int64(r.UsageCached)
		s.counted += int64(r.UsagePrompt)
	}
}

func (s *cacheSums) shares() (c CacheShare) {
	if s.anyPlan && s.of > 0 {
		c.Planned = new(s.planned / float64(s.of))
	}
	if s.anyWord && (c.Planned != nil || s.measured > 0) {
		c.Measured = new(float64(s.measured) / float64(s.counted))
	}
	return c
}

// thinking sums up the reasoning of successes.
type thinking struct {
	any, unknown bool
	tokens, of   int64
}

func (t *thinking) add(r *row.Request) {
	n, any, known := r.Thinking()
	t.any = t.any || any
	if !known {
		t.unknown = true
		return
	}
	t.tokens += int64(n)
	t.of += int64(r.Row.Got)
}

// Thinking is the share of the output that was reasoning.
type Thinking struct {
	Share *float64 // nil: not known
}

// result is nil where no answer had any.
func (t *thinking) result() *Thinking {
	switch {
	case !t.any:
		return nil
	case t.unknown || t.of <= 0:
		return &Thinking{}
	}
	return &Thinking{Share: new(min(float64(t.tokens)/float64(t.of), 1))}
}
