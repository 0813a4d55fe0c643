package foreign

import (
	"encoding/json"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// guideStats is one distribution of GuideLLM's, of the requests that succeeded.
type guideStats struct {
	Successful *struct {
		Mean        *float64            `json:"mean"`
		Median      *float64            `json:"median"`
		Std         *float64            `json:"std_dev"`
		Count       int                 `json:"count"`
		Sum         float64             `json:"total_sum"`
		Percentiles map[string]*float64 `json:"percentiles"`
	} `json:"successful"`
}

// into keeps a distribution under a metric's name, in milliseconds.
func (g *guideStats) into(r *result.Result, metric string, factor float64) {
	s := g.Successful
	if s == nil || s.Count == 0 {
		return
	}
	scaled := func(v *float64) *float64 {
		if v == nil {
			return nil
		}
		x := *v * factor
		return &x
	}
	r.Set("mean_"+metric+"_ms", scaled(s.Mean))
	r.Set("median_"+metric+"_ms", scaled(s.Median))
	r.Set("std_"+metric+"_ms", scaled(s.Std))
	for _, p := range []string{"p75", "p90", "p95", "p99", "p999"} {
		name := p
		if p == "p999" {
			name = "p99.9"
		}
		r.Set(name+"_"+metric+"_ms", scaled(s.Percentiles[p]))
	}
}

type guideBenchmark struct {
	Config struct {
		Strategy struct {
			Type           string   `json:"type_"`
			MaxConcurrency int      `json:"max_concurrency"`
			Streams        int      `json:"streams"`
			Rate           *float64 `json:"rate"`
		} `json:"strategy"`
	} `json:"config"`
	Metrics struct {
		Totals struct {
			Successful int `json:"successful"`
			Errored    int `json:"errored"`
			Incomplete int `json:"incomplete"`
			Total      int `json:"total"`
		} `json:"request_totals"`
		Requests guideStats `json:"requests_per_second"`
		Latency  guideStats `json:"request_latency"` // seconds
		TTFT     guideStats `json:"time_to_first_token_ms"`
		TPOT     guideStats `json:"time_per_output_token_ms"`
		ITL      guideStats `json:"inter_token_latency_ms"`
		Prompt   guideStats `json:"prompt_token_count"`
		Output   guideStats `json:"output_token_count"`
	} `json:"metrics"`
	Requests json.RawMessage `json:"requests"`
	Duration float64         `json:"duration"`
}

func readGuideLLM(o object) ([]result.Result, error) {
	var file struct {
		Config struct {
			Spec struct {
				Backend struct {
					Model string `json:"model"`
				} `json:"backend"`
			} `json:"spec"`
		} `json:"config"`
		Benchmarks []guideBenchmark `json:"benchmarks"`
	}
	if err := json.Unmarshal(o.whole, &file); err != nil {
		return nil, err
	}
	runs := make([]result.Result, len(file.Benchmarks))
	for i := range file.Benchmarks {
		runs[i] = file.Benchmarks[i].run()
		runs[i].Facts.Model = file.Config.Spec.Backend.Model
	}
	return runs, nil
}

func (b *guideBenchmark) run() result.Result {
	m, s := &b.Metrics, &b.Config.Strategy
	failed := m.Totals.Errored + m.Totals.Incomplete
	r := result.Result{Tool: result.GuideLLM, Facts: result.Facts{
		Asked: m.Totals.Total, Completed: m.Totals.Successful, Failed: &failed, Duration: b.Duration,
		Concurrency: max(s.Streams, 0),
	}}
	if s.Rate != nil {
		r.Facts.Rate = *s.Rate
	}
	switch s.Type {
	case "synchronous":
		r.Facts.Concurrency = 1
	case "throughput":
		r.Facts.AtOnce = r.Facts.Concurrency == 0
	}
	r.Facts.Nothing = m.Totals.Total > 0 && m.Totals.Successful == 0
	if m.Requests.Successful != nil {
		r.Set("request_throughput", m.Requests.Successful.Mean)
	}
	if p, o := m.Prompt.Successful, m.Output.Successful; p != nil && o != nil {
		r.Facts.InputTokens, r.Facts.OutputTokens = int64(result.Count(p.Sum)), int64(result.Count(o.Sum))
		if b.Duration > 0 {
			output, total := o.Sum/b.Duration, (o.Sum+p.Sum)/b.Duration
			r.Set("output_throughput", &output)
			r.Set("total_token_throughput", &total)
		}
	}
	m.TTFT.into(&r, "ttft", 1)
	// Its time_per_output_token spreads the whole latency over all tokens; the mean
	// without the first one, which others call TPOT, is its inter_token_latency.
	m.ITL.into(&r, "tpot", 1)
	m.Latency.into(&r, "e2el", 1000)
	b.samples(&r)
	r.Notes = []string{
		"tpot here is GuideLLM's inter_token_latency (per request, without the first token); its own time_per_output_token includes the first",
		"throughput of tokens is the sum of tokens by the duration; GuideLLM's own per-second distributions are other numbers",
	}
	return r
}

// samples keeps the values of single requests, where the file has them.
func (b *guideBenchmark) samples(r *result.Result) {
	var requests struct {
		Successful []struct {
			Info struct {
				Timings struct {
					Start *float64 `json:"request_start"`
					First *float64 `json:"first_token_iteration"`
					Last  *float64 `json:"last_token_iteration"`
					End   *float64 `json:"request_end"`
				} `json:"timings"`
			} `json:"info"`
			Output struct {
				Tokens *int `json:"total_tokens"`
			} `json:"output_metrics"`
		} `json:"successful"`
	}
	if json.Unmarshal(b.Requests, &requests) != nil {
		return
	}
	var ttft, tpot, e2el []float64
	for _, q := range requests.Successful {
		t := &q.Info.Timings
		if t.Start == nil || t.First == nil || t.Last == nil || t.End == nil {
			continue
		}
		ttft, e2el = append(ttft, *t.First-*t.Start), append(e2el, *t.End-*t.Start)
		if n := q.Output.Tokens; n != nil && *n > 1 {
			tpot = append(tpot, (*t.Last-*t.First)/float64(*n-1))
		}
	}
	r.Keep("ttft", ttft)
	r.Keep("tpot", tpot)
	r.Keep("e2el", e2el)
}
