package result

import (
	"encoding/json"
	"maps"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/bounds"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/sample"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/outside"
)

// Of is the result of a run of ours as it was measured, with all that its journal knows. The folder names it; v is nil
// where nobody judged it.
func Of(folder string, m *measure.Result, v *verdict.Verdict) Result {
	o := &m.Run.Options
	r := Result{Name: o.Label, Tool: Inferometer, Path: folder, Values: map[string]float64{}}
	r.Facts = Facts{
		Model: o.ModelID, Backend: o.Backend, Dataset: o.Dataset, Date: m.Date(), Asked: o.NumPrompts, Failed: &m.Failed, HungUp: m.HungUp,
		InputTokens: m.InputTokens, OutputTokens: m.OutputTokens, Duration: m.Duration, RunDir: folder,
		Concurrency: o.MaxConcurrency, Rate: o.RequestRate, AtOnce: o.MaxConcurrency == 0 && o.RequestRate == 0,
	}
	r.Facts.Done(&m.Completed)
	if m.Recovery != nil {
		r.Facts.Lost, _ = m.Recovery.Lost()
	}
	sent := Sent{
		Keys: maps.Clone(o.Workload), Dataset: o.Dataset, Seed: json.Number(strconv.FormatInt(o.Seed, 10)), Pace: o.Pace, Planned: json.Number(strconv.Itoa(o.NumPrompts)),
		IgnoreEOS: o.IgnoreEOS, Tokenizer: o.TokenizerID, Requests: m.Requests,
	}
	if m.End != nil {
		sent.SHA, sent.Recipe, sent.Requests = m.End.WorkloadSHA, m.End.Recipe, m.End.Sent
	}
	r.SetSent(&sent)
	for _, kv := range o.Metadata {
		if r.Metadata == nil {
			r.Metadata = map[string]string{}
		}
		r.Metadata[kv[0]] = kv[1]
	}
	r.setMeasured(m)
	r.setReplicas(m.Replicas)
	r.SetVerdict(v)
	r.SetEval(m.Eval)
	r.SetBounds(m.Bounds)
	for i := range m.Confidence.Intervals {
		in := &m.Confidence.Intervals[i]
		r.SetInterval(in.Key, m.Confidence.Level, &in.Interval)
	}
	r.Clean()
	if r.Name == "" {
		r.Name = Stem(folder)
	}
	return r
}

// setMeasured keeps the numbers of the run, and the values behind them of each request.
func (r *Result) setMeasured(m *measure.Result) {
	for i := range m.Metrics {
		of := &m.Metrics[i]
		if of.Stats.N == 0 {
			continue
		}
		key := func(statistic string) string { return statistic + "_" + of.Metric.Name + "_ms" }
		r.SetKnown(key("mean"), of.Stats.Mean)
		r.SetKnown(key("median"), of.Stats.Median)
		r.SetKnown(key("std"), of.Stats.Std)
		for _, p := range of.Stats.Percentiles {
			r.SetKnown(key("p"+metric.PercentWord(p.P)), p.Value)
		}
	}
	for _, one := range metric.All() {
		if v, ok := m.Number(&one); ok {
			r.SetKnown(one.Name, v)
		}
	}
}

// setReplicas keeps each of several servers.
func (r *Result) setReplicas(p *measure.Replicas) {
	if p == nil {
		return
	}
	r.Replicas = &Replicas{Balance: p.Balance, Skew: p.Skew.OutputThroughput.MaxOverMin}
	for i := range p.Each {
		e := &p.Each[i]
		one := Replica{Name: e.Name, Requests: e.Requests, Failed: e.Failed, OutputThroughput: e.OutputThroughput}
		if !p.Named() && e.Own != nil && e.Own.Requests != nil {
			one.Requests = int(e.Own.Requests.Server)
		}
		if v, ok := e.Cached.Share(); ok {
			one.Cached = &v
		}
		one.SetLatencies(&e.TTFT, &e.TPOT)
		r.Replicas.Each = append(r.Replicas.Each, one)
	}
}

