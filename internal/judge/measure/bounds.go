package measure

import (
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// Bounds are what is known of latencies whose events share a read: see row.Within. They hold
// for the moments at which the kernel had the bytes.
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
}

// Range is a metric with its bounds.
type Range struct {
	Count  int
	Within int // values that are known within bounds only
	// Bounds of mean_ms, p99_ms and so on: at least, at most.
	Bounds map[string]Ends
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
type boundsOf struct {
	kernel, known bool
	within        row.Within
	events, n     int64
	list          []requestBounds
	gaps, tokens  unsure
}

// requestBounds are those of a metric per request.
type requestBounds struct {
	name      string
	of        func(r *row.Row) (v float64, ok bool)
	low, high func(r row.Row, e row.Early) (v float64, ok bool)
	unsure
}

func newBounds(run *journal.Run) *boundsOf {
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
	return &boundsOf{
		known: run.ReadEnds, kernel: run.Clock == "kernel",
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
func (b *boundsOf) add(r *row.Request) {
	if !b.known || r.Row.Whole {
		return
	}
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
		m.one(v, low, high)
	}
}

// result are the bounds of all metrics that have values.
func (b *boundsOf) result(c *collector, r *Result) *Bounds {
	out := &Bounds{Known: b.known, Stamps: c.run.Clock, Events: b.events, Within: b.n, StampError: stampError, Metrics: map[string]Range{}}
	switch {
	case c.run.Options.Whole():
		out.Known, out.Reason = false, "answers came in one piece"
	case !b.known:
		out.Reason = "the journal does not say which events ended their reads: it is of an older version"
	case r.Completed == 0:
		out.Known, out.Reason = false, "no request succeeded"
	}
	if !out.Known {
		return out
	}
	put := func(name string, u *unsure, s *Sample) {
		if s.N() > 0 {
			out.Metrics[name] = u.bounds(s, c.opt.Percentiles)
		}
	}
	for i := range b.list {
		m := &b.list[i]
		switch m.name {
		case "tpot":
			put(m.name, &m.unsure, c.sample("each.tpot"))
		default:
			put(m.name, &m.unsure, c.sample("sent."+m.name))
		}
	}
	put("itl", &b.gaps, c.gaps)
	if r.InterToken.Known {
		put("inter_token", &b.tokens, c.tokGaps)
	}
	return out
}
