package explain

import (
	"net/http"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/hist"
	"github.com/inferometer/inferometer/internal/judge/replica"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/slots"
)

// The memory of a collector is bounded: 600 slots of time, whose width doubles in long runs,
// a few hundred replicas and prefixes, and the slowest hundred requests.
const (
	firstWidth  = 12_500_000 // ns
	mostCells   = 600
	fineWidth   = 100_000_000 // narrower slots show chance, not the server
	shownCells  = 150
	maxPrefixes = 4096
)

// cell is what happened in a slot of time.
type cell struct {
	due, sent, ended slots.Marks
	early            sums // of the requests that were due in it: due to end
}

// sums are a mean on its way.
type sums struct {
	n   int64
	sum float64
}

func (s *sums) add(v float64) { s.n++; s.sum += v }

func (s *sums) merge(o sums) { s.n += o.n; s.sum += o.sum }

// mean is 0 of nothing.
func (s *sums) mean() float64 {
	if s.n == 0 {
		return 0
	}
	return s.sum / float64(s.n)
}

// answers are what those of one replica took.
type answers struct {
	sent        int64
	ttft, pause hist.Histogram // to the first token; the mean time between token chunks of each answer
}

// belief is what a router believed of its replicas' caches, and what they had, in tokens of the prompts of which both are told.
type belief struct {
	n                        int64
	prompt, believed, cached float64
	missed, kept             hist.Histogram // times to the first token: where the replica had far less than was believed, and of the others
}

// Collector takes in the requests of a run. It is a row.Collector.
type Collector struct {
	names                                        *replica.Names
	requests, done, failed                       int64
	refused, firstRefused                        int64 // answered with 429; when the first of them ended
	firstDue, lastDue, firstSent, lastSent, last int64
	posted, retries                              int64 // requests with warm-ups and probes; how often a gateway says that it sent one again
	chunked, atOnce                              int64 // answers of several chunks; of these, those that came at once
	course                                       *slots.Slots[cell]
	replicas                                     []answers
	byPrefix                                     map[int]int64
	belief                                       belief
	transferred                                  sums // ns, by the answers' own words

	// ns: from due to sent; of that until the pace let it go, and the wait for a slot.
	late, released, slot          sums
	lastLag, rtt                  sums // ns: of the last event; round trips
	lag                           hist.Histogram
	gaps                          hist.Histogram
	ttft                          hist.Histogram
	queue, toFirst, toLast, whole sums // ns: due to sent; sent to first token; first to last; due to last
	prompt, output                sums // tokens
	serverPrompt, serverOutput    sums // ns, by the server's own words in its answers
	serverPromptTTFT              sums // to the first token, of the same answers
	inside                        sums // ns: sent to the end, of successes
	slowest                       slowest
	times                         times

	// ns that the client lost: by sending late; by sending late and reading the last event late; until the pace let it go.
	lateEach, lossEach, releasedEach hist.Histogram
}

// NewCollector begins.
func NewCollector() *Collector {
	return &Collector{
		times: newTimes(), names: replica.NewNames(&journal.Run{}), byPrefix: map[int]int64{},
		course: slots.New(firstWidth, mostCells, func(into, from *cell) {
			into.due.Merge(from.due)
			into.sent.Merge(from.sent)
			into.ended.Merge(from.ended)
			into.early.merge(from.early)
		}),
	}
}

// Begin says whose requests come.
func (c *Collector) Begin(run *journal.Run) { c.names = replica.NewNames(run) }

// Add takes in a request. Warm-ups, samples and probes are not of the load.
func (c *Collector) Add(r *row.Request) error {
	c.posted++
	c.retries += int64(r.Retries)
	if r.Warmup {
		return nil
	}
	one := &r.Row
	if c.requests == 0 {
		c.firstDue, c.lastDue, c.firstSent, c.lastSent = one.Due, one.Due, one.Sent, one.Sent
	}
	c.requests++
	c.firstDue, c.lastDue = min(c.firstDue, one.Due), max(c.lastDue, one.Due)
	c.firstSent, c.lastSent, c.last = min(c.firstSent, one.Sent), max(c.lastSent, one.Sent), max(c.last, one.End)
	c.course.At(one.Due).due.Add(one.Due)
	c.course.At(one.Sent).sent.Add(one.Sent)
	c.course.At(one.End).ended.Add(one.End)
	c.ours(r)
	c.times.add(r)
	c.spread(r)
	if !one.OK {
		if r.Status == http.StatusTooManyRequests {
			if c.refused++; c.refused == 1 || one.End < c.firstRefused {
				c.firstRefused = one.End
			}
		}
		c.failed++
		return nil
	}
	c.done++
	c.answer(r)
	return nil
}

