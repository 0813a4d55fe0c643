package foreign

import (
	"encoding/json"
	"maps"
	"math"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// readInferenceXAgentic reads what InferenceX keeps of a run of agents: seconds, in objects.
func readInferenceXAgentic(o object) ([]result.Result, error) {
	type rate struct {
		Tokens *float64 `json:"tokens_per_second"`
	}
	var k struct {
		Hardware   string `json:"hw"`
		Model      string `json:"model"`
		Framework  string `json:"framework"`
		Concurrent int    `json:"conc"`
		Completed  *int   `json:"num_requests_successful"`
		Accounting struct {
			Errors *int `json:"records_error_dropped"`
		} `json:"request_accounting"`
		Requests struct {
			Latency    map[string]map[string]*float64 `json:"latency"`
			Throughput struct {
				Input, Output, Total rate
				Seconds              *float64 `json:"duration_seconds"`
			} `json:"throughput"`
			Cache struct {
				Planned *float64 `json:"theoretical_cache_hit_rate"`
			} `json:"cache"`
		} `json:"request_metrics"`
		Server struct {
			Cache struct {
				Overall *float64 `json:"overall_cache_hit_rate"`
			} `json:"cache"`
		} `json:"server_metrics"`
	}
	if err := json.Unmarshal(o.whole, &k); err != nil {
		return nil, err
	}
	r := result.Result{Tool: result.InferenceX, Notes: []string{
		"a run of agents: its concurrency counts conversations, its tpot is also called itl there, and its percentiles of intvty are those of 1 / tpot",
		"its throughput counts from the first success's start to the last one's end",
	}}
	for _, name := range []string{"ttft", "tpot", "e2el"} {
		for key, seconds := range k.Requests.Latency[name] {
			if word, known := agenticWords[key]; known && seconds != nil {
				ms := 1000 * *seconds
				r.Set(word+"_"+name+"_ms", &ms)
			}
		}
	}
	t := &k.Requests.Throughput
	r.Set("input_throughput", t.Input.Tokens)
	r.Set("output_throughput", t.Output.Tokens)
	r.Set("total_token_throughput", t.Total.Tokens)
	setShare(&r, "cached_share", k.Server.Cache.Overall, 1)
	setShare(&r, "planned_cached_share", k.Requests.Cache.Planned, 1)
	r.Facts = result.Facts{Model: k.Model, Backend: k.Framework, Hardware: k.Hardware, Concurrency: k.Concurrent, Failed: k.Accounting.Errors, Duration: value(t.Seconds)}
	r.Facts.Done(k.Completed)
	if n, s := k.Completed, value(t.Seconds); n != nil && s > 0 {
		perSecond := float64(*n) / s
		r.Set("request_throughput", &perSecond)
	}
	maps.DeleteFunc(r.Values, func(_ string, v float64) bool { return v < 0 || math.IsInf(v, 0) }) // nobody measures that
	return []result.Result{r}, nil
}

// agenticWords are our words for its statistics.
var agenticWords = map[string]string{"mean": "mean", "p50": "median", "p75": "p75", "p90": "p90", "p95": "p95", "std": "std"}

// setShare keeps a share in per cent, of one that is told as a part of whole. What is no share is left out.
func setShare(r *result.Result, metric string, of *float64, whole float64) {
	if of == nil || !(*of >= 0 && *of <= whole) {
		return
	}
	percent := 100 * *of / whole
	r.Set(metric, &percent)
}
