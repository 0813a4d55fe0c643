package sim

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/sim/dialect"
)

var promLine = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-z_]+="(?:[^"\\]|\\.)*",?)*)\})? ([0-9.e+-]+|\+Inf)$`)

// parseProm reads Prometheus text by its grammar; keys are name{more labels}.
func parseProm(t *testing.T, text string) map[string]float64 {
	t.Helper()
	out := map[string]float64{}
	typed := map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, kind, _ := strings.Cut(rest, " ")
			typed[name] = kind
			continue
		}
		if strings.HasPrefix(line, "# HELP ") {
			continue
		}
		m := promLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("not a sample: %q", line)
		}
		family := m[1]
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			if base := strings.TrimSuffix(family, suffix); typed[base] == "histogram" {
				family = base
			}
		}
		if typed[family] == "" {
			t.Fatalf("no TYPE before %q", line)
		}
		v, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		labels := strings.TrimPrefix(strings.TrimPrefix(m[2], `engine="0",model_name="sim"`), ",")
		if labels != "" {
			labels = "{" + labels + "}"
		}
		out[strings.TrimPrefix(m[1], "vllm:")+labels] = v
	}
	return out
}

// patience bounds waits for a condition: so long only on a machine that has hung.
const patience = time.Minute

// metrics are what the server tells now.
func (r *running) metrics() map[string]float64 {
	r.t.Helper()
	resp, err := r.client.Get(r.url + "/metrics")
	if err != nil {
		r.t.Fatal(err)
	}
	return parseProm(r.t, drain(r.t, resp))
}

// settled reads /metrics until n requests are counted as ended: a request is
// counted right after its last write, which the client may see first.
func settled(t *testing.T, r *running, n int64) map[string]float64 {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		if r.metrics()["e2e_request_latency_seconds_count"] == float64(n) || time.Now().After(deadline) {
			return r.metrics() // what was counted before and after that figure is in this one
		}
	}
}

// TestMetricsAddUp compares /metrics after a run with the truth's sums.
func TestMetricsAddUp(t *testing.T) {
	for _, engine := range []string{EngineFixed, EngineBatch} {
		t.Run(engine, func(t *testing.T) {
			cfg := fast()
			cfg.Engine, cfg.CountPrefixes = engine, true
			cfg.Batch.Base, cfg.Batch.SpecTokens, cfg.Batch.SpecAcceptance = 200*time.Microsecond, 3, 0.5
			cfg.Faults, _ = ParseFaults("short=0.2,truncate=0.1,error-event=0.1,http-500=0.1")
			r := start(t, cfg)
			var all sync.WaitGroup
			var answered atomic.Int64
			for i := range 60 {
				all.Go(func() {
					stream := i%4 != 3
					body := fmt.Sprintf(`{"prompt":"%s %d","max_tokens":%d,"stream":%v}`, strings.Repeat(" the", 40), i%5, 2+i%9, stream)
					if _, g := classify(r.post(dialect.PathCompletions, fmt.Sprint(i), body)); g.status == 200 {
						answered.Add(1)
					}
				})
			}
			all.Wait()
			m := settled(t, r, answered.Load())
			want := map[string]float64{"num_requests_running": 0, "num_requests_waiting": 0, "kv_cache_usage_perc": 0}
			ended, cached, worked := 0.0, 0.0, 0.0
			for _, rec := range r.truth() {
				if rec.Status != 200 {
					continue
				}
				ended++
				cached += float64(rec.CachedTokens)
				worked += float64(rec.PromptTokens - rec.CachedTokens + rec.CompletionTokens - 1) // the first token is the prompt's
				want["prompt_tokens_total"] += float64(rec.PromptTokens)
				want["generation_tokens_total"] += float64(rec.CompletionTokens)
				reason := rec.Finish
				if reason == "" {
					reason = "error"
				}
				want[`request_success_total{finished_reason="`+reason+`"}`]++
			}
			want["time_to_first_token_seconds_count"] = ended
			want["e2e_request_latency_seconds_count"] = ended
			want["request_queue_time_seconds_count"] = ended
			for _, name := range []string{"request_prefill_time_seconds", "request_decode_time_seconds", "request_inference_time_seconds", "request_prompt_tokens", "request_generation_tokens"} {
				want[name+"_count"] = ended
			}
			want[`e2e_request_latency_seconds_bucket{le="+Inf"}`] = ended
			want["request_prompt_tokens_sum"] = want["prompt_tokens_total"]
			want["request_generation_tokens_sum"] = want["generation_tokens_total"]
			want["prefix_cache_hits_total"], want["prompt_tokens_cached_total"] = cached, cached
			want["prefix_cache_queries_total"] = want["prompt_tokens_total"]
			want[`prompt_tokens_by_source_total{source="local_cache_hit"}`] = cached
			want[`prompt_tokens_by_source_total{source="local_compute"}`] = want["prompt_tokens_total"] - cached
			want[`prompt_tokens_by_source_total{source="external_kv_transfer"}`] = 0
			if cached == 0 {
				t.Error("nothing was found in the prefix cache")
			}
			if engine == EngineBatch {
				want["iteration_tokens_total_sum"] = worked
				if m["spec_decode_num_drafts_total"] == 0 || m["spec_decode_num_accepted_tokens_total"] > m["spec_decode_num_draft_tokens_total"] {
					t.Errorf("drafts %v", m["spec_decode_num_drafts_total"])
				}
			}
			for name, v := range want {
				if got, ok := m[name]; !ok || got != v {
					t.Errorf("%s is %v (%v), the truth adds up to %v", name, got, ok, v)
				}
			}
			if start := m["process_start_time_seconds"]; start < 1e9 {
				t.Errorf("start time %v", start)
			}
		})
	}
}
