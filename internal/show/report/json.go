package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
	"github.com/inferometer/inferometer/internal/judge/explain"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/inferometer/inferometer/internal/show/section"
)

// object is what a result is made of.
type object = ordered.Object

// Options say what a report holds beside the measured result.
type Options struct {
	RunDir   string               // the run's folder, shown and kept in the result
	Detailed bool                 // the arrays of --save-detailed; the result must be measured with Detailed
	Verdict  *verdict.Verdict     // nil: the run was not judged
	Explain  *explain.Explanation // nil: what limited the run was not asked
	SLO      *slo.Judgement       // nil: the run was not held against one

	// Of the console only.
	Details bool   // all sections, not the summary alone
	Page    string // the page that was written; empty: none was
	Width   int    // columns of the terminal; 0: no terminal, long lines stay whole
	Color   bool   // for the verdict and what failed
}

// run is what sections and the summary are made of.
func (o *Options) run(r *measure.Result) *section.Run {
	return &section.Run{Folder: o.RunDir, Result: r, Verdict: o.Verdict, Explain: o.Explain}
}

// JSON writes a result on one line without a newline at its end, as vLLM does:
// vLLM's keys in vLLM's order, and ours under the key "inferometer", last.
func JSON(w io.Writer, r *measure.Result, opt Options) error {
	if opt.Detailed && r.Details == nil && r.Requests > 0 {
		return fmt.Errorf("a detailed report needs a result that was measured in detail")
	}
	return pyjson.Write(w, resultObject(r, opt))
}

// Append writes a result at the end of a file of several, one on each line, as
// --append-result does: a newline before it, if the file is not empty.
func Append(f io.WriteSeeker, r *measure.Result, opt Options) error {
	at, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("appending the result: %w", err)
	}
	if at > 0 {
		if _, err := io.WriteString(f, "\n"); err != nil {
			return fmt.Errorf("appending the result: %w", err)
		}
	}
	return JSON(f, r, opt)
}

// resultObject is the whole result. A later key overwrites an earlier one in its
// place, so metadata cannot displace what was measured.
func resultObject(r *measure.Result, opt Options) object {
	var o object
	setIdentity(&o, r)
	setTotals(&o, r)
	setArrays(&o, r, opt.Detailed)
	if !r.Run.Options.Pooling {
		for _, name := range section.VLLMPeaks {
			o.Set(name, number(r, metric.Lookup(name)))
		}
		o.Set("rtfx", nullIfUnknown(r.RTFx()))
	}
	setProbe(&o, r.Probe)
	setRamp(&o, r)
	setSpecDecode(&o, r.SpecDecode)
	setMetrics(&o, r.Metrics)
	o.Remove("inferometer")
	o.Set("inferometer", inferometer(r, opt))
	return o
}

func setIdentity(o *object, r *measure.Result) {
	run := &r.Run.Options
	o.Set("date", r.Date())
	o.Set("endpoint_type", run.Backend)
	o.Set("backend", run.Backend)
	o.Set("label", orNull(run.Label))
	o.Set("model_id", run.ModelID)
	o.Set("tokenizer_id", orNull(run.TokenizerID))
	o.Set("num_prompts", run.NumPrompts)
	for _, kv := range run.Metadata {
		o.Set(kv[0], kv[1])
	}
	if run.RequestRate > 0 {
		o.Set("request_rate", run.RequestRate)
	} else {
		o.Set("request_rate", "inf")
	}
	if run.Burstiness > 0 {
		o.Set("burstiness", run.Burstiness)
	} else {
		o.Set("burstiness", infinite(r))
	}
	if run.MaxConcurrency > 0 {
		o.Set("max_concurrency", run.MaxConcurrency)
	} else {
		o.Set("max_concurrency", nil)
	}
	if ramp := run.RampUp; ramp != nil {
		o.Set("ramp_up_strategy", ramp.Strategy)
		o.Set("ramp_up_start_rps", ramp.StartRPS)
		o.Set("ramp_up_end_rps", ramp.EndRPS)
	}
}

func setTotals(o *object, r *measure.Result) {
	names := section.VLLMTotals
	if r.Run.Options.Pooling {
		names = section.VLLMPooling
	}
	for _, name := range names {
		o.Set(name, number(r, metric.Lookup(name)))
	}
}

// number is a number of the whole run for JSON: null where it is not known.
func number(r *measure.Result, m *metric.Metric) any {
	v, ok := r.Number(m)
	switch {
	case !ok || math.IsNaN(v):
		return nil
	case m.Whole():
		return int64(v)
	}
	return v
}

