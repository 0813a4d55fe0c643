// Package bounds says by how much each number of a run can be off, and why: reads that hold several
// events, the way in, connections, a client or machine that was held up, lost segments.
package bounds

import (
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/sample"
)

// Bounds are by how much each shown number can be off, whatever the reason: see Part. They hold for what the server
// sent; where the machine was held up and the server is on it, also for what it would have sent.
type Bounds struct {
	Known  bool
	Reason string // why not
	Stamps string // kernel or user: what the times of events are
	Events int64  // of the successes
	// Within are those of them that are known within bounds only.
	Within int64
	// StampError is by how much the kernel's time of an event alone may be off: it is not in
	// the bounds.
	StampError float64
	Metrics    map[string]Range // by the names of metrics
	// Rates are those of numbers that are counts over time: request_throughput and so on.
	Rates map[string]Ends
	// RateParts are by what shares the rates can be higher, and why.
	RateParts map[Part]float64
	// HeldKnown: the journal says when the client was held up.
	HeldKnown bool
}

// Part is one of the reasons why a number can be off.
type Part string

// The parts of bounds. They are added up.
const (
	SharedReads Part = "shared_reads" // events whose time is that of a later one: see row.Within
	WayIn       Part = "way_in"       // from the clock's reading to the write's end: the request left in between
	Connecting  Part = "connecting"   // in TTFT by its definition, and none of the server's time
	HeldUp      Part = "held_up"      // the machine stood still, or others had its processors
	Loss        Part = "loss"         // requests of which segments were lost
	Lag         Part = "lag"          // of rates: the client read an answer late, and so ended late or sent the next one late
)

// Range is a metric with its bounds.
type Range struct {
	Count  int
	Within int // values that are known within bounds only
	// Bounds of mean_ms, p99_ms and so on: at least, at most.
	Bounds map[string]Ends
	// Shown are the values themselves.
	Shown map[string]float64
	// Parts are by how much each reason is likely to have moved the value: it would be so much lower, or higher, in
	// milliseconds. The bounds hold in the worst case too.
	Parts map[string]map[Part]Ends
}

// widen adds a part to the bounds of a statistic.
func (r *Range) widen(statistic string, p Part, below, above float64) {
	ends, ok := r.Bounds[statistic]
	if below, above = max(below, 0), max(above, 0); !ok || below+above == 0 {
		return
	}
	r.Bounds[statistic] = Ends{max(ends[0]-below, 0), ends[1] + above}
	if r.Parts[statistic] == nil {
		r.Parts[statistic] = map[Part]Ends{}
	}
	r.Parts[statistic][p] = Ends{below, above}
}

// likely says by how much a part has moved a statistic, where that is less than the worst case.
func (r *Range) likely(statistic string, p Part, by float64) {
	if _, ok := r.Parts[statistic][p]; ok {
		r.Parts[statistic][p] = Ends{max(-by, 0), max(by, 0)}
	}
}

// Likely are the likely ends of a statistic, but for some of the parts: what several reasons did is mostly the same.
func (r *Range) Likely(statistic string, but ...Part) Ends {
	ends := Ends{r.Shown[statistic], r.Shown[statistic]}
	for p, by := range r.Parts[statistic] {
		if !slices.Contains(but, p) {
			ends[0], ends[1] = min(ends[0], r.Shown[statistic]-by[0]), max(ends[1], r.Shown[statistic]+by[1])
		}
	}
	return Ends{max(ends[0], 0), ends[1]}
}

// Ends are a lower and an upper bound, in milliseconds.
type Ends [2]float64

// Width is how far the ends are apart.
func (i Ends) Width() float64 { return i[1] - i[0] }

// Wide says whether bounds are worth a word: wider than two percent of the value and than a tenth of a millisecond.
func (i Ends) Wide(value float64) bool { return i.Width() > max(wideShare*value, wideMS) }

const (
	wideShare = 0.02
	wideMS    = 0.1
	// stampError is what the self-test holds the median of the kernel's stamps to; docs/accuracy.md
	// has what it was.
	stampError = 0.05
)

// Of are the bounds of a statistic of a metric, such as p99 of ttft; ok is false where there are none.
func (b *Bounds) Of(name, statistic string) (i Ends, ok bool) {
	if b == nil || !b.Known {
		return Ends{}, false
	}
	if name == "inter_chunk" {
		name = "itl"
	}
	if statistic == "median" {
		statistic = "p50"
	}
	i, ok = b.Metrics[name].Bounds[statistic+"_ms"]
	return i, ok
}

// boundsOf gathers bounds, request by request.
type Collector struct {
	kernel, known bool
	within        row.Within
	events, n     int64
	list          []requestBounds
	gaps, tokens  uncertain
	effects       effects
}

// requestBounds are those of a metric per request.
type requestBounds struct {
	name      string
	of        func(r *row.Row) (v float64, ok bool)
	low, high func(r row.Row, e row.Early) (v float64, ok bool)
	uncertain
}

