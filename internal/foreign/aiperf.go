package foreign

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// aiStats is one record of AIPerf's or genai-perf's export.
type aiStats struct {
	Unit string   `json:"unit"`
	Mean *float64 `json:"avg"`
	P50  *float64 `json:"p50"`
	P75  *float64 `json:"p75"`
	P90  *float64 `json:"p90"`
	P95  *float64 `json:"p95"`
	P99  *float64 `json:"p99"`
	Std  *float64 `json:"std"`
}

// aiUnits are the units of times, in milliseconds.
var aiUnits = map[string]float64{
	"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "ms": 1, "s": 1000, "sec": 1000, "seconds": 1000, "": 1, // genai-perf's first versions had none
}

// into keeps a distribution of times in milliseconds.
func (a *aiStats) into(r *result.Result, metric string) error {
	factor, known := aiUnits[strings.ToLower(a.Unit)]
	if !known {
		return fmt.Errorf("the unit of %s is %q, which is not known", metric, a.Unit)
	}
	for name, v := range map[string]*float64{
		"mean": a.Mean, "median": a.P50, "p75": a.P75, "p90": a.P90, "p95": a.P95, "p99": a.P99, "std": a.Std,
	} {
		if v != nil {
			ms := *v * factor
			r.Set(name+"_"+metric+"_ms", &ms)
		}
	}
	return nil
}

// perSecond keeps a rate.
func (a *aiStats) perSecond(r *result.Result, metric string) error {
	_, per, has := strings.Cut(strings.ToLower(a.Unit), "/")
	factor := map[string]float64{"sec": 1, "s": 1, "second": 1, "ms": 1000, "min": 1.0 / 60, "minute": 1.0 / 60}[per]
	switch {
	case a.Mean == nil:
		return nil
	case !has:
		factor = 1
	case factor == 0:
		return fmt.Errorf("the unit of %s is %q, which is not known", metric, a.Unit)
	}
	v := *a.Mean * factor
	r.Set(metric, &v)
	return nil
}

func readAIPerf(o object) ([]result.Result, error) {
	var k struct {
		Version    string  `json:"aiperf_version"`
		Schema     string  `json:"schema_version"` // genai-perf has neither, files that others write for AIPerf's readers only this
		Requests   aiStats `json:"request_throughput"`
		Output     aiStats `json:"output_token_throughput"`
		TTFT       aiStats `json:"time_to_first_token"`
		Latency    aiStats `json:"request_latency"`
		InterToken aiStats `json:"inter_token_latency"`
		InterChunk aiStats `json:"inter_chunk_latency"`
		Count      aiStats `json:"request_count"`
		Errors     aiStats `json:"error_request_count"`
		Duration   aiStats `json:"benchmark_duration"`
		InputSum   aiStats `json:"total_isl"`
		OutputSum  aiStats `json:"total_osl"`
		Total      aiStats `json:"total_token_throughput"`
		Cached     aiStats `json:"overall_usage_prompt_cache_read_pct"`
		Planned    aiStats `json:"theoretical_prefix_cache_hit"`
		Config     aiInput `json:"input_config"`
	}
	if err := json.Unmarshal(o.whole, &k); err != nil {
		return nil, err
	}
	r := result.Result{Tool: result.AIPerf, Notes: []string{
		"itl is AIPerf's inter_chunk_latency, tpot its inter_token_latency (per request)",
		"its throughput counts from the first request's start to the last one's end",
	}}
	if k.Version == "" && k.Schema == "" {
		r.Tool, r.Notes = result.GenAIPerf, []string{"tpot is genai-perf's inter_token_latency (per request)"}
	}
	if err := errors.Join(
		k.Requests.perSecond(&r, "request_throughput"), k.Output.perSecond(&r, "output_throughput"), k.Total.perSecond(&r, "total_token_throughput"),
		k.TTFT.into(&r, "ttft"), k.InterToken.into(&r, "tpot"), k.InterChunk.into(&r, "itl"), k.Latency.into(&r, "e2el"),
	); err != nil {
		return nil, err
	}
	setShare(&r, "cached_share", k.Cached.Mean, 100)
	setShare(&r, "planned_cached_share", k.Planned.Mean, 100)
	failed := result.Count(value(k.Errors.Mean))
	seconds := value(k.Duration.Mean)
	if k.Duration.Unit != "" {
		seconds *= aiUnits[strings.ToLower(k.Duration.Unit)] / 1000
	}
	r.Facts = result.Facts{
		Completed: result.Count(value(k.Count.Mean)), Failed: &failed, Duration: seconds, Nothing: k.Count.Mean != nil && *k.Count.Mean == 0,
		InputTokens: int64(result.Count(value(k.InputSum.Mean))), OutputTokens: int64(result.Count(value(k.OutputSum.Mean))),
	}
	k.Config.into(&r.Facts)
	return []result.Result{r}, nil
}

// aiInput is the configuration, in AIPerf's form of today.
type aiInput struct {
	Models struct {
		Items []struct {
			Name string `json:"name"`
		} `json:"items"`
	} `json:"models"`
	Phases []struct {
		Kind        string   `json:"kind"`
		Requests    int      `json:"requests"`
		Concurrency int      `json:"concurrency"`
		Rate        *float64 `json:"rate"`
	} `json:"phases"`
}

// UnmarshalJSON takes what it knows: the configuration has changed its form with
// every version, and no number depends on it.
func (a *aiInput) UnmarshalJSON(b []byte) error {
	type plain aiInput
	_ = json.Unmarshal(b, (*plain)(a))
	return nil
}

func (a *aiInput) into(f *result.Facts) {
	var names []string
	for _, m := range a.Models.Items {
		names = append(names, m.Name)
	}
	f.Model = strings.Join(names, ", ")
	for _, p := range a.Phases {
		if p.Kind != "profiling" {
			continue
		}
		f.Asked, f.Concurrency = p.Requests, p.Concurrency
		f.Rate = value(p.Rate)
	}
}

func value(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}
