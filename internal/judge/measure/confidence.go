package measure

import (
	"strconv"

	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/sample"
	"github.com/inferometer/inferometer/internal/stats"
)

// Confidence is the intervals of a run's numbers.
type Confidence struct {
	Level     float64
	Intervals []NamedInterval
}

// NamedInterval is an interval under the key of its number in the result file:
// vLLM's key, or the path below "inferometer".
type NamedInterval struct {
	Key   string
	Label string // for the console; empty: not shown there
	sample.Interval
	Early *sample.EarlyStopping // of a percentile from the median on
}

// confidence computes the intervals of all that is reported with a distribution.
func (c *collector) confidence(r *Result) Confidence {
	out := Confidence{Level: sample.Level}
	e := c.evidence()
	for i := range r.Metrics {
		m := &r.Metrics[i]
		s, ch := c.gaps, stats.Chain{}
		switch {
		case m.Metric.Scope == metric.PerJob:
			s, ch = c.jobs.sample(m.Metric.Name)
		case m.Metric.Of != nil:
			s, ch = c.sample(m.Metric.Name), e.chain(m.Metric.Of)
		default:
			ch = e.gaps.chain()
		}
		out.metric(m, s, &ch)
	}
	out.Intervals = append(out.Intervals, c.rates(r, &e)...)
	for _, from := range []string{"sent.", "due."} {
		for _, name := range []string{"ttft", "first_token", "e2el"} {
			out.summary(from+name, c.sample(from+name), &e, c.seriesNamed(from+name))
		}
	}
	for i := range out.Intervals {
		out.Intervals[i].Ask(r.Completed)
	}
	return out
}

func (out *Confidence) add(key, label string, in sample.Interval) {
	out.Intervals = append(out.Intervals, NamedInterval{Key: key, Label: label, Interval: in})
}

// percentile adds both answers to the question whether the sample carries a percentile.
func (out *Confidence) percentile(key, label string, s *sample.Sample, ch *stats.Chain, p, estimate float64) {
	out.Intervals = append(out.Intervals, NamedInterval{key, label, sample.PercentileInterval(s, ch, p, estimate), s.EarlyStopping(p)})
}

// metric adds mean, median and percentiles of a reported metric.
func (out *Confidence) metric(m *MetricStats, s *sample.Sample, ch *stats.Chain) {
	key := func(stat string) string { return stat + "_" + m.Metric.Name + "_ms" }
	st := &m.Stats
	s.Stats(nil) // puts the values' sums away, so that ranks can be asked for
	out.add(key("mean"), m.Metric.Short+" mean", sample.MeanInterval(st, ch))
	out.percentile(key("median"), m.Metric.Short+" median", s, ch, 50, st.Median)
	for _, p := range st.Percentiles {
		word := percentileWord(p.P)
		out.percentile(key("p"+word), m.Metric.Short+" p"+word, s, ch, p.P, p.Value)
	}
}

// dueLabels are the summaries that the console shows: those from sent are metrics already.
var dueLabels = map[string]string{"due.ttft": "TTFT, due", "due.e2el": "E2EL, due"}

// summary adds the same for a summary of ours.
func (out *Confidence) summary(name string, s *sample.Sample, e *evidence, of *series) {
	ch := e.chain(of.of)
	st := s.Stats([]float64{50, 90, 99, 99.9})
	key, label := "latency."+name+".", dueLabels[name]
	labelled := func(stat string) string {
		if label == "" || stat == "p90" || stat == "p999" { // the console's table has none of these
			return ""
		}
		return label + " " + stat
	}
	out.add(key+"mean_ms", labelled("mean"), sample.MeanInterval(&st, &ch))
	for i, word := range []string{"p50", "p90", "p99", "p999"} {
		out.percentile(key+word+"_ms", labelled(word), s, &ch, st.Percentiles[i].P, st.Percentiles[i].Value)
	}
}

// evidence is what there is of rows and gaps in the order of time.
func (c *collector) evidence() evidence {
	rows := c.rows
	if c.aggregates != nil {
		rows = c.aggregates.early
	}
	return evidence{bySent(rows), c.gapLog}
}

// rates are the intervals of the throughputs.
func (c *collector) rates(r *Result, e *evidence) []NamedInterval {
	inSlots := map[string]func(*cell) float64{ // the others are not counted in slots
		"request_throughput": func(c *cell) float64 { return float64(c.ended) },
		"output_throughput":  func(c *cell) float64 { return float64(c.tokens) },
	}
	var out []NamedInterval
	for _, m := range metric.All() {
		estimate, ok := r.Number(&m)
		if m.Each == nil || !ok {
			continue
		}
		var in sample.Interval
		switch {
		case c.aggregates == nil:
			in = sample.RateInterval(e.slots(r.Duration, m.Each), r.Duration, estimate, r.Completed)
			in.Drained(e.drain(r.Duration))
		case inSlots[m.Name] != nil:
			in = sample.RateInterval(c.aggregates.slots.rebin(r.Duration, inSlots[m.Name]), r.Duration, estimate, r.Completed)
		default:
			in = sample.Interval{Estimate: estimate, N: r.Completed, Method: sample.ByBatchMeans, Reason: "too many requests to know each one's moment"}
		}
		out = append(out, NamedInterval{Key: m.Name, Label: m.Short, Interval: in})
	}
	return out
}

// rebin adds slots up into those of a rate.
func (s *counts) rebin(duration float64, of func(*cell) float64) []float64 {
	out := make([]float64, rateSlots)
	for at, c := range s.All() {
		slot, _ := place(at, duration)
		out[slot] += of(c)
	}
	return out
}

// percentileWord is 99 for 99.0 and 99.9 for 99.9.
func percentileWord(p float64) string { return strconv.FormatFloat(p, 'f', -1, 64) }
