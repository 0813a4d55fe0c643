package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/judge/measure"
)

// shown are the statistics of a line each. A maximum is that of one event of some
// hundred thousand, and the server may be stopped between its note of the truth and its
// write: it is shown and not held to the bounds.
var shown = []struct {
	metric, statistic string
	held              bool
}{
	{"ttft", "mean", true},
	{"ttft", "p50", true},
	{"ttft", "p90", true},
	{"ttft", "p99", true},
	{"itl", "mean", true},
	{"itl", "p50", true},
	{"itl", "p90", true},
	{"itl", "p99", true},
	{"itl", "max", false},
	{"inter_token", "p50", true},
	{"inter_token", "p90", true},
	{"inter_token", "p99", true},
	{"tpot", "p50", true},
	{"tpot", "p99", true},
	{"e2el", "p50", true},
	{"e2el", "p99", true},
}

// table gathers runs.
type table struct {
	runs    int
	all     int // runs in which every held statistic lay within its bounds
	shares  []float64
	rates   []float64
	lines   [][]point // by the index of shown
	allowed float64
}

// point is a statistic of one run, in milliseconds.
type point struct {
	truth, ours, low, high float64
	inside                 bool
}

func newTable() *table { return &table{lines: make([][]point, len(shown))} }

func (t *table) add(seen, truth *measure.Result, allowance time.Duration) {
	t.runs++
	t.shares, t.rates = append(t.shares, 100*seen.Bounds.Share()), append(t.rates, seen.OutputThroughput)
	t.allowed = float64(allowance) / 1e6
	if allowance < 0 {
		t.allowed = seen.Bounds.StampError
	}
	all := true
	for i, s := range shown {
		ends, ok := seen.Bounds.Of(s.metric, s.statistic)
		is, isOK := statistic(truth, s.metric, s.statistic)
		ours, oursOK := statistic(seen, s.metric, s.statistic)
		if !ok || !isOK || !oursOK {
			continue
		}
		p := point{is, ours, ends[0], ends[1], is >= ends[0]-t.allowed && is <= ends[1]+t.allowed}
		t.lines[i] = append(t.lines[i], p)
		all = all && (p.inside || !s.held)
	}
	if all {
		t.all++
	}
}

func statistic(r *measure.Result, metric, name string) (float64, bool) {
	s := r.Summary(metric)
	if metric == "inter_token" {
		s = r.InterToken.Summary
	}
	if s == nil || s.Count == 0 {
		return 0, false
	}
	return map[string]float64{"mean": s.Mean, "p50": s.P50, "p90": s.P90, "p99": s.P99, "max": s.Max}[name], true
}

// holds: in 19 of 20 runs all that is held lay within.
func (t *table) holds() bool { return 20*t.all >= 19*t.runs }

func (t *table) show() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d runs, all within in %d; %.1f %% of the events within bounds only, %.0f tok/s (medians over runs); %.3f ms allowed beside the bounds\n\n",
		t.runs, t.all, middle(t.shares), middle(t.rates), t.allowed)
	b.WriteString("| statistic | truth within | truth, ms | shown, ms | at least | at most | truth outside by at most, ms |\n|---|---:|---:|---:|---:|---:|---:|\n")
	for i, s := range shown {
		line := t.lines[i]
		if len(line) == 0 {
			continue
		}
		inside, out := 0, 0.0
		for _, p := range line {
			if p.inside {
				inside++
			}
			out = max(out, p.low-p.truth, p.truth-p.high)
		}
		of := func(f func(point) float64) float64 {
			values := make([]float64, len(line))
			for k, p := range line {
				values[k] = f(p)
			}
			return middle(values)
		}
		fmt.Fprintf(&b, "| %s %s | %d of %d | %.3f | %.3f | %.3f | %.3f | %.3f |\n", s.metric, s.statistic, inside, len(line),
			of(func(p point) float64 { return p.truth }), of(func(p point) float64 { return p.ours }),
			of(func(p point) float64 { return p.low }), of(func(p point) float64 { return p.high }), out)
	}
	return b.String()
}

// middle is the median of few values.
func middle(v []float64) float64 {
	v = slices.SortedFunc(slices.Values(v), cmp.Compare[float64])
	if len(v) == 0 {
		return 0
	}
	return v[len(v)/2]
}
