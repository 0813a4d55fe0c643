package report

import (
	"maps"

	"github.com/inferometer/inferometer/internal/journal"
)

// scraped is the run against three servers, of which two tell their metrics: one is vLLM, with
// somebody else's requests in its counters; the other one began anew.
func scraped() *memory {
	m := replicas()
	vllm := func(at int64, done float64) journal.Scrape {
		s := journal.Scrape{At: at * 100 * ms, During: true, Counters: map[string]float64{
			"vllm:num_requests_running": 4, "vllm:num_requests_waiting": max(done-20, 0), "vllm:kv_cache_usage_perc": done / 50,
			"vllm:prompt_tokens_total": 16 * done, "vllm:generation_tokens_total": 8 * done, "vllm:request_success_total": done,
			"vllm:prefix_cache_queries_total": 16 * done, "vllm:prefix_cache_hits_total": 4 * done, "vllm:num_preemptions_total": done / 10,
			"vllm:time_to_first_token_seconds_sum": done / 20, "vllm:time_to_first_token_seconds_count": done,
			"vllm:request_queue_time_seconds_sum": done / 100, "vllm:request_queue_time_seconds_count": done,
		}}
		return s
	}
	ends := func(s journal.Scrape, after bool) journal.Scrape {
		s.During, s.After = false, after
		done := s.Counters["vllm:request_success_total"]
		s.Buckets = map[string]map[string]float64{"vllm:time_to_first_token_seconds": {"0.04": done * 0.4, "0.06": done * 0.9, "+Inf": done}}
		return s
	}
	m.scrapes = []journal.Scrape{ends(vllm(-1, 10), false), vllm(1, 10), vllm(2, 20), vllm(3, 30), vllm(4, 40), ends(vllm(5, 50), true)}
	for i, tokens := range []float64{900, 1000, 20, 80} {
		counters := map[string]float64{"llamacpp:tokens_predicted_total": tokens, "llamacpp:requests_processing": 2}
		m.scrapes = append(m.scrapes, journal.Scrape{At: int64(i-1) * 100 * ms, Target: 1, During: i == 1 || i == 2, After: i == 3, Counters: maps.Clone(counters)})
	}
	return m
}
