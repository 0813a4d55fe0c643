package measure

import (
	"math"

	"github.com/inferometer/inferometer/internal/judge/bounds"
	"github.com/inferometer/inferometer/internal/judge/metric"
)

// Totals are what the numbers of the whole run are made of.
func (r *Result) Totals() metric.Totals {
	t := metric.Totals{
		Duration: r.Duration, Requests: r.Requests, Completed: r.Completed, Failed: r.Failed, InputTokens: r.InputTokens, OutputTokens: r.OutputTokens,
		PeakTokens: r.PeakTokensPerSecond, PeakConcurrent: r.PeakConcurrent,
		Uncounted: r.Run != nil && r.Run.Options.Unstreamed && r.Tokens.ByEvents > 0,
		Pooling:   r.Run != nil && r.Run.Options.Pooling, Inputs: r.Inputs, Sound: r.Sound,
	}
	t.Fleet, t.Lost, t.Unsent = r.Run != nil && r.Run.Fleet != nil, r.Lost, r.Unsent
	if h := r.HangUps; h != nil {
		if t.HangsUp, t.HungUp = true, h.Requests; h.ForNobody != nil {
			t.ForNobody = &h.ForNobody.High
		}
	}
	t.PlannedShare, t.SentShare, t.CachedShare = r.Cached.Planned, r.Cached.Sent, r.Cached.Measured
	if s := r.Thinking; s != nil {
		t.Thought, t.ThinkingShare = true, s.Share
	}
	if g := r.Limits; g != nil {
		t.Limited, t.Good, t.GoodTokens = true, g.Good, g.Tokens
	}
	if s := r.Jobs; s != nil {
		t.Jobs, t.CompleteJobs, t.FailedJobs, t.GPUs = true, s.Complete, s.Failed, r.Run.Options.GPUs
		if g := s.Good; g != nil {
			t.GoodJobs = &g.Good
		}
	}
	if s := r.SpecDecode; s != nil {
		t.Speculative, t.AcceptanceRate, t.AcceptanceLength = true, s.AcceptanceRate, s.AcceptanceLength
	}
	if e := r.Eval; e != nil {
		t.Asked, t.Answers, t.NoAnswer, t.CutOff, t.AnswerTokens = true, e.Answered, e.NoAnswer, e.CutOff, e.OutputTokens
		if len(e.Scores) > 0 {
			t.Accuracy = e.Scores[0].Value
		}
	}
	if f := r.Recovery; f != nil && len(f.Episodes) > 0 {
		t.Faulted = true
		t.LostRequests, t.LostTokens = f.Lost()
		if v, cut, ok := f.Worst(); ok && !cut {
			t.Recovery = &v
		}
	}
	if p := r.Replicas; p != nil {
		t.Replicated, t.ReplicaSkew, t.ReplicaCoV = len(p.Each) > 1, p.Load.BusiestOverMean, p.Load.CV
		t.TurnsKept, t.Conversed = p.Affinity.Share(), r.Jobs != nil
	}
	if s := r.Server; s != nil {
		t.ServerPreemptions, t.ServerHitRate = s.Preemptions, s.PrefixHitRate
		if s.Waiting != nil {
			t.ServerWaiting = &s.Waiting.Mean
		}
		if s.CacheUse != nil {
			t.ServerCacheMax = &s.CacheUse.Max
		}
	}
	return t
}

// Number is a number of the whole run: NaN where it is not known; false: this result
// does not have it.
func (r *Result) Number(m *metric.Metric) (float64, bool) {
	if m.Run == nil {
		return 0, false
	}
	t := r.Totals()
	return m.Run(&t)
}

// RTFx is how many times faster than real time sound was worked on; 0 without any.
// NaN: the length of some sound is not known.
func (r *Result) RTFx() float64 { return r.number("rtfx") }

func (r *Result) number(name string) float64 {
	v, _ := r.Number(metric.Lookup(name))
	return v
}

