package section

import (
	"fmt"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

func init() { Add(atAnswers, answers) }

// answers are the numbers of all answers together that vLLM does not have: stalls, goodput and further metrics.
func answers(run *Run) *Section {
	r := run.Result
	t := &table.Table{}
	if s := r.Stalls; s != nil {
		text := "none"
		if s.Count > 0 {
			text = fmt.Sprintf("%d in %d of %d requests, longest %s ms, %s ms in all", s.Count, s.Requests, r.Completed, number.Millis(s.Longest), number.Millis(s.Total))
		}
		t.Fact(fmt.Sprintf("Stalls (gaps over %s ms)", number.Millis(s.Threshold)), text)
	}
	goodput(t, r.Limits)
	for _, m := range Others(r) {
		if m.OfQuestions || m.OfServer || m.OfReplicas || m.OfFaults { // these have a section of their own
			continue
		}
		v, _ := r.Number(&m)
		t.Fact(m.Title, metricText(&m, v))
	}
	return &Section{ID: "answers", Title: "Answers", Tables: []*table.Table{t}}
}

func metricText(m *metric.Metric, v float64) string {
	switch {
	case math.IsNaN(v):
		return number.Unknown
	case m.Whole():
		return number.Count(v)
	}
	return number.Rate(v)
}

// goodput is what kept the limits, and what each limit cost: the one that binds first.
func goodput(t *table.Table, g *measure.Goodput) {
	if g == nil {
		return
	}
	t.Fact("Good requests", number.Of(g.Good, g.Requests))
	t.Fact("Output token goodput (tok/s)", number.Rate(g.TokensPerSecond))
	limits := slices.Clone(g.Limits)
	slices.SortStableFunc(limits, func(a, b measure.Limit) int {
		if a.Alone != b.Alone {
			return b.Alone - a.Alone
		}
		return b.Broken + b.Unknown - a.Broken - a.Unknown
	})
	for _, l := range limits {
		words := fmt.Sprintf("%d over, %d by this alone", l.Broken, l.Alone)
		if l.Unknown > 0 {
			words += fmt.Sprintf(", %d not known", l.Unknown)
		} else if l.Broken == 0 {
			words = "kept by all"
		}
		t.Fact(fmt.Sprintf("Limit %s:%s", l.Metric, number.Exact(l.MS)), words)
	}
}

// Of vLLM's result: the numbers of the whole run, in its order, and its peaks.
var (
	VLLMTotals = []string{
		"duration", "completed", "failed", "total_input_tokens", "total_output_tokens",
		"request_throughput", "request_goodput", "output_throughput", "total_token_throughput",
	}
	VLLMPooling = []string{
		"duration", "completed", "total_input_tokens", "total_input_sequences", "request_throughput", "input_sequence_throughput", "total_token_throughput",
	}
	VLLMPeaks = []string{"max_output_tokens_per_s", "max_concurrent_requests"}
)

// ownPlace are ours that the result holds elsewhere: under goodput and agents, and as vLLM's
// keys of speculative decoding.
var ownPlace = []string{"jobs_per_hour", "jobs_per_gpu_hour", "job_goodput", "failed_jobs", "output_token_goodput", "spec_decode_acceptance_rate", "spec_decode_acceptance_length", "rtfx", "lost", "unsent", "hung_up", "tokens_for_nobody"}

// Others are the numbers of the whole run that vLLM does not have.
func Others(r *measure.Result) []metric.Metric {
	return metric.Select(func(m *metric.Metric) bool {
		_, ok := r.Number(m)
		return ok && !slices.Contains(slices.Concat(VLLMTotals, VLLMPooling, VLLMPeaks, ownPlace), m.Name)
	})
}
