package export

import (
	"io"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/section"
	"github.com/inferometer/inferometer/internal/show/table"
)

// CSV writes one line a run. What is not known is empty.
func CSV(w io.Writer, runs []section.Run) error {
	has := optional{speculative: section.Speculative(runs), numbers: numbers(runs)}
	for i := range runs {
		has.jobs = has.jobs || runs[i].Result.Jobs != nil
		has.questions = has.questions || runs[i].Result.Eval != nil
	}
	var t table.Table
	for i := range runs {
		t.Columns = nil
		t.Rows = append(t.Rows, runLine(&t, &runs[i], has))
	}
	return table.CSV(w, &t)
}

// optional columns are there if any run has them.
type optional struct {
	speculative, jobs bool
	questions         bool
	numbers           []metric.Metric // of the whole run
}

// inEachLine are the numbers of the whole run that have a column whatever the runs are.
var inEachLine = []string{
	"completed", "failed", "duration", "total_input_tokens", "total_output_tokens",
	"request_throughput", "request_goodput", "output_throughput", "total_token_throughput",
}

// elsewhere are those that have none: the peaks, goodput in tokens, which rests on the
// limits of one run, and those of speculative decoding, which have columns of their own.
var elsewhere = []string{
	"max_output_tokens_per_s", "max_concurrent_requests", "output_token_goodput", "spec_decode_acceptance_rate", "spec_decode_acceptance_length",
}

// numbers are those with a column: the usual ones, and what some run has beyond.
func numbers(runs []section.Run) []metric.Metric {
	return metric.Select(func(m *metric.Metric) bool {
		if slices.Contains(elsewhere, m.Name) {
			return false
		}
		return slices.Contains(inEachLine, m.Name) || slices.ContainsFunc(runs, func(r section.Run) bool {
			_, ok := r.Result.Number(m)
			return ok
		})
	}, inEachLine...)
}

// runLine is a run's row, of which it gives the table the columns.
func runLine(t *table.Table, run *section.Run, has optional) (row []table.Cell) {
	r, o := run.Result, &run.Result.Run.Options
	add := func(name string, v any) {
		t.Columns = append(t.Columns, table.Words(name)...)
		row = append(row, table.Row(v)...)
	}
	distribution := func(key string, s *measure.Summary) {
		for _, p := range []struct {
			word string
			v    float64
		}{{"mean", s.Mean}, {"median", s.P50}, {"p90", s.P90}, {"p99", s.P99}, {"p99.9", s.P999}, {"max", s.Max}} {
			if s.Count == 0 {
				p.v = math.NaN()
			}
			add(p.word+"_"+key+"_ms", p.v)
		}
	}
	add("run", run.Name)
	add("start", section.Start(r).Format("2006-01-02T15:04:05-07:00"))
	add("model", o.ModelID)
	add("backend", o.Backend)
	add("dataset", o.Dataset)
	add("max_concurrency", positive(float64(o.MaxConcurrency)))
	add("request_rate", positive(o.RequestRate))
	for _, m := range has.numbers {
		v, ok := r.Number(&m)
		if !ok {
			v = math.NaN()
		}
		add(m.Name, v)
	}
	if has.questions {
		e, a := r.Eval, score.Accuracy{}
		if e == nil {
			e = &score.Result{}
		}
		if len(e.Scores) > 0 {
			a = e.Scores[0].Accuracy
		}
		add("task", outside.Word(e.Task))
		add("questions", positive(float64(e.Questions)))
		add("answered", positive(float64(a.Of)))
		add("accuracy_stderr", a.StdErr)
		add("accuracy_low", a.Low)
		add("accuracy_high", a.High)
	}
	if has.jobs {
		c := r.Jobs
		if c == nil {
			c = &measure.Jobs{}
		}
		distribution("job", &c.Time.Summary)
		distribution("job_model", &c.Model.Summary)
	}
	if has.speculative {
		rate, length := section.Acceptance(r)
		add("spec_decode_acceptance_rate", rate)
		add("spec_decode_acceptance_length", length)
	}
	for _, m := range latencies(r) {
		distribution(m.key, m.Summary)
	}
	level, reasons := "", ""
	if run.Verdict != nil {
		level, reasons = string(run.Verdict.Level), strings.Join(run.Verdict.Reasons, " ")
	}
	add("verdict", level)
	add("reasons", reasons)
	return row
}

// positive is a number that is unknown at zero.
func positive(v float64) float64 {
	if v <= 0 {
		return math.NaN()
	}
	return v
}