// SetLatencies keeps the medians, where there are any.
func (r *Replica) SetLatencies(ttft, tpot *measure.Summary) {
	if ttft.Count > 0 {
		r.TTFT = &ttft.P50
	}
	if tpot.Count > 0 {
		r.TPOT = &tpot.P50
	}
}

// Sent is what a result of ours says of what was sent: its key inferometer.workload. Keys came with the second recipe of the hash.
type Sent struct {
	SHA       string            `json:"sha256"`
	Recipe    int               `json:"recipe"`
	Keys      map[string]string `json:"keys"`
	Dataset   string            `json:"dataset"`
	Seed      json.Number       `json:"seed"`
	Pace      string            `json:"pace"`
	Planned   json.Number       `json:"requests_planned"`
	IgnoreEOS bool              `json:"ignore_eos"`
	Tokenizer string            `json:"tokenizer"`
	Requests  int               `json:"requests_sent"`
}

// firstRecipe is that of results which tell none.
const firstRecipe = 1

// SetSent keeps what was sent.
func (r *Result) SetSent(s *Sent) {
	r.Facts.Dataset = s.Dataset
	if r.Facts.Asked == 0 { // a run bounded by time
		r.Facts.Asked = s.Requests
	}
	r.Facts.Workload = Workload{
		SHA: s.SHA, Recipe: max(s.Recipe, firstRecipe), Named: s.Recipe <= firstRecipe, Sent: s.Requests, Tokenizer: s.Tokenizer, Keys: s.Keys,
		Told: map[string]string{
			"dataset": s.Dataset, "seed": s.Seed.String(), "pace": s.Pace, "requests planned": s.Planned.String(), "ignore_eos": strconv.FormatBool(s.IgnoreEOS),
		},
	}
}

// SetVerdict keeps a verdict; nil: there is none.
func (r *Result) SetVerdict(v *verdict.Verdict) {
	if v == nil {
		return
	}
	r.Facts.Verdict, r.Facts.Reasons, r.Facts.Unsupported = string(v.Level), v.Reasons, v.Unsupported
	if len(v.Reasons) > 0 {
		if c := v.Check(v.Reasons[0]); c != nil {
			r.Facts.ToDo = c.Hint
		}
	}
}

// SetInterval keeps the interval of a number, or why it has none.
func (r *Result) SetInterval(key string, level float64, in *sample.Interval) {
	if in.Low == nil || in.High == nil {
		if r.Lacking == nil {
			r.Lacking = map[string]string{}
		}
		r.Lacking[key] = in.Reason
		return
	}
	if r.Intervals == nil {
		r.Intervals = map[string]Interval{}
	}
	r.Intervals[key] = Interval{*in.Low, *in.High, level, in.Degrees()}
}

// SetBounds keeps between which the numbers lie in any case, where times are not all known exactly.
func (r *Result) SetBounds(b *bounds.Bounds) {
	if b == nil || !b.Known {
		return
	}
	for name, m := range b.Metrics {
		if b.Stamps != "kernel" { // times that the client took itself bound no latency
			break
		}
		for statistic, ends := range m.Bounds {
			statistic = strings.TrimSuffix(statistic, "_ms")
			r.within(statistic+"_"+name+"_ms", ends)
			if statistic == "p50" {
				r.within("median_"+name+"_ms", ends)
			}
		}
	}
	for name, ends := range b.Rates {
		r.within(name, ends)
	}
}

// within keeps the bounds of a value that the run has, if they can be some.
func (r *Result) within(metric string, ends bounds.Ends) {
	v, has := r.Values[metric]
	if !has || len(r.Bounds) >= maxMetrics {
		return
	}
	// Both were written by one program: more than a rounding apart, and they are not of this value.
	low, high := min(ends[0], v), max(ends[1], v)
	if !(ends[0] >= 0 && ends[0] <= ends[1] && high < math.Inf(1)) || ends[0] > v*(1+1e-6) || ends[1] < v*(1-1e-6) {
		return
	}
	if r.Bounds == nil {
		r.Bounds = map[string]Bounds{}
	}
	r.Bounds[metric] = Bounds{low, high}
}

// Stem is the name of a run that has none, after its file or folder.
func Stem(path string) string {
	if stem := outside.Word(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))); stem != "" {
		return stem
	}
	return "result"
}
