package explain

import (
	"net/http"

	"github.com/inferometer/inferometer/internal/judge/hist"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/slots"
)

// The memory of a collector is bounded: 600 slots of time, whose width doubles in long runs,
// a few hundred targets, and the slowest hundred requests.
const (
	firstWidth  = 12_500_000 // ns
	mostCells   = 600
	fineWidth   = 100_000_000 // narrower slots show chance, not the server
	shownCells  = 150
	mostTargets = 256
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

// replica is what the answers of one server took.
type replica struct {
	sent        int64
	ttft, pause hist.Histogram // to the first token; the mean time between token chunks of each answer
}

// Collector takes in the requests of a run. It is a row.Collector.
type Collector struct {
	requests, done, failed                       int64
	refused, firstRefused                        int64 // answered with 429; when the first of them ended
	firstDue, lastDue, firstSent, lastSent, last int64
	course                                       *slots.Slots[cell]
	replicas                                     []replica

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
		times: newTimes(),
		course: slots.New(firstWidth, mostCells, func(into, from *cell) {
			into.due.Merge(from.due)
			into.sent.Merge(from.sent)
			into.ended.Merge(from.ended)
			into.early.merge(from.early)
		}),
	}
}

// Add takes in a request. Warm-ups, samples and probes are not of the load.
func (c *Collector) Add(r *row.Request) error {
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
	c.replica(r)
}

func (c *Collector) replica(r *row.Request) {
	if r.Target < 0 || r.Target >= mostTargets {
		return
	}
	for len(c.replicas) <= r.Target {
		c.replicas = append(c.replicas, replica{})
	}
	one, to := &r.Row, &c.replicas[r.Target]
	to.sent++
	to.ttft.Add(one.First)
	if n := int64(len(r.Chunks)); n > 1 {
		to.pause.Add((one.Last - one.First) / (n - 1))
	}
}

// settle brings the slots to a width at which they show the server.
func (c *Collector) settle() {
	for len(c.course.Cells) > shownCells || c.course.Width < fineWidth {
		c.course.Widen()
	}
}
