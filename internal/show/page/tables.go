package page

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/judge/verdict"
)

// latencyTable is the run's latencies, as the console has them and with more percentiles.
func latencyTable(id string, r *measure.Result) *table {
	t := &table{ID: id, Caption: "Latencies of the requests that succeeded, in ms", Heads: heads("metric", "#mean", "#p50", "#p90", "#p99", "#p99.9", "#max", "#values")}
	add := func(name string, s *measure.Summary) {
		if s == nil || s.Count == 0 {
			return
		}
		t.Lines = append(t.Lines, []cell{words(name), value(s.Mean), value(s.P50), carried(s, 90, s.P90), carried(s, 99, s.P99), carried(s, 99.9, s.P999), value(s.Max), value(float64(s.Count))})
	}
	add("TTFT, from sending", &r.Latency.Sent.TTFT)
	add("TTFT, from when it was due", &r.Latency.Due.TTFT)
	if f := &r.Latency.Sent.FirstVisible; f.Count > 0 && f.Mean != r.Latency.Sent.TTFT.Mean {
		add("first visible text, from sending", f)
	}
	add("between token chunks (ITL)", &r.InterChunk)
	add("between tokens", r.InterToken.Summary)
	add("per output token (TPOT)", &r.TPOT)
	add("end to end, from sending", &r.Latency.Sent.E2EL)
	add("end to end, from when it was due", &r.Latency.Due.E2EL)
	for i := range r.More {
		add(r.More[i].Metric.Title, &r.More[i].Summary)
	}
	return t
}

// boundsTable is what is known of times that several events share; nil: the latencies
// are as good as they look.
func boundsTable(id string, r *measure.Result) *table {
	lines := r.WideBounds()
	if len(lines) == 0 {
		return nil
	}
	t := &table{
		ID: id, Heads: heads("metric", "statistic", "#shown", "#at least", "#at most"),
		Caption: fmt.Sprintf("%.1f %% of the events did not end their read, and carry the time of a later one: the truth lies between, in ms", 100*r.Bounds.Share()),
	}
	for _, l := range lines {
		t.Lines = append(t.Lines, []cell{words(l.Metric.Short), words(l.Statistic), value(l.Value), value(l.Ends[0]), value(l.Ends[1])})
	}
	return t
}

// carried is a percentile, unless the values are too few for it.
func carried(s *measure.Summary, p, v float64) cell {
	if int64(s.Count) < verdict.Needs(p) {
		return cell{Text: "n/a", Class: "num"}
	}
	return value(v)
}

func outcomeTable(id string, r *measure.Result) *table {
	t := &table{ID: id, Caption: "How requests ended", Heads: heads("outcome", "#requests", "#share, %")}
	for _, o := range r.Outcomes {
		t.Lines = append(t.Lines, []cell{words(string(o.Outcome)), value(float64(o.Count)), value(100 * float64(o.Count) / float64(max(r.Requests+r.Unsent, 1)))})
	}
	return t
}

func errorTable(id string, r *measure.Result) *table {
	if len(r.Errors) == 0 {
		return nil
	}
	t := &table{ID: id, Caption: "What went wrong", Heads: heads("#requests", "outcome", "message")}
	for _, e := range r.Errors {
		t.Lines = append(t.Lines, []cell{value(float64(e.Count)), words(string(e.Outcome)), {Text: e.Message, Class: "long"}})
	}
	return t
}

func checkTable(id string, v *verdict.Verdict) *table {
	t := &table{ID: id, Caption: "Checks of the verdict", Heads: heads("check", "about", "result", "figure", "what was found")}
	for i := range v.Checks {
		c := &v.Checks[i]
		text := c.Sentence
		if c.Effect != "" {
			text += ". Effect: " + c.Effect
		}
		if c.Hint != "" {
			text += ". To do: " + c.Hint
		}
		t.Lines = append(t.Lines, []cell{words(c.Name), words(c.Group), {Text: string(c.Level), Class: levelClass(string(c.Level))}, words(c.Figure), {Text: text, Class: "long"}})
	}
	return t
}

