package export

import (
	"io"
	"strings"

	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/inferometer/inferometer/internal/show/section"
)

// InferenceX writes the keys that InferenceX reads and those that it publishes. Its
// script takes the keys that end in _ms; its published results hold seconds under
// names without _ms. Both are here, seconds first: where its script meets both, the
// later ones win, and they are those that it knows.
func InferenceX(w io.Writer, run *section.Run) error {
	r, o := run.Result, &run.Result.Run.Options
	good := any(nil)
	if r.Limits != nil {
		good = r.Limits.Good
	}
	rate := any("inf")
	if o.RequestRate > 0 {
		rate = o.RequestRate
	}
	input := 0.0
	if r.Duration > 0 {
		input = float64(r.InputTokens) / r.Duration
	}
	start := float64(r.Run.StartUnixNs) / 1e9
	v := ordered.Object{
		{"date", section.Start(r).Format("20060102-150405")},
		{"model_id", o.ModelID},
		{"tokenizer_id", o.TokenizerID},
		{"num_prompts", o.NumPrompts},
		{"request_rate", rate},
		{"burstiness", o.Burstiness},
		{"max_concurrency", o.MaxConcurrency},
		{"duration", r.Duration},
		{"benchmark_start_time_unix", start},
		{"benchmark_end_time_unix", start + r.Duration},
		{"completed", r.Completed},
		{"good_completed", good},
		{"total_input_tokens", r.InputTokens},
		{"total_output_tokens", r.OutputTokens},
		{"request_throughput", r.RequestThroughput},
		{"request_goodput", r.Goodput},
		{"input_throughput", input},
		{"output_throughput", r.OutputThroughput},
		{"total_token_throughput", r.TotalTokenThroughput},
	}
	for _, unit := range []struct {
		ending string
		factor float64
	}{{"", 1e-3}, {"_ms", 1}} {
		for _, m := range latencies(r) {
			if m.Count == 0 { // a zero would be divided by
				continue
			}
			for _, p := range []struct {
				word string
				v    float64
			}{{"mean", m.Mean}, {"median", m.P50}, {"p90", m.P90}, {"p99", m.P99}, {"p99.9", m.P999}} {
				v = append(v, ordered.Member{p.word + "_" + strings.ToLower(m.key) + unit.ending, p.v * unit.factor})
			}
		}
	}
	return writeJSON(w, v)
}
