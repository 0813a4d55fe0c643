package foreign

import (
	"encoding/json"
	"strconv"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// readBatchLatency reads the JSON of vllm bench latency, and ours: seconds per batch.
func readBatchLatency(o object) ([]result.Result, error) {
	var k struct {
		Mean        *float64            `json:"avg_latency"`
		Latencies   []float64           `json:"latencies"`
		Percentiles map[string]*float64 `json:"percentiles"`
		Failed      *int                `json:"failed_iterations"` // ours
	}
	if err := json.Unmarshal(o.whole, &k); err != nil {
		return nil, err
	}
	r := result.Result{Tool: result.BatchLatency, Facts: result.Facts{Completed: len(k.Latencies), Failed: k.Failed, Nothing: len(k.Latencies) == 0}}
	inMs := func(metric string, seconds *float64) {
		if seconds != nil {
			v := *seconds * 1000
			r.Set(metric, &v)
		}
	}
	inMs("mean_batch_ms", k.Mean)
	for p, v := range k.Percentiles {
		if _, err := strconv.ParseFloat(p, 64); err != nil {
			continue
		}
		if p == "50" {
			inMs("median_batch_ms", v)
		} else {
			inMs("p"+p+"_batch_ms", v)
		}
	}
	r.Keep("batch", k.Latencies)
	return []result.Result{r}, nil
}

// readThroughput reads the JSON of vllm bench throughput, and ours.
func readThroughput(o object) ([]result.Result, error) {
	var k struct {
		Duration  float64  `json:"elapsed_time"`
		Completed *int     `json:"num_requests"`
		Requests  *float64 `json:"requests_per_second"`
		Tokens    *float64 `json:"tokens_per_second"`
		Failed    *int     `json:"failed_requests"` // ours
	}
	if err := json.Unmarshal(o.whole, &k); err != nil {
		return nil, err
	}
	r := result.Result{Tool: result.Throughput, Notes: []string{"an offline batch has no latencies of single requests"}}
	r.Facts = result.Facts{Duration: k.Duration, Failed: k.Failed, AtOnce: true}
	r.Facts.Done(k.Completed)
	r.Set("request_throughput", k.Requests)
	r.Set("total_token_throughput", k.Tokens)
	return []result.Result{r}, nil
}