// ours is what the client itself took.
func (c *Collector) ours(r *row.Request) {
	one := &r.Row
	c.released.add(float64(max(one.Released, one.Due) - one.Due))
	c.slot.add(float64(one.Sent - max(one.Released, one.Due)))
	c.late.add(float64(one.Sent - one.Due))
	lag := int64(0)
	if n := len(r.Events.Lag); n > 0 {
		lag = max(r.Events.Lag[n-1], 0)
		c.lastLag.add(float64(r.Events.Lag[n-1]))
		for _, lag := range r.Events.Lag {
			c.lag.Add(max(lag, 0))
		}
	}
	c.lateEach.Add(max(one.Sent-one.Due, 0))
	c.lossEach.Add(max(one.Sent-one.Due, 0) + lag)
	c.releasedEach.Add(max(one.Released, one.Due) - one.Due)
	if r.RTT > 0 {
		c.rtt.add(float64(r.RTT))
	}
}

// answer is what a success took.
func (c *Collector) answer(r *row.Request) {
	one := &r.Row
	c.prompt.add(float64(one.Prompt))
	c.output.add(float64(one.Output))
	c.course.At(one.Due).early.add(float64(one.End - one.Due))
	whole := float64(one.End - one.Due)
	c.whole.add(whole)
	c.inside.add(float64(one.End - one.Sent))
	c.queue.add(float64(one.Sent - one.Due))
	if one.First < 0 { // in one piece
		c.slowest.add(slow{whole: whole, queue: float64(one.Sent - one.Due)})
		return
	}
	c.ttft.Add(one.First)
	c.toFirst.add(float64(one.First))
	c.toLast.add(float64(one.Last - one.First))
	c.slowest.add(slow{whole, float64(one.Sent - one.Due), float64(one.First), float64(one.Last - one.First)})
	for _, gap := range r.Gaps() {
		c.gaps.Add(gap)
	}
	if r.ServerPromptNs > 0 {
		c.serverPrompt.add(float64(r.ServerPromptNs))
		c.serverPromptTTFT.add(float64(one.First))
	}
	if r.ServerOutputNs > 0 {
		c.serverOutput.add(float64(r.ServerOutputNs))
	}
	c.answered(r)
}

// spread is which replica a request went to, and what of its prompt others have too.
func (c *Collector) spread(r *row.Request) {
	if to := c.replica(r); to != nil {
		to.sent++
	}
	if _, known := c.byPrefix[r.Prefix]; r.Prefix > 0 && (known || len(c.byPrefix) < maxPrefixes) {
		c.byPrefix[r.Prefix]++
	}
}

// replica is that of a request; nil: nobody said which.
func (c *Collector) replica(r *row.Request) *answers {
	number := c.names.Of(r.Request)
	if number < 0 {
		return nil
	}
	for len(c.replicas) <= number {
		c.replicas = append(c.replicas, answers{})
	}
	return &c.replicas[number]
}

// answered is what an answer in several pieces says of its replica and of the router.
func (c *Collector) answered(r *row.Request) {
	one, chunks := &r.Row, int64(len(r.Chunks))
	if to := c.replica(r); to != nil {
		to.ttft.Add(one.First)
		if chunks > 1 {
			to.pause.Add((one.Last - one.First) / (chunks - 1))
		}
	}
	if chunks >= atOnceChunks {
		c.chunked++
		if float64(one.Last-one.First) < atOncePause*float64(chunks-1) {
			c.atOnce++
		}
	}
	if r.ServerTransferNs > 0 {
		c.transferred.add(float64(r.ServerTransferNs))
	}
	if b := &c.belief; r.BelievedKnown && r.CachedKnown && r.UsagePrompt > 0 {
		b.n++
		b.prompt, b.believed, b.cached = b.prompt+float64(r.UsagePrompt), b.believed+float64(r.Believed), b.cached+float64(r.UsageCached)
		if float64(r.Believed-r.UsageCached) >= missedPart*float64(r.UsagePrompt) {
			b.missed.Add(one.First)
		} else {
			b.kept.Add(one.First)
		}
	}
}

// settle brings the slots to a width at which they show the server.
func (c *Collector) settle() {
	for len(c.course.Cells) > shownCells || c.course.Width < fineWidth {
		c.course.Widen()
	}
}
