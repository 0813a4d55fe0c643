package measure

import (
	"math"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/slots"
)

// totals are sums over requests, for which their order does not matter.
type totals struct {
	requests, completed int
	hungUp              int // by the client, on purpose
	input, output       int64
	inputs, soundNs     int64 // texts and sound in the successes
	unknownSound        bool  // the length of some is not known
	firstSent           int64 // of the successes; 0 if there are none
	lastEnd             int64
}

func (t *totals) add(r *row.Row) {
	t.requests++
	t.lastEnd = max(t.lastEnd, r.End)
	if r.HungUp {
		t.hungUp++
	}
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

// failed is how many are neither a success nor ended on purpose.
func (t *totals) failed() int { return t.requests - t.completed - t.hungUp }

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
	r.Requests, r.Completed, r.Failed = t.requests, t.completed, t.failed()
	r.HungUp = t.hungUp
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

// hits are prompt tokens, and those of them that a prefix cache has, by the three who know.
type hits struct {
	planned, plannedOf int64 // by the workload's plan; in its units, which may be words
	sent, sentOf       int64 // by what was sent before
	observed, counted  int64 // as the server says
}

// add takes in a success: what failed may have been in no cache.
func (h *hits) add(r *row.Request) {
	if !r.Row.OK {
		return
	}
	h.planned, h.plannedOf = h.planned+int64(r.Planned), h.plannedOf+int64(r.PlannedOf)
	h.sent, h.sentOf = h.sent+int64(r.SentBefore), h.sentOf+int64(r.SentOf)
	if r.CachedKnown && r.UsagePrompt > 0 {
		h.observed, h.counted = h.observed+int64(r.UsageCached), h.counted+int64(r.UsagePrompt)
	}
}

func (h *hits) merge(from *hits) {
	h.planned, h.plannedOf = h.planned+from.planned, h.plannedOf+from.plannedOf
	h.sent, h.sentOf = h.sent+from.sent, h.sentOf+from.sentOf
	h.observed, h.counted = h.observed+from.observed, h.counted+from.counted
}

func (h *hits) shares() (s HitShares) {
	share := func(n, of int64) *float64 {
		if of <= 0 {
			return nil
		}
		return new(float64(n) / float64(of))
	}
	return HitShares{Planned: share(h.planned, h.plannedOf), Sent: share(h.sent, h.sentOf), Measured: share(h.observed, h.counted)}
}

// cacheSums are those of the run, and over time by when prompts were sent.
type cacheSums struct {
	all    hits
	course *slots.Slots[hits]
}

// How finely hits are looked at in time.
const (
	hitWidth = 1_000_000_000 // ns
	maxHits  = 400
)

func newCacheSums() cacheSums {
	return cacheSums{course: slots.New(hitWidth, maxHits, func(into, from *hits) { into.merge(from) })}
}

func (s *cacheSums) add(r *row.Request) {
	s.all.add(r)
	s.course.At(r.Sent).add(r)
}

func (s *cacheSums) shares() (c CacheShare) {
	c.HitShares = s.all.shares()
	if c.Planned == nil && c.Sent == nil && s.all.observed == 0 {
		c.Measured = nil // nobody has asked
	}
	if c.Planned == nil && c.Sent == nil && c.Measured == nil {
		return c
	}
	for at, h := range s.course.All() {
		c.Course = append(c.Course, HitSlot{From: seconds(at), Width: seconds(s.course.Width), HitShares: h.shares()})
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
