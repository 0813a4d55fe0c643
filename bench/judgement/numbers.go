package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/bench/served"
	"github.com/inferometer/inferometer/internal/judge/measure"
)

// number is one that a run shows, with what it says of it and what is true.
type number struct {
	name      string
	shown     float64
	low, high float64 // what the run says that the truth lies within; both as shown where it says nothing
	truths    []truth
}

// truth is what a number should have been, by one way to know it.
type truth struct {
	by    string
	value float64
	slack float64 // by how much this way may itself be off
}

const (
	offShare  = 0.02 // a number is off where it differs by more than this share, and its interval does not hold the truth
	wideShare = 0.10 // an interval as wide as this says that the run can't know better
)

// off is the first truth that the number misses.
func (n number) off() (truth, bool) {
	for _, t := range n.truths {
		apart := math.Abs(n.shown-t.value) - t.slack
		if apart > offShare*math.Abs(t.value) && (t.value+t.slack < n.low || t.value-t.slack > n.high) {
			return t, true
		}
	}
	return truth{}, false
}

// wide: the run says that it does not know this number well.
func (n number) wide() bool { return n.high-n.low > wideShare*math.Abs(n.shown) }

// tail: it is a percentile that few values carry.
func (n number) tail() bool { return strings.HasPrefix(n.name, "p99") }

func (n number) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %.4g in [%.4g, %.4g], true", n.name, n.shown, n.low, n.high)
	for _, t := range n.truths {
		fmt.Fprintf(&b, " %.4g (%s)", t.value, t.by)
	}
	return b.String()
}

// result is what the judge reads of a result file.
type result struct {
	RequestThroughput    float64 `json:"request_throughput"`
	OutputThroughput     float64 `json:"output_throughput"`
	TotalTokenThroughput float64 `json:"total_token_throughput"`
	Inferometer          struct {
		Verdict struct {
			Level       string
			Unsupported []string
			Reasons     []string
			Checks      []struct{ Name, Level, Sentence string }
		}
		Latency struct {
			Sent struct {
				TTFT, E2EL summary
			}
		}
		InterChunk summary `json:"inter_chunk"`
		TPOT       summary
		Bounds     struct {
			Known      bool
			StampError float64 `json:"stamp_error_ms"`
			Metrics    map[string]struct {
				Bounds map[string][2]float64
			}
			Rates map[string][2]float64
		}
	}
}

// summary is a latency's; absent ones have no count.
type summary struct {
	Mean  float64 `json:"mean_ms"`
	P50   float64 `json:"p50_ms"`
	P99   float64 `json:"p99_ms"`
	Count int
}

// enoughForP99 is how many values carry a p99: with fewer the run shows n/a.
const enoughForP99 = 100

// numbers are those that the result shows, without truths.
func (r *result) numbers() []number {
	var out []number
	i := &r.Inferometer
	for _, m := range []struct {
		name string
		summary
	}{{"ttft", i.Latency.Sent.TTFT}, {"tpot", i.TPOT}, {"itl", i.InterChunk}, {"e2el", i.Latency.Sent.E2EL}} {
		if m.Count == 0 {
			continue
		}
		for _, s := range []struct {
			name  string
			value float64
		}{{"mean", m.Mean}, {"p50", m.P50}, {"p99", m.P99}} {
			name := s.name + "_" + m.name
			if s.name == "p99" && m.Count < enoughForP99 || slices.Contains(i.Verdict.Unsupported, name) {
				continue
			}
			n := number{name: name, shown: s.value, low: s.value, high: s.value}
			if ends, ok := i.Bounds.Metrics[m.name].Bounds[s.name+"_ms"]; ok && i.Bounds.Known {
				n.low, n.high = min(ends[0], s.value)-i.Bounds.StampError, max(ends[1], s.value)+i.Bounds.StampError
			}
			out = append(out, n)
		}
	}
	for _, rate := range []struct {
		name  string
		value float64
	}{{"request_throughput", r.RequestThroughput}, {"output_throughput", r.OutputThroughput}, {"total_token_throughput", r.TotalTokenThroughput}} {
		n := number{name: rate.name, shown: rate.value, low: rate.value, high: rate.value}
		if ends, ok := i.Bounds.Rates[rate.name]; ok {
			n.low, n.high = min(ends[0], rate.value), max(ends[1], rate.value)
		}
		out = append(out, n)
	}
	return out
}

// statistic is a measured result's value of that name.
func statistic(r *measure.Result, name string) (float64, bool) {
	switch name {
	case "request_throughput":
		return r.RequestThroughput, true
	case "output_throughput":
		return r.OutputThroughput, true
	case "total_token_throughput":
		return r.TotalTokenThroughput, true
	}
	which, metric, _ := strings.Cut(name, "_")
	s := r.Summary(metric)
	if s == nil || s.Count == 0 {
		return 0, false
	}
	return map[string]float64{"mean": s.Mean, "p50": s.P50, "p99": s.P99}[which], true
}

// constants are a simulator's settings that do not vary, in milliseconds.
type constants struct {
	ttft, tpot float64
	ownWork    float64 // at most, in TTFT
}

// ownWork is how long the simulator itself takes between a request and the start of its clock, in milliseconds: it is in
// the log's times and not in the settings. Requests that come at one moment wait for each other.
func ownWork(concurrency int) float64 { return 1.5 + 0.15*float64(concurrency) }

// truths adds to each number what the simulators' logs say, with requests that begin when the client sent them and when
// the server's kernel had them; and the settings, where they are given.
func truths(list []number, p *played, c *constants) error {
	var paths []string
	for i := range p.sims {
		paths = append(paths, p.truth(i))
	}
	log, err := served.Read(paths...)
	if err != nil {
		return err
	}
	for _, start := range []struct {
		by      string
		arrived bool
	}{{"log, sent", false}, {"log, arrived", true}} {
		since, err := served.Measure(p.journal(), log, served.Times{Arrived: start.arrived})
		if err != nil {
			return err
		}
		by, err := served.Measure(p.journal(), log, served.Times{Arrived: start.arrived, Handed: true})
		if err != nil {
			return err
		}
		for i := range list {
			v, known := statistic(since, list[i].name)
			w, alsoKnown := statistic(by, list[i].name)
			if known && alsoKnown {
				list[i].truths = append(list[i].truths, truth{start.by, (v + w) / 2, math.Abs(w-v) / 2})
			}
		}
	}
	if c == nil {
		return nil
	}
	for i := range list {
		switch list[i].name {
		case "mean_ttft", "p50_ttft":
			list[i].truths = append(list[i].truths, truth{"settings", c.ttft + c.ownWork/2, c.ownWork / 2})
		case "mean_tpot", "p50_tpot":
			if c.tpot > 0 {
				list[i].truths = append(list[i].truths, truth{by: "settings", value: c.tpot})
			}
		}
	}
	return nil
}
