package section

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/sample"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
	"github.com/inferometer/inferometer/internal/stats"
)

func init() {
	Add(atLatencies, latencies)
	Add(atLatencies, bounds)
	Add(atLatencies, sampled)
}

// latencies are the run's own, from sending and from when requests were due, and how far they can be trusted.
func latencies(run *Run) *Section {
	r := run.Result
	t := latencyTable("Latencies of the requests that succeeded, in ms: from sending, and from when they were due")
	facts := &table.Table{}
	tokens := !r.Run.Options.Whole() // else an answer is one piece, and has no times of tokens
	if tokens {
		addLatency(t, "TTFT, sent", &r.Latency.Sent.TTFT)
		addLatency(t, "TTFT, due", &r.Latency.Due.TTFT)
	}
	addLatency(t, "E2EL, sent", &r.Latency.Sent.E2EL)
	addLatency(t, "E2EL, due", &r.Latency.Due.E2EL)
	if tokens {
		visible(t, facts, &r.Latency.Sent)
		between(t, facts, r)
	}
	for i := range r.More {
		addLatency(t, r.More[i].Metric.Short, &r.More[i].Summary)
	}
	if p := r.Probe; p != nil && p.Completed > 0 {
		addLatency(t, "TTFT, probes", &p.TTFT)
	} else if p != nil {
		facts.Fact("Probes", fmt.Sprintf("none of %d came back", p.Failed))
	}
	addSpread(t, "Client lag", r.Client.Lag, r.Client.Events)
	addSpread(t, "Sent late by", r.Client.Lateness, int64(r.Requests))
	return &Section{ID: "latency", Title: "Latencies", Tables: []*table.Table{t, facts}}
}

func latencyTable(title string) *table.Table {
	ms := number.Millis
	return &table.Table{Title: title, Columns: slices.Concat(
		table.Words("ms"), table.Numbers(ms, "mean", "p50"), wide(ms, "p90"), table.Numbers(ms, "p99"), wide(ms, "p99.9"), table.Numbers(ms, "max"), wide(number.Count, "values"),
	)}
}

func addLatency(t *table.Table, name string, s *measure.Summary) {
	if s == nil || s.Count == 0 {
		return
	}
	n := int64(s.Count)
	t.Add(name, s.Mean, s.P50, enough(n, 90, s.P90), enough(n, 99, s.P99), enough(n, 99.9, s.P999), s.Max, n)
}

func addSpread(t *table.Table, name string, s *sample.Spread, n int64) {
	if s != nil {
		t.Add(name, s.Mean, s.P50, number.None, enough(n, 99, s.P99), number.None, s.Max, n)
	}
}

// enough is a percentile, or why there is none.
func enough(n int64, p, v float64) table.Cell {
	if needed := verdict.Needs(p); n < needed {
		return table.Word(fmt.Sprintf("%s (%d < %d)", number.TooFew, n, needed))
	}
	return table.Value(v)
}

// visible is the time to the first text of the answer itself, where reasoning or a tool call
// came before it; else it is what the first token says.
func visible(t, facts *table.Table, from *measure.LatencyFrom) {
	if from.FirstVisible == from.FirstToken {
		return
	}
	addLatency(t, "1st token", &from.FirstToken)
	addLatency(t, "1st visible", &from.FirstVisible)
	if n := from.FirstVisible.Count; n < from.FirstToken.Count {
		facts.Fact("Answers with visible text", fmt.Sprintf("%d of %d", n, from.FirstToken.Count))
	}
}

// between is the three latencies between tokens, each by its own name, and how the tokens of
// an event are known, or why not.
func between(t, facts *table.Table, r *measure.Result) {
	known := &r.InterToken
	addLatency(t, "Inter-chunk", &r.InterChunk)
	addLatency(t, "Inter-token", known.Summary)
	addLatency(t, "TPOT", &r.TPOT)
	if !known.Known {
		facts.Fact("Inter-token", "not known: "+known.Reason)
		return
	}
	facts.Fact("Tokens of an event by", strings.Join(known.By, ", "))
	if known.Requests < r.Completed {
		facts.Fact("Inter-token", fmt.Sprintf("of %d of %d requests; %s", known.Requests, r.Completed, known.Reason))
	}
}

// bounds is what is known of times that several events share, where that is much less than
// the latencies say.
func bounds(run *Run) *Section {
	r := run.Result
	lines := r.WideBounds()
	if len(lines) == 0 {
		return nil
	}
	t := &table.Table{
		Columns: slices.Concat(table.Words("metric", "statistic"), table.Numbers(number.Millis, "shown", "at least", "at most")),
		Notes:   []string{fmt.Sprintf("%s of the events did not end their read and carry the time of a later one: the truth lies between at least and at most, in ms.", number.Share(r.Bounds.Share()))},
	}
	for _, l := range lines {
		if l.Metric.Name == "inter_token" && maps.Equal(r.Bounds.Metrics["inter_token"].Bounds, r.Bounds.Metrics["itl"].Bounds) {
			continue
		}
		t.Add(l.Metric.Short, l.Statistic, l.Value, l.Ends[0], l.Ends[1])
	}
	return &Section{ID: "bounds", Title: "Known within bounds only", Tables: []*table.Table{t}}
}

// sampled is whether the run's values carry its percentiles, by two answers that know nothing of
// each other: our interval, and MLPerf's early stopping.
func sampled(run *Run) *Section {
	r := run.Result
	t := &table.Table{
		Title: fmt.Sprintf("Our %g %% interval, which allows for values that depend on each other, and MLPerf's early stopping, which takes them as independent: at most, with %g %% confidence. In ms",
			100*r.Confidence.Level, 100*stats.EarlyStoppingConfidence),
		Columns: slices.Concat(table.Words("percentile"), table.Numbers(number.Count, "values", "worth"), table.Numbers(number.Millis, "measured", "at least", "at most", "at most, by MLPerf"), table.Numbers(number.Count, "values that MLPerf needs")),
		Except:  table.OnConsole | table.InMarkdown,
	}
	for i := range r.Confidence.Intervals {
		in := &r.Confidence.Intervals[i]
		if in.Early != nil && in.Label != "" && in.N > 0 {
			t.Add(in.Label, in.N, in.Effective, in.Estimate, end(in.Low), end(in.High), end(in.Early.Estimate), in.Early.MinQueries)
		}
	}
	return &Section{ID: "sampled", Title: "Are there enough values for these percentiles?", Tables: []*table.Table{t}}
}

// end is one of an interval, which may have none.
func end(v *float64) table.Cell {
	if v == nil {
		return table.Word(number.TooFew)
	}
	return table.Value(*v)
}
