package bounds

import (
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/hist"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/sample"
)

// effects gathers what a disturbed client, machine or network did to the numbers, request by request.
type effects struct {
	kernel, sameMachine bool
	metrics             []effectsOn
	gaps                heldValues
	rest                float64 // ns, by how much answers were too long after their first token for being held up
	lossy               int     // successes of which segments were lost
	samples             func() []journal.Sample
	cycle               cycle
}

// effectsOn are those on a metric per request.
type effectsOn struct {
	name            string
	of              func(r *row.Row) (float64, bool)
	fromSent, rest  bool // it begins with the request; it has the time after the first event in it
	wayIn, connects uncertain
	held            heldValues
	lost            *hist.Histogram // requests of which segments were lost; nil: there are none
	lostSum         float64
}

func newEffects(run *journal.Run, samples func() []journal.Sample) effects {
	e := effects{kernel: run.Clock == "kernel", sameMachine: run.SameMachine(), samples: samples}
	for _, m := range []effectsOn{
		{name: "ttft", fromSent: true},
		{name: "first_token", fromSent: true},
		{name: "first_visible", fromSent: true},
		{name: "tpot", rest: true},
		{name: "e2el", fromSent: true, rest: true},
	} {
		m.of = metric.Lookup(m.name).Of
		e.metrics = append(e.metrics, m)
	}
	return e
}

// add takes in a success.
func (e *effects) add(r *row.Request) {
	first, rest := heldIn(r, func(ns, by int64) { e.gaps.add(sample.Nanoseconds(row.Seconds(ns)), by) })
	lossy := r.Retransmits > 0 || r.Reordered > 0
	if lossy {
		e.lossy++
	}
	e.rest += float64(rest)
	e.cycle.add(r)
	for i := range e.metrics {
		m := &e.metrics[i]
		v, ok := m.of(&r.Row)
		if !ok {
			continue
		}
		ns := int64(0)
		if m.rest {
			ns = rest
		}
		if m.fromSent {
			ns += first
			kept, left := v-min(row.Seconds(r.Connect), v), max(v-max(row.Seconds(r.Written-r.Connect), 0), 0)
			m.connects.one(v, kept, v, kept)
			m.wayIn.one(v, left, v, left)
		} else {
			ns /= int64(max(r.Row.Output-1, 1)) // per token
		}
		m.held.add(sample.Nanoseconds(v), ns)
		if lossy {
			m.lose(sample.Nanoseconds(v))
		}
	}
}

func (m *effectsOn) lose(ns int64) {
	if m.lost == nil {
		m.lost = hist.New(hist.FullBits)
	}
	m.lost.Add(ns)
	m.lostSum += float64(ns)
}

// without says what the statistics are of requests that lost nothing.
func (m *effectsOn) without(r *Range, s *sample.Sample, st *sample.Stats) {
	if m.lost == nil || m.lost.Count() >= s.N() {
		return
	}
	n, k := float64(s.N()), float64(m.lost.Count())
	r.widen("mean_ms", Loss, st.Mean-(st.Mean*n-m.lostSum/1e6)/(n-k), 0)
	others := s.Histogram().Without(m.lost)
	for _, p := range st.Percentiles {
		r.widen(percentileKey(p.P), Loss, p.Value-others.Percentile(p.P)/1e6, 0)
	}
}

// fewLossy requests that lost a segment are no finding.
const fewLossy = 3

// widen adds them to the bounds of a metric. all has those of the metrics before it.
func (e *effects) widen(name string, r *Range, s *sample.Sample, percentiles []float64, all *Bounds) {
	if name == "inter_token" { // as its chunks
		chunks := all.Metrics["itl"]
		for statistic, parts := range chunks.Parts {
			r.widen(statistic, HeldUp, parts[HeldUp][0]*ratioOf(r.Bounds[statistic][1], chunks.Bounds[statistic][1]), 0)
		}
		return
	}
	st := s.Stats(boundedPercentiles(percentiles))
	held := &e.gaps
	for i := range e.metrics {
		m := &e.metrics[i]
		if m.name != name {
			continue
		}
		held = &m.held
		m.connects.widen(r, Connecting, s, &st)
		m.wayIn.widen(r, WayIn, s, &st)
		if e.lossy >= fewLossy {
			m.without(r, s, &st)
		}
	}
	if e.counts() {
		samples := e.samples()
		likely := usual(s.Histogram())
		least := likely
		switch name {
		case "itl":
		case "tpot": // what is usual is known of each request
			least, likely = 0, 0
		default: // each by itself may be longer than it would have been
			least = int64(s.Histogram().Percentile(0))
		}
		u := held.unsure(s, least, likely)
		u.widen(r, HeldUp, s, &st)
		if name == "tpot" {
			least = usual(s.Histogram())
		}
		e.turns(name, turnsOf(samples), r, s, &st, float64(least)/1e6, all)
	}
}

// counts says whether it matters that this process was held up: by the kernel's times of a server elsewhere it does no harm, but
// where all of the machine was.
func (e *effects) counts() bool { return e.sameMachine || !e.kernel || stolen(e.samples()) }

// turns widens the bounds by what turns of other programs can have added, where that is more than what is known of
// each value by itself.
func (e *effects) turns(name string, t turns, r *Range, s *sample.Sample, st *sample.Stats, usual float64, all *Bounds) {
	if t.share == 0 {
		return
	}
	more := func(statistic string, below, value float64) {
		before := r.Parts[statistic][HeldUp][0]
		if below = min(below, value-usual); below > before {
			r.Bounds[statistic] = Ends{r.Bounds[statistic][0] + before, r.Bounds[statistic][1]}
			r.widen(statistic, HeldUp, below, 0)
		}
	}
	each, wakeups := t.share*t.ns/1e6, 1.0
	switch name {
	case "tpot": // a mean of many
		more("mean_ms", each, st.Mean)
		for _, p := range st.Percentiles {
			more(percentileKey(p.P), each, p.Value)
		}
		return
	case "e2el":
		tokens := ratioOf(st.Mean-all.Metrics["ttft"].Bounds["mean_ms"][1], all.Metrics["tpot"].Bounds["mean_ms"][1])
		more("mean_ms", each*(2+max(tokens, 0)), st.Mean)
		for _, p := range st.Percentiles {
			more(percentileKey(p.P), each*(2+max(tokens, 0)), p.Value)
		}
		return
	case "itl":
	default:
		wakeups = 2 // for the request, and for its first token
	}
	more("mean_ms", each*wakeups, st.Mean)
	for _, p := range st.Percentiles {
		more(percentileKey(p.P), t.below(s, p.P, p.Value, wakeups), p.Value)
	}
}

func ratioOf(a, b float64) float64 {
	if b <= 0 {
		return 0
	}
	return a / b
}

// stolen says whether the hypervisor took time from a client's machine: then the kernel's times are late too.
func stolen(samples []journal.Sample) bool {
	const grain = 20e6 // ns: the system counts in ticks of 10 ms
	first := map[int]int64{}
	for i := range samples {
		s := &samples[i]
		if from, ok := first[s.Agent]; !ok {
			first[s.Agent] = s.StealNs
		} else if from >= 0 && s.StealNs-from > grain {
			return true
		}
	}
	return false
}
