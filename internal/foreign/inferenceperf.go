package foreign

import (
	"encoding/json"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// readInferencePerf reads the summary and stage files of inference-perf: seconds.
func readInferencePerf(o object) ([]result.Result, error) {
	var k struct {
		Load struct {
			Count int `json:"count"`
		} `json:"load_summary"`
		Successes struct {
			Count      int                            `json:"count"`
			Latency    map[string]map[string]*float64 `json:"latency"`
			Throughput map[string]*float64            `json:"throughput"`
		} `json:"successes"`
		Failures struct {
			Count int `json:"count"`
		} `json:"failures"`
	}
	if err := json.Unmarshal(o.whole, &k); err != nil {
		return nil, err
	}
	r := result.Result{Tool: result.InferencePerf, Notes: []string{"itl is the time between chunks"}}
	r.Facts = result.Facts{Asked: k.Load.Count, Completed: k.Successes.Count, Failed: &k.Failures.Count}
	for theirs, metric := range map[string]string{
		"time_to_first_token": "ttft", "time_per_output_token": "tpot", "inter_token_latency": "itl", "request_latency": "e2el",
	} {
		for _, name := range []string{"mean", "median", "p90", "p95", "p99", "p99.9"} {
			if v := k.Successes.Latency[theirs][name]; v != nil {
				ms := *v * 1000
				r.Set(name+"_"+metric+"_ms", &ms)
			}
		}
	}
	for theirs, metric := range map[string]string{
		"requests_per_sec": "request_throughput", "output_tokens_per_sec": "output_throughput",
		"input_tokens_per_sec": "input_throughput", "total_tokens_per_sec": "total_token_throughput",
	} {
		r.Set(metric, k.Successes.Throughput[theirs])
	}
	return []result.Result{r}, nil
}