func levelClass(level string) string {
	switch strings.ToLower(level) {
	case "ok", "valid":
		return "good"
	case "suspect":
		return "doubt"
	case "invalid":
		return "bad"
	}
	return "none"
}

func runTable(runs []Run, limits slo.SLO) *table {
	t := &table{ID: "runs", Caption: "Figures of each run; latencies in ms", Heads: heads("run", "verdict", "load", "#output tok/s", "#req/s")}
	numbers := slices.DeleteFunc(metric.UsualNames(func(u *metric.Usual) []string { return u.Page }), func(n metric.Name) bool {
		return n.Metric.OfQuestions && !slices.ContainsFunc(runs, func(r Run) bool { return r.Result.Eval != nil })
	})
	for _, n := range numbers {
		t.Heads = append(t.Heads, heads("#"+n.Column())...)
	}
	t.Heads = append(t.Heads, heads("#failed")...)
	if limits != nil {
		t.Heads = append(t.Heads, head{Text: "SLO kept"})
	}
	speculative := Speculative(runs)
	if speculative {
		t.Heads = append(t.Heads, heads("#accepted %", "#accepted length")...)
	}
	for i := range runs {
		r := runs[i].Result
		line := []cell{
			words(runs[i].Name), verdictCell(runs[i].Verdict),
			{Text: Load(r), Class: "load"},
			value(r.OutputThroughput), value(r.RequestThroughput),
		}
		for _, n := range numbers {
			line = append(line, value(numberOf(r, n)))
		}
		line = append(line, value(float64(r.Failed)))
		if limits != nil {
			line = append(line, words(map[bool]string{true: "yes", false: "no"}[Keeps(limits, r)]))
		}
		if speculative {
			rate, length := Acceptance(r)
			line = append(line, value(rate), value(length))
		}
		t.Lines = append(t.Lines, line)
	}
	return t
}

// numberOf is a number of a run for a table; NaN where it has none.
func numberOf(r *measure.Result, n metric.Name) float64 {
	if n.Statistic != "" {
		return tabled(r, string(n.Statistic), n.Metric.Name)
	}
	if v, ok := r.Number(n.Metric); ok {
		return v
	}
	return math.NaN()
}

func verdictCell(v *verdict.Verdict) cell {
	if v == nil {
		return cell{Text: "not judged", Class: "none"}
	}
	return cell{Text: v.Word(), Class: levelClass(string(v.Level))}
}

// targetTable is each of several servers by itself; nil with one.
func targetTable(id string, r *measure.Result) *table {
	if r.Targets == nil {
		return nil
	}
	t := &table{ID: id, Caption: "Each server by itself; latencies in ms", Heads: heads("server", "#requests", "#completed", "#output tok/s", "#req/s",
		"#TTFT mean", "#TTFT p99", "#TPOT mean", "#E2EL p99", "#most at once")}
	for i := range r.Targets.Each {
		e := &r.Targets.Each[i]
		t.Lines = append(t.Lines, []cell{
			{Text: e.URL, Class: "long"},
			value(float64(e.Requests)), value(float64(e.Completed)), value(e.OutputThroughput), value(e.RequestThroughput),
			value(e.TTFT.Mean), carried(&e.TTFT, 99, e.TTFT.P99), value(e.TPOT.Mean), carried(&e.E2EL, 99, e.E2EL.P99), value(float64(e.PeakConcurrency)),
		})
	}
	return t
}

