package report

import (
	"fmt"
	"io"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/outside"
)

// ThroughputConsole prints a result in the words of vllm bench throughput. What
// did not complete is in no number, and is told.
func ThroughputConsole(w io.Writer, r *measure.Result) error {
	if r.Failed > 0 {
		fmt.Fprintf(w, "Failed requests: %d of %d, in no number below\n", r.Failed, r.Requests)
		for _, e := range r.Errors {
			fmt.Fprintf(w, "  %d %s: %s\n", e.Count, e.Outcome, outside.Word(e.Message))
		}
	}
	_, err := fmt.Fprintf(w, "Throughput: %.2f requests/s, %.2f total tokens/s, %.2f output tokens/s\nTotal num prompt tokens:  %d\nTotal num output tokens:  %d\n",
		r.RequestThroughput, r.TotalTokenThroughput, r.OutputThroughput, r.InputTokens, r.OutputTokens)
	return err
}

// ThroughputJSON writes what vllm bench throughput writes to --output-json.
// Requests that failed, which vLLM can't have, follow under a key of ours.
func ThroughputJSON(w io.Writer, r *measure.Result) error {
	o := object{
		{"elapsed_time", r.Duration},
		{"num_requests", r.Completed},
		{"total_num_tokens", r.InputTokens + r.OutputTokens},
		{"requests_per_second", r.RequestThroughput},
		{"tokens_per_second", r.TotalTokenThroughput},
	}
	if r.Failed > 0 {
		o.Set("failed_requests", r.Failed)
	}
	return pyjson.WriteIndent(w, o, 4)
}
