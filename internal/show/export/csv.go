package export

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/page"
)

// CSV writes one line a run.
func CSV(w io.Writer, runs []page.Run) error {
	c := csv.NewWriter(w)
	speculative := page.Speculative(runs)
	for i := range runs {
		names, values := runLine(&runs[i], speculative)
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

// runLine is a run's columns and their values. What is not known is empty. Those of
// speculative decoding are there if any run has them.
func runLine(run *page.Run, speculative bool) (names, values []string) {
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
	add("run", outside.CSV(run.Name))
	add("start", page.Start(r).Format("2006-01-02T15:04:05-07:00"))
	add("model", outside.CSV(o.ModelID))
	add("backend", outside.CSV(o.Backend))
	add("dataset", outside.CSV(o.Dataset))
	add("max_concurrency", positive(float64(o.MaxConcurrency)))
	add("request_rate", positive(o.RequestRate))
	for _, m := range metric.Select(inEachLine, "completed", "failed", "duration", "total_input_tokens", "total_output_tokens",
		"request_throughput", "request_goodput", "output_throughput", "total_token_throughput") {
		v, ok := r.Number(&m)
		if !ok {
			v = math.NaN()
		}
		known(m.Name, v)
	}
	if speculative {
		rate, length := page.Acceptance(r)
		known("spec_decode_acceptance_rate", rate)
		known("spec_decode_acceptance_length", length)
	}
	for _, m := range latencies(r) {
		for _, p := range []struct {
			word string
			v    float64
		}{{"mean", m.Mean}, {"median", m.P50}, {"p90", m.P90}, {"p99", m.P99}, {"p99.9", m.P999}, {"max", m.Max}} {
			if m.Count == 0 {
				add(p.word+"_"+m.key+"_ms", "")
				continue
			}
			number(p.word+"_"+m.key+"_ms", p.v)
		}
	}
	level, reasons := "", ""
	if run.Verdict != nil {
		level, reasons = string(run.Verdict.Level), strings.Join(run.Verdict.Reasons, " ")
	}
	add("verdict", level)
	add("reasons", reasons)
	return names, values
}

// inEachLine are the numbers of the whole run that have a column: all but the peaks, goodput in
// tokens, which rests on the limits of one run, and those of speculative decoding.
func inEachLine(m *metric.Metric) bool {
	return m.Run != nil && !slices.Contains([]string{
		"max_output_tokens_per_s", "max_concurrent_requests", "output_token_goodput", "spec_decode_acceptance_rate", "spec_decode_acceptance_length",
	}, m.Name)
}

func positive(v float64) string {
	if v <= 0 {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