// setMore adds the numbers and the distributions of the metrics that have no place of their own.
func setMore(o *object, r *measure.Result) {
	numbers := object{}
	for _, ofServer := range []bool{false, true} { // what servers say comes last
		for _, m := range section.Others(r) {
			if m.OfServer == ofServer {
				numbers.Set(m.Name, number(r, &m))
			}
		}
	}
	if len(numbers) > 0 {
		o.Set("numbers", numbers)
	}
	for i := range r.More {
		o.Set(r.More[i].Metric.Name, r.More[i].Summary)
	}
}

// setArrays adds the arrays with one entry a request. latencies and queue_times
// are always there, as in vLLM 0.32, but empty if the requests were too many to be
// kept one by one: the warnings say so.
func setArrays(o *object, r *measure.Result, detailed bool) {
	each := func(f func(*row.Row) any) pyjson.List {
		return pyjson.List{N: len(r.Rows), Item: func(i int) any { return f(&r.Rows[i]) }}
	}
	detail := func(f func(*measure.Detail) any) pyjson.List {
		return pyjson.List{N: len(r.Rows), Item: func(i int) any { return f(&r.Details[i]) }}
	}
	pooling := r.Run.Options.Pooling
	times := !r.Run.Options.Whole()
	if detailed {
		o.Set("input_lens", each(func(r *row.Row) any { return int(r.Prompt) }))
	}
	if detailed && !pooling {
		o.Set("output_lens", each(func(r *row.Row) any { return int(r.Output) }))
	}
	if detailed && times {
		o.Set("ttfts", each(func(r *row.Row) any { return r.TTFT() }))
		o.Set("itls", detail(func(d *measure.Detail) any { return d.ITL }))
	}
	o.Set("latencies", each(func(r *row.Row) any { return r.Latency() }))
	if detailed && !pooling {
		o.Set("start_times", each(func(r *row.Row) any { return float64(r.Sent) / 1e9 }))
	}
	o.Set("queue_times", each(func(r *row.Row) any { return r.QueueTime() }))
	if detailed && !pooling {
		o.Set("generated_texts", detail(func(d *measure.Detail) any { return d.Text }))
	}
	if detailed {
		o.Set("errors", detail(func(d *measure.Detail) any { return d.Error }))
	}
}

// setRamp adds the moments at which a ramp reached each rate.
func setRamp(o *object, r *measure.Result) {
	if r.Run.Options.RampUp == nil {
		return
	}
	events := []object{}
	if r.End != nil {
		for _, c := range r.End.RPSChanges {
			t := time.Unix(0, c.UnixNs).In(r.Zone())
			layout := "2006-01-02T15:04:05.000000"
			if t.Nanosecond()/1000 == 0 {
				layout = "2006-01-02T15:04:05" // Python's isoformat drops a zero fraction
			}
			events = append(events, object{{"rps", c.RPS}, {"timestamp", t.Format(layout)}})
		}
	}
	o.Set("rps_change_events", events)
}

func setSpecDecode(o *object, s *measure.SpecDecode) {
	if s == nil {
		return
	}
	o.Set("spec_decode_acceptance_rate", s.AcceptanceRate)
	o.Set("spec_decode_acceptance_length", s.AcceptanceLength)
	if s.Drafts > 0 {
		o.Set("spec_decode_num_drafts", s.Drafts)
	} else {
		o.Set("spec_decode_num_drafts", nil)
	}
	o.Set("spec_decode_draft_tokens", s.DraftTokens)
	o.Set("spec_decode_accepted_tokens", s.Accepted)
	o.Set("spec_decode_per_position_acceptance_rates", s.PerPosition)
}

func setMetrics(o *object, metrics []measure.MetricStats) {
	for _, m := range metrics {
		o.Set("mean_"+m.Metric.Name+"_ms", m.Stats.Mean)
		o.Set("median_"+m.Metric.Name+"_ms", m.Stats.Median)
		o.Set("std_"+m.Metric.Name+"_ms", m.Stats.Std)
		for _, p := range m.Stats.Percentiles {
			o.Set("p"+percentileWord(p.P)+"_"+m.Metric.Name+"_ms", p.Value)
		}
	}
}

// percentileWord is 99 for 99.0 and 99.9 for 99.9.
func percentileWord(p float64) string {
	if p == float64(int64(p)) {
		return strconv.FormatInt(int64(p), 10)
	}
	return pyjson.Float(p)
}

// nullIfUnknown is null for what is not known.
func nullIfUnknown(v float64) any {
	if math.IsNaN(v) {
		return nil
	}
	return v
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// infinite is what stands for infinity: vLLM writes Infinity, which is not JSON.
func infinite(r *measure.Result) any {
	if r.Compat == "vllm" {
		return pyjson.Literal("Infinity")
	}
	return "inf"
}