// newBounds begins the bounds of a run. samples are asked for at its end: they say how the client's machine did.
func NewCollector(run *journal.Run, samples func() []journal.Sample) *Collector {
	value := func(name string) func(*row.Row) (float64, bool) { return metric.Lookup(name).Of }
	ttft, tpot, e2el := value("ttft"), value("tpot"), value("e2el")
	one := func(name string, earlier func(r *row.Row, e row.Early)) requestBounds {
		of := value(name)
		return requestBounds{
			name: name, of: of,
			low:  func(r row.Row, e row.Early) (float64, bool) { earlier(&r, e); return of(&r) },
			high: func(r row.Row, _ row.Early) (float64, bool) { return of(&r) },
		}
	}
	return &Collector{
		effects: newEffects(run, samples),
		known:   run.ReadEnds, kernel: run.Clock == "kernel",
		list: []requestBounds{
			{
				name: "ttft", of: ttft,
				low: func(r row.Row, e row.Early) (float64, bool) {
					r.First -= min(e.First, max(r.First, 0))
					return ttft(&r)
				},
				high: func(r row.Row, _ row.Early) (float64, bool) { return ttft(&r) },
			},
			one("first_token", func(r *row.Row, e row.Early) { r.FirstToken -= e.FirstToken }),
			one("first_visible", func(r *row.Row, e row.Early) { r.FirstVisible -= e.FirstVisible }),
			{
				name: "tpot", of: tpot,
				low:  func(r row.Row, e row.Early) (float64, bool) { r.Last = max(r.Last-e.Last, r.First); return tpot(&r) },
				high: func(r row.Row, e row.Early) (float64, bool) { r.First -= e.First; return tpot(&r) },
			},
			{
				name: "e2el", of: e2el,
				low:  func(r row.Row, e row.Early) (float64, bool) { r.Last -= e.Last; return e2el(&r) },
				high: func(r row.Row, _ row.Early) (float64, bool) { return e2el(&r) },
			},
		},
	}
}

// add takes in a success.
func (b *Collector) Add(r *row.Request) {
	if !b.known || r.Row.Whole {
		return
	}
	b.effects.add(r)
	b.within.Read(r.Request, b.kernel)
	unsure := 0
	for i := range b.within.At {
		if !b.within.Exact(i) {
			unsure++
		}
	}
	b.events += int64(len(b.within.At))
	b.n += int64(unsure)
	b.within.Chunks(r, b.gaps.see, b.gaps.stretch)
	b.within.Tokens(r, b.tokens.see, b.tokens.stretch)
	early := row.Early{}
	if unsure > 0 {
		early = b.within.Early(r)
	}
	likely := min(likelyEarly(r), early.First)
	for i := range b.list {
		m := &b.list[i]
		v, ok := m.of(&r.Row)
		if !ok {
			continue
		}
		if early == (row.Early{}) {
			m.sure(v)
			continue
		}
		low, _ := m.low(r.Row, early)
		high, _ := m.high(r.Row, early)
		m.one(v, low, high, min(max(v+m.moved(r, likely), low), high))
	}
}

// moved is by how much a value likely changes where the first event came so much earlier than its time says. The last one
// shares its read with what ends the stream, and is as good as at its time.
func (m *requestBounds) moved(r *row.Request, early int64) float64 {
	switch m.name {
	case "tpot":
		return row.Seconds(early) / float64(max(r.Row.Output-1, 1))
	case "e2el":
		return 0
	}
	return -row.Seconds(early)
}

// likelyEarly is by how much the first token chunk of a request likely came earlier than its time says: those behind it in
// its read came as far apart as the others.
func likelyEarly(r *row.Request) int64 {
	behind, chunks, at := 0, 0, int64(0)
	first, last := int64(-1), int64(-1)
	for i, gap := range r.Events.At {
		if at += gap; r.Events.Kind[i]&row.CarriesText == 0 { // a role shares the read of the first token: servers send them so
			continue
		}
		if chunks++; first < 0 {
			first = at
		} else if at == first {
			behind++
		}
		last = at
	}
	if behind == 0 {
		return 0
	}
	return int64(behind) * (last - first) / int64(max(chunks-1-behind, 1))
}

// Measured is what bounds are laid around: numbers of all successes.
type Measured struct {
	Run         *journal.Run
	Percentiles []float64 // that were asked for
	Completed   int
	Duration    float64            // seconds
	Rates       map[string]float64 // what was counted over it, by the names of metrics
	LastEnd     int64              // of all requests
	Closed      bool               // the next request waits for one before it
	Sample      func(series string) *sample.Sample
	Gaps        *sample.Sample // between token chunks
	TokenGaps   *sample.Sample // nil: not known
}

// result are the bounds of all metrics that have values.
func (b *Collector) Result(of Measured) *Bounds {
	out := &Bounds{Known: b.known, Stamps: of.Run.Clock, Events: b.events, Within: b.n, StampError: stampError, Metrics: map[string]Range{}}
	switch {
	case of.Run.Options.Whole():
		out.Known, out.Reason = false, "answers came in one piece"
	case !b.known:
		out.Reason = "the journal does not say which events ended their reads: it is of an older version"
	case of.Completed == 0:
		out.Known, out.Reason = false, "no request succeeded"
	}
	if !out.Known {
		return out
	}
	put := func(name string, u *uncertain, s *sample.Sample) {
		if s.N() == 0 {
			return
		}
		m := u.bounds(s, of.Percentiles)
		b.effects.widen(name, &m, s, of.Percentiles, out)
		out.Metrics[name] = m
	}
	for i := range b.list {
		m := &b.list[i]
		from := "sent."
		if m.name == "tpot" {
			from = "each."
		}
		put(m.name, &m.uncertain, of.Sample(from+m.name))
	}
	put("itl", &b.gaps, of.Gaps)
	if of.TokenGaps != nil {
		put("inter_token", &b.tokens, of.TokenGaps)
	}
	out.HeldKnown = of.Run.Holds
	out.Rates = b.effects.rates(&of, out)
	return out
}

// Line is a statistic whose bounds are so wide that a reader should know.
type Line struct {
	Metric    metric.Metric
	Statistic string // mean, p50, p90, p99, max
	Value     float64
	Ends
}

// Share is how many of the events are known within bounds only.
func (b *Bounds) Share() float64 { return ratioOf(float64(b.Within), float64(b.Events)) }
