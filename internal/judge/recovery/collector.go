package recovery

import (
	"cmp"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/slots"
)

// maxRequests is how many are kept one by one: a fault is known only when all have been seen. That is some 80 MB.
const maxRequests = 1 << 21

// Tokens are counted in time in cells of this width, which doubles in a run of hours.
const (
	cellWidth = 50_000_000 // ns
	maxCells  = 1 << 14
)

// Planned says whether faults belong to a run, by its Spec: without any there is nothing to collect.
func Planned(o *journal.Options) bool {
	switch o.Workload[key] {
	case "", "null", "[]":
		return false
	}
	return true
}

// key is where a Spec has them.
const key = "load.faults"

// Collector takes in the requests of a run with faults. It is a row.Collector.
type Collector struct {
	run    *journal.Options
	list   []seen
	left   int // requests that were too many
	tokens *slots.Slots[int64]
	last   int64             // the latest send
	names  []journal.Outcome // of outcomes, by their place
}

// seen is what is kept of a request. Durations are in microseconds from sent; -1: there was none.
type seen struct {
	sent, end       int64
	index           int32
	first           int32
	gap, gapEnd     int32 // the longest pause between two chunks of its answer, and when it was over
	tokens          int32
	outcome         uint8 // a place in Collector.names
	failed, neither bool  // neither: we ended it ourselves
	good, retried   bool
}

// NewCollector begins; nil where the run has no faults.
func NewCollector(run *journal.Run) *Collector {
	if !Planned(&run.Options) {
		return nil
	}
	return &Collector{run: &run.Options, names: slices.Clone(journal.Outcomes), tokens: slots.New(cellWidth, maxCells, func(into, from *int64) { *into += *from })}
}

// Add takes in a request. Warm-ups are not looked at.
func (c *Collector) Add(r *row.Request) {
	if c == nil || r.Warmup {
		return
	}
	c.last = max(c.last, r.Sent)
	for _, a := range r.Arrivals() {
		*c.tokens.At(a.At) += int64(a.Tokens)
	}
	if len(c.list) == maxRequests {
		c.left++
		return
	}
	s := seen{
		sent: r.Sent, end: r.End, index: int32(r.Index), first: micros(r.Row.First), gap: -1, gapEnd: -1, tokens: r.Row.Got,
		outcome: c.place(r.Outcome), good: r.Row.Good || len(c.run.Goodput) == 0,
		retried: r.Row.OK && r.Retries > 0, neither: ended(r.Outcome), failed: !r.Row.OK && !ended(r.Outcome),
	}
	if r.Row.Whole {
		s.first = micros(r.Row.Last)
	}
	if s.first < 0 {
		s.tokens = 0
	}
	for end, gap := range r.Gaps() {
		if m := micros(gap); m > s.gap {
			s.gap, s.gapEnd = m, micros(end-r.Sent)
		}
	}
	c.list = append(c.list, s)
}

// place is that of an outcome, be it one of a newer version.
func (c *Collector) place(o journal.Outcome) uint8 {
	i := slices.Index(c.names, o)
	if i < 0 && len(c.names) < math.MaxUint8 {
		i, c.names = len(c.names), append(c.names, o)
	}
	return uint8(max(i, 0))
}

// ended says that this client ended a request on purpose, so that its outcome tells nothing of the server.
func ended(o journal.Outcome) bool { return o == journal.Cancelled || o == journal.HungUp }

func micros(ns int64) int32 {
	if ns < 0 {
		return -1
	}
	return int32(min(ns/1000, math.MaxInt32))
}

// at is a moment of a request on the run's clock.
func (s *seen) at(us int32) int64 { return s.sent + int64(us)*1000 }

// firstKnown is when it was clear how long its first token took: it came, or it never will.
func (s *seen) firstKnown() int64 {
	if s.first >= 0 {
		return s.at(s.first)
	}
	return s.end
}

// Result is what was felt of the faults; nil: there were none.
func (c *Collector) Result(faults []journal.Fault, within float64) *Recovery {
	if c == nil || len(faults) == 0 {
		return nil
	}
	if within <= 0 {
		within = Within
	}
	slices.SortStableFunc(c.list, func(a, b seen) int { return cmp.Compare(a.sent, b.sent) })
	faults = slices.Clone(faults)
	slices.SortStableFunc(faults, func(a, b journal.Fault) int { return cmp.Compare(a.At, b.At) })
	r := &Recovery{Within: within, Episodes: []Episode{}}
	var done []journal.Fault
	for i := range faults {
		if faults[i].Error != "" {
			r.NotDone = append(r.NotDone, shown(&faults[i]))
			continue
		}
		done = append(done, faults[i])
	}
	if len(done) == 0 {
		return r
	}
	j := c.judge(done[0].At, within)
	r.Before, r.Unknown = j.told(), j.unknown
	r.Episodes = j.episodes(done)
	return r
}

// shown is a fault with times in seconds.
func shown(f *journal.Fault) Fault {
	out := Fault{At: seconds(f.At), Do: f.Do, On: f.On, Detail: f.Detail, Error: f.Error}
	if f.Done > 0 {
		out.Done = new(seconds(f.Done))
	}
	return out
}

func seconds(ns int64) float64 { return row.Seconds(ns) }
