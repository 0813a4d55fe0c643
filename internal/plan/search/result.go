package search

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/slo"
)

// result is what is read of a result.json.
type result struct {
	numbers     map[string]float64
	Inferometer struct {
		Verdict *struct {
			Level   string   `json:"level"`
			Reasons []string `json:"reasons"`
			Checks  []struct {
				Name     string `json:"name"`
				Sentence string `json:"sentence"`
			} `json:"checks"`
		} `json:"verdict"`
		Confidence struct {
			Intervals map[string]struct {
				Low  *float64 `json:"low"`
				High *float64 `json:"high"`
			} `json:"intervals"`
		} `json:"confidence"`
		Latency struct {
			Sent struct {
				E2EL struct {
					Mean float64 `json:"mean_ms"`
				} `json:"e2el"`
			} `json:"sent"`
		} `json:"latency"`
		GaveUp string `json:"gave_up"`
		Cost   *Cost  `json:"cost"`
	} `json:"inferometer"`
}

// FromResult reads a probe's result.json: how the SLO stands in it, and the numbers
// of the curve. The load, its time and its purpose are the caller's to fill in.
func FromResult(content []byte, objective slo.SLO) (Observation, error) {
	var r result
	var all map[string]json.RawMessage
	if err := json.Unmarshal(content, &all); err != nil {
		return Observation{}, fmt.Errorf("read a probe's result: %w", err)
	}
	if err := json.Unmarshal(content, &r); err != nil {
		return Observation{}, fmt.Errorf("read a probe's result: %w", err)
	}
	r.numbers = map[string]float64{}
	for key, text := range all {
		var v *float64
		if json.Unmarshal(text, &v) == nil && v != nil {
			r.numbers[key] = *v
		}
	}
	o := Observation{GaveUp: r.Inferometer.GaveUp, Numbers: Numbers{
		Requests: int(r.numbers["completed"]), Throughput: r.numbers["request_throughput"],
		Output: r.numbers["output_throughput"], Total: r.numbers["total_token_throughput"],
		Latency: r.Inferometer.Latency.Sent.E2EL.Mean, Cost: r.Inferometer.Cost,
	}}
	if v := r.Inferometer.Verdict; v != nil {
		o.Numbers.Verdict = v.Level
		for _, name := range v.Reasons {
			for _, c := range v.Checks {
				if c.Name == name {
					name += ": " + c.Sentence
					break
				}
			}
			o.Numbers.Reasons = append(o.Numbers.Reasons, name)
		}
	}
	if v, ok := r.numbers["request_goodput"]; ok {
		o.Numbers.Goodput = &v
	}
	for _, c := range objective {
		o.Clauses = append(o.Clauses, r.use(c))
	}
	return o, nil
}

// use is how much of its limit a clause took.
func (r *result) use(c slo.Clause) ClauseUse {
	use := ClauseUse{Clause: c.String()}
	v, key, ok := r.value(c.Metric)
	if !ok || math.IsNaN(v) {
		return use
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
	in := r.Inferometer.Confidence.Intervals[key]
	low, high := in.Low, in.High
	if c.Op == slo.More || c.Op == slo.AtLeast {
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

// value gives a metric by its name in an SLO, and its key in the result.
func (r *result) value(metric string) (v float64, key string, ok bool) {
	if name, share := strings.CutSuffix(metric, "_share"); share {
		all := r.numbers["completed"] + r.numbers["failed"]
		return r.numbers[name] / all, "", all > 0
	}
	for _, key := range []string{metric, metric + "_ms"} {
		if v, ok := r.numbers[key]; ok {
			if strings.HasSuffix(key, "_ms") && r.numbers["completed"] == 0 {
				return 0, "", false // a latency of nothing
			}
			return v, key, true
		}
	}
	return 0, "", false
}

// Enough is how many requests a probe needs for the percentiles of an SLO: so many
// that one lies beyond the highest of them with 95 %, and 250 at least, since those
// of a busy server are slow together.
func Enough(objective slo.SLO) int {
	const least = 250
	n := float64(least)
	for _, p := range objective.Percentiles() {
		n = max(n, math.Ceil(math.Log(0.05)/math.Log(p/100)))
	}
	return int(n)
}
