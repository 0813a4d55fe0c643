package search

import (
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/condition"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/price"
	"github.com/inferometer/inferometer/internal/judge/slo"
)

// FromResult reads a probe's result: how the SLO stands in it, and the numbers of the
// curve. The load, its time, its purpose and the verdict are the caller's to fill in.
func FromResult(r *measure.Result, objective slo.SLO) Observation {
	o := Observation{GaveUp: r.GaveUp(), Numbers: Numbers{
		Sent: r.Requests, Requests: r.Completed, Throughput: r.RequestThroughput, Output: r.OutputThroughput, Total: r.TotalTokenThroughput,
		Goodput: r.Goodput, Latency: r.Latency.Sent.E2EL.Mean, Cost: costOf(r.Economy),
	}}
	for _, c := range objective {
		o.Clauses = append(o.Clauses, useOf(r, c))
		if n, ok := c.Name(); ok && n.Metric.Scope == metric.PerJob {
			o.Numbers.Jobs = new(0)
			if r.Jobs != nil {
				o.Numbers.Jobs = &r.Jobs.Time.Count
			}
		}
	}
	return o
}

// useOf is how much of its limit a clause took.
func useOf(r *measure.Result, c condition.Clause) ClauseUse {
	use := ClauseUse{Clause: c.String()}
	v, ok := r.Value(c.Metric)
	if !ok || math.IsNaN(v) {
		return use
	}
	if n, known := c.Name(); known && n.Metric.Scope == metric.PerJob {
		// The complete ones alone are the short ones: what is known of all counts.
		if _, most, ok := r.BoundsOf(c.Metric); ok {
			if v = most; math.IsInf(v, 1) {
				use.Cut = true
				return use
			}
		}
	}
	of := func(v float64) *float64 {
		u := c.Use(v)
		if math.IsInf(u, 0) || u > 1e9 { // JSON has no infinity
			u = 1e9
		}
		return &u
	}
	use.Value, use.Use = &v, of(v)
	if !c.Holds(v) && *use.Use <= 1 { // at the limit of a < or a >
		use.Use = new(math.Nextafter(1, 2))
	}
	low, high := intervalOf(r, c.Metric)
	if least, most, ok := r.BoundsOf(c.Metric); ok && least <= v && v <= most {
		low, high = moved(low, least, v), moved(high, most, v)
		if c.AtLeast() {
			least, most = most, least
		}
		use.Least, use.Most = of(least), of(most)
	}
	if c.AtLeast() {
		low, high = high, low
	}
	if low != nil {
		use.Low = of(*low)
	}
	if high != nil {
		use.High = of(*high)
	}
	return use
}

// moved is an end of an interval, further out for what the value itself may be off: its bound counts as noise that is as
// likely anywhere up to it. Bounds are worst cases; what they leave beyond a quarter of the value tells nothing.
func moved(end *float64, bound, v float64) *float64 {
	if end == nil || v <= 0 {
		return end
	}
	const z = 1.96
	noise := z * min(max(bound-v, v-bound), mostNoise*v) / math.Sqrt(12)
	away := math.Hypot(*end-v, noise)
	if *end < v || *end == v && bound < v {
		return new(max(v-away, 0))
	}
	return new(v + away)
}

const mostNoise = 0.25

// intervalOf gives the ends of a metric's interval; nil: not known.
func intervalOf(r *measure.Result, metric string) (low, high *float64) {
	for i := range r.Confidence.Intervals {
		if in := &r.Confidence.Intervals[i]; in.Key == metric || in.Key == metric+"_ms" {
			return in.Low, in.High
		}
	}
	return nil, nil
}

func costOf(e *price.Economy) *Cost {
	if e == nil {
		return nil
	}
	c := &Cost{PerMillionOutput: e.PerMillionOutput, PerMillionTokens: e.PerMillionTokens}
	if p := e.Power; p != nil {
		c.Power = &Energy{JoulesPerOutput: p.JoulesPerOutput, JoulesPerToken: p.JoulesPerToken, Reason: p.Reason}
	}
	return c
}

// Enough is how many requests, or jobs where it speaks of them, a probe needs for the percentiles of an SLO: so many
// that one lies beyond the highest of them with 95 %. Of requests 250 at least, since those
// of a busy server are slow together; jobs are made of many.
func Enough(objective slo.SLO) int {
	n := 250.0
	if slices.ContainsFunc(objective, func(c condition.Clause) bool {
		of, ok := c.Name()
		return ok && of.Metric.Scope == metric.PerJob
	}) {
		n = 30
	}
	for _, p := range objective.Percentiles() {
		n = max(n, math.Ceil(math.Log(0.05)/math.Log(p/100)))
	}
	return int(n)
}