// Value is a number of the result by the name that a condition gives it: p99_ttft,
// median_itl, request_throughput, failed_share. Latencies are those of the block that
// is printed; false: this result does not have it.
func (r *Result) Value(name string) (float64, bool) {
	n, share, ok := metric.ParseValue(name)
	switch {
	case !ok:
		return 0, false
	case n.Metric.IsLatency():
		for i := range r.Metrics {
			if m := &r.Metrics[i]; m.Metric.Name == n.Metric.Name && m.Stats.N > 0 {
				return m.Stats.Value(n.Statistic)
			}
		}
		return 0, false
	}
	v, ok := r.Number(n.Metric)
	if n.Metric.Name == "recovery" && r.Recovery != nil {
		if _, cut, _ := r.Recovery.Worst(); cut { // no limit was kept
			return math.Inf(1), true
		}
	}
	if share {
		v /= float64(max(r.Requests, 1))
	}
	return v, ok && !math.IsNaN(v) && r.Requests > 0
}

// Summary is the distribution of a metric that each result has; nil: this one has none of that name.
func (r *Result) Summary(name string) *Summary {
	switch name {
	case "ttft":
		return &r.Latency.Sent.TTFT
	case "itl":
		return &r.InterChunk
	case "tpot":
		return &r.TPOT
	case "e2el":
		return &r.Latency.Sent.E2EL
	}
	for i := range r.More {
		if r.More[i].Metric.Name == name {
			return &r.More[i].Summary
		}
	}
	return nil
}

// boundsOf are the bounds of the result's numbers.
func (c *collector) boundsOf(r *Result) *bounds.Bounds {
	of := bounds.Measured{
		Run: c.run, Percentiles: c.opt.Percentiles, Completed: r.Completed, Duration: r.Duration,
		LastEnd: c.totals.lastEnd, Closed: c.rules.Closed && c.run.Options.RequestRate == 0,
		Rates: map[string]float64{
			"request_throughput": r.RequestThroughput, "output_throughput": r.OutputThroughput,
			"total_token_throughput": r.TotalTokenThroughput,
		},
		Sample: c.sample, Gaps: c.gaps,
	}
	if r.InterToken.Known {
		of.TokenGaps = c.tokGaps
	}
	return c.bounds.Result(of)
}

// boundedMetrics are those that a table of bounds shows, in its order.
var boundedMetrics = []string{"ttft", "itl", "inter_token", "tpot", "e2el"}

// WideBounds are the statistics with wide bounds. Of times that are the client's own
// there are none: nothing bounds how late each is but the one before, and tables of
// that would be all that a reader sees.
func (r *Result) WideBounds() []bounds.Line {
	if r.Bounds == nil || !r.Bounds.Known || r.Bounds.Stamps != "kernel" {
		return nil
	}
	var out []bounds.Line
	for _, name := range boundedMetrics {
		s := r.Summary(name)
		if name == "inter_token" {
			s = r.InterToken.Summary
		}
		if s == nil || s.Count == 0 {
			continue
		}
		for _, p := range []struct {
			name  string
			value float64
		}{{"mean", s.Mean}, {"p50", s.P50}, {"p90", s.P90}, {"p99", s.P99}, {"max", s.Max}} {
			if ends, ok := r.Bounds.Of(name, p.name); ok && ends.Wide(p.value) {
				out = append(out, bounds.Line{Metric: *metric.Lookup(name), Statistic: p.name, Value: p.value, Ends: ends})
			}
		}
	}
	return out
}

// BoundsOf are those of a number by the name that a condition gives it, such as p99_ttft. ok is
// false where it has none, and where times are the client's own. Of jobs they are what those that were
// cut off leave open; infinite: nobody knows.
func (r *Result) BoundsOf(name string) (low, high float64, ok bool) {
	n, _, known := metric.ParseValue(name)
	if known && n.Metric.Scope == metric.PerJob && r.Jobs != nil {
		return r.Jobs.bounds(r, n)
	}
	if !known || r.Bounds == nil || r.Bounds.Stamps != "kernel" || !n.Metric.IsLatency() {
		return 0, 0, false
	}
	ends, ok := r.Bounds.Of(n.Metric.Name, string(n.Statistic))
	return ends[0], ends[1], ok
}