// agentTable is each client of a fleet by itself; nil where it was one.
func agentTable(id string, r *measure.Result) *table {
	if r.Agents == nil {
		return nil
	}
	t := &table{ID: id, Caption: "Each agent by itself; latencies in ms", Heads: heads("agent", "labels", "share", "#requests", "#completed", "#failed", "#lost", "#unsent", "#output tok/s", "#req/s",
		"#TTFT mean", "#TTFT p99", "#TPOT mean", "#E2EL p99", "#began after, ms", "#clock offset, ms", "#± ms", "#CPU, %", "gone")}
	for i := range r.Agents.Each {
		e := &r.Agents.Each[i]
		skew, offset, known, cpu := math.NaN(), math.NaN(), math.NaN(), math.NaN()
		if e.Agent.Read {
			skew = float64(e.Agent.SkewNs) / 1e6
		}
		if e.Agent.OffsetErrorNs >= 0 {
			offset, known = float64(e.Agent.OffsetNs)/1e6, float64(e.Agent.OffsetErrorNs)/1e6
		}
		if e.Cost != nil {
			cpu = e.Cost.CPUShare * 100
		}
		t.Lines = append(t.Lines, []cell{
			{Text: e.Title, Class: "long"},
			words(e.Labels()), words(e.Agent.Share),
			value(float64(e.Requests)), value(float64(e.Completed)), value(float64(e.Failed)), value(float64(e.Lost)), value(float64(e.Unsent)), value(e.OutputThroughput), value(e.RequestThroughput),
			mean(&measure.GroupLatency{Summary: e.TTFT}), carried(&e.TTFT, 99, e.TTFT.P99), mean(&measure.GroupLatency{Summary: e.TPOT}), carried(&e.E2EL, 99, e.E2EL.P99),
			value(skew), value(offset), value(known), value(cpu),
			{Text: e.Agent.Gone, Class: "long"},
		})
	}
	return t
}

// environment is where and how the run was made.
func environment(id string, r *Run) *table {
	e, o := &r.Result.Run.Environment, &r.Result.Run.Options
	t := &table{ID: id, Caption: "Where and how it was measured", Heads: heads("what", "value")}
	add := func(what, text string) {
		if text != "" && text != "0" {
			t.Lines = append(t.Lines, []cell{words(what), {Text: text, Class: "long"}})
		}
	}
	add("started", Start(r.Result).Format("2006-01-02 15:04:05 -07:00"))
	add("server", o.BaseURL+o.Endpoint)
	add("protocol", o.Backend)
	add("model", o.ModelID)
	add("tokenizer", strings.Trim(o.TokenizerID+" ("+o.TokenizerSource+")", " "))
	add("tokenizer revision", o.TokenizerRevision)
	add("dataset", fmt.Sprintf("%s, seed %d", o.Dataset, o.Seed))
	add("dataset revision", o.DatasetRevision)
	add("load", Load(r.Result)+", pace "+o.Pace)
	add("requests planned", count(o.NumPrompts))
	if r.Result.End != nil {
		add("workload's hash", r.Result.End.WorkloadSHA)
	}
	for _, kv := range o.Metadata {
		add(kv[0], kv[1])
	}
	add("event times by", r.Result.Client.Stamps)
	add("client", r.Result.Run.Version)
	add("client's machine", strings.Trim(e.Host+", "+e.OS+" "+e.Arch+", "+e.Kernel, ", "))
	add("client's processors", fmt.Sprintf("%d of %s, %d used by Go", e.CPUs, orUnknown(e.CPU), e.GoMaxProcs))
	if e.MemoryBytes > 0 {
		add("client's memory", fmt.Sprintf("%.1f GiB", float64(e.MemoryBytes)/(1<<30)))
	}
	add("clock source", e.ClockSource)
	add("run's folder", r.Folder)
	return t
}

func orUnknown(s string) string {
	if s == "" {
		return "an unknown kind"
	}
	return s
}

// Start is when a run began, in the zone of its machine.
func Start(r *measure.Result) time.Time {
	t := time.Unix(0, r.Run.StartUnixNs).UTC()
	if zone, err := time.Parse("-07:00", r.Run.Zone); err == nil {
		t = t.In(zone.Location())
	}
	return t
}
