package export

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/page"
)

// CSV writes one line a run.
func CSV(w io.Writer, runs []page.Run) error {
	c := csv.NewWriter(w)
	has := optional{speculative: page.Speculative(runs), numbers: numbers(runs), questions: asked(runs)}
	for i := range runs {
		has.conversations = has.conversations || runs[i].Result.Conversations != nil
	}
	for i := range runs {
		names, values := runLine(&runs[i], has)
		if i == 0 {
			if err := c.Write(names); err != nil {
				return err
			}
		}
		if err := c.Write(values); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// optional columns are there if any run has them.
type optional struct {
	speculative, conversations bool
	questions                  bool
	numbers                    []metric.Metric // of the whole run
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
func numbers(runs []page.Run) []metric.Metric {
	return metric.Select(func(m *metric.Metric) bool {
		if slices.Contains(elsewhere, m.Name) {
			return false
		}
		return slices.Contains(inEachLine, m.Name) || slices.ContainsFunc(runs, func(r page.Run) bool {
			_, ok := r.Result.Number(m)
			return ok
		})
	}, inEachLine...)
}

// runLine is a run's columns and their values. What is not known is empty.
func runLine(run *page.Run, has optional) (names, values []string) {
	r, o := run.Result, &run.Result.Run.Options
	add := func(name, value string) { names, values = append(names, name), append(values, value) }
	number := func(name string, v float64) { add(name, strconv.FormatFloat(v, 'g', -1, 64)) }
	known := func(name string, v float64) {
		if math.IsNaN(v) {
			add(name, "")
			return
		}
		number(name, v)
	}
	distribution := func(key string, s *measure.Summary) {
		for _, p := range []struct {
			word string
			v    float64
		}{{"mean", s.Mean}, {"median", s.P50}, {"p90", s.P90}, {"p99", s.P99}, {"p99.9", s.P999}, {"max", s.Max}} {
			if s.Count == 0 {
				add(p.word+"_"+key+"_ms", "")
				continue
			}
			number(p.word+"_"+key+"_ms", p.v)
		}
	}
	add("run", outside.CSV(run.Name))
	add("start", page.Start(r).Format("2006-01-02T15:04:05-07:00"))
	add("model", outside.CSV(o.ModelID))
	add("backend", outside.CSV(o.Backend))
	add("dataset", outside.CSV(o.Dataset))
	add("max_concurrency", positive(float64(o.MaxConcurrency)))
	add("request_rate", positive(o.RequestRate))
	for _, m := range has.numbers {
		v, ok := r.Number(&m)
		if !ok {
			v = math.NaN()
		}
		known(m.Name, v)
	}
	if has.questions {
		e, a := r.Eval, score.Accuracy{}
		if e == nil {
			e = &score.Result{}
		}
		if len(e.Scores) > 0 {
			a = e.Scores[0].Accuracy
		}
		share := func(name string, v *float64) {
			if v == nil {
				add(name, "")
				return
			}
			number(name, *v)
		}
		add("task", outside.CSV(outside.Word(e.Task)))
		add("questions", positive(float64(e.Questions)))
		add("answered", positive(float64(a.Of)))
		share("accuracy_stderr", a.StdErr)
		share("accuracy_low", a.Low)
		share("accuracy_high", a.High)
	}
	if has.conversations {
		c := r.Conversations
		if c == nil {
			c = &measure.Conversations{}
		}
		distribution("conversation_time", &c.Time.Summary)
		distribution("conversation_busy_time", &c.Busy.Summary)
	}
	if has.speculative {
		rate, length := page.Acceptance(r)
		known("spec_decode_acceptance_rate", rate)
		known("spec_decode_acceptance_length", length)
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
	return names, values
}

func positive(v float64) string {
	if v <= 0 {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
