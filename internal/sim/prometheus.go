package sim

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/sim/engine"
)

// showMetrics writes Prometheus text under vLLM's names.
func (s *Server) showMetrics(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	p := &promText{model: s.cfg.Model}
	s.metrics.show(p, s.engine.State(), s.transfers)
	s.answers.show(p)
	p.head("vllm:engine_sleep_state", "gauge", "1: the engine is in this state.")
	for _, state := range []string{"awake", "weights_offloaded", "discard_all"} {
		v := 0.0
		if state == s.sleepState() {
			v = 1
		}
		p.sample("engine_sleep_state", `,sleep_state="`+state+`"`, v)
	}
	_, _ = w.Write([]byte(p.String()))
}

// promText gathers metrics; all of them carry the model and the engine's number.
type promText struct {
	strings.Builder
	model string
}

func (m *metrics) show(p *promText, e engine.State, t *transfers) {
	p.head("process_start_time_seconds", "gauge", "Start time of the process since unix epoch in seconds.")
	fmt.Fprintf(p, "process_start_time_seconds %s\n", number(float64(m.start.UnixNano())/1e9))

	p.gauge("num_requests_running", "Requests that the engine works on.", float64(e.Running))
	deferred := float64(t.deferred.Load())
	p.gauge("num_requests_waiting", "Requests in the queue.", float64(e.Waiting)+deferred)
	p.head("vllm:num_requests_waiting_by_reason", "gauge", "Requests in the queue, by what they wait for.")
	p.sample("num_requests_waiting_by_reason", `,reason="capacity"`, float64(e.Waiting))
	p.sample("num_requests_waiting_by_reason", `,reason="deferred"`, deferred)
	p.gauge("kv_cache_usage_perc", "Share of the KV blocks in use; 1 is all.", e.KVUsage)
	p.counter("prefix_cache_queries", "Prompt tokens looked up in the prefix cache.", e.CacheQueries)
	p.counter("prefix_cache_hits", "Prompt tokens found in the prefix cache.", e.CacheHits)
	p.counter("num_preemptions", "Sequences that lost their KV blocks.", e.Preemptions)
	p.counter("prompt_tokens", "Prompt tokens of all requests that left the queue.", e.PromptTokens)
	p.counter("prompt_tokens_cached", "Prompt tokens that needed no work.", e.CacheHits+e.External)
	p.head("vllm:prompt_tokens_by_source_total", "counter", "Prompt tokens by where they came from.")
	p.sample("prompt_tokens_by_source_total", `,source="local_compute"`, float64(e.PromptTokens-e.CacheHits-e.External))
	p.sample("prompt_tokens_by_source_total", `,source="local_cache_hit"`, float64(e.CacheHits))
	p.sample("prompt_tokens_by_source_total", `,source="external_kv_transfer"`, float64(e.External))
	p.counter("generation_tokens", "Tokens sent.", m.generated.Load())

	p.head("vllm:request_success_total", "counter", "Requests that ended, by reason.")
	for i, reason := range finishedReasons {
		p.sample("request_success_total", `,finished_reason="`+reason+`"`, float64(m.finished[i].Load()))
	}
	p.histogram("time_to_first_token_seconds", "From the request to the first token.", m.ttft)
	p.histogram("inter_token_latency_seconds", "Between events with tokens.", m.itl)
	p.histogram("e2e_request_latency_seconds", "From the request to the end of the answer.", m.e2e)
	p.histogram("request_queue_time_seconds", "From the request to the engine.", m.queue)
	p.histogram("request_prefill_time_seconds", "From leaving the queue to the first token.", m.prefill)
	p.histogram("request_decode_time_seconds", "From the first token to the last.", m.decode)
	p.histogram("request_inference_time_seconds", "From leaving the queue to the last token.", m.inference)
	p.histogram("request_time_per_output_token_seconds", "Between tokens, the mean of each request.", m.perToken)
	p.histogram("request_prompt_tokens", "Prompt tokens of each request.", m.promptLengths)
	p.histogram("request_generation_tokens", "Tokens sent of each request.", m.outputLengths)
	p.engine(&e)
	t.show(p, &e)
	if e.Speculative {
		p.counter("spec_decode_num_drafts", "Drafts made.", e.Drafts)
		p.counter("spec_decode_num_draft_tokens", "Draft tokens made.", e.DraftTokens)
		p.counter("spec_decode_num_accepted_tokens", "Draft tokens accepted.", e.Accepted)
		p.head("vllm:spec_decode_num_accepted_tokens_per_pos_total", "counter", "Draft tokens accepted, by position.")
		for i, n := range e.AcceptedAt {
			p.sample("spec_decode_num_accepted_tokens_per_pos_total", `,position="`+strconv.Itoa(i)+`"`, float64(n))
		}
	}
}

// engine writes what only an engine with steps and a cache has.
func (p *promText) engine(e *engine.State) {
	if e.Steps != nil { // a histogram, whatever its name says
		p.buckets("iteration_tokens_total", "Tokens in a step of the engine.", engine.StepBounds[:], e.Steps, float64(e.StepTokens))
	}
	if e.BlockSize > 0 {
		blocks := ""
		if e.Blocks > 0 {
			blocks = fmt.Sprintf(`,num_gpu_blocks="%d"`, e.Blocks)
		}
		p.head("vllm:cache_config_info", "gauge", "Settings of the KV cache, as labels.")
		p.sample("cache_config_info", fmt.Sprintf(`,block_size="%d",enable_prefix_caching="%v"%s`, e.BlockSize, e.PrefixCache, blocks), 1)
	}
}

func (p *promText) head(name, kind, help string) {
	fmt.Fprintf(p, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// sample writes one line; more is further labels with a comma before them.
func (p *promText) sample(name, more string, v float64) {
	fmt.Fprintf(p, "vllm:%s{engine=\"0\",model_name=%s%s} %s\n", name, label(p.model), more, number(v))
}

func (p *promText) gauge(name, help string, v float64) {
	p.head("vllm:"+name, "gauge", help)
	p.sample(name, "", v)
}

func (p *promText) counter(name, help string, v uint64) {
	p.head("vllm:"+name+"_total", "counter", help)
	p.sample(name+"_total", "", float64(v))
}

func (p *promText) histogram(name, help string, h *histogram) {
	counts := make([]uint64, len(h.counts))
	for i := range h.counts {
		counts[i] = h.counts[i].Load()
	}
	p.buckets(name, help, h.bounds, counts, time.Duration(h.sum.Load()).Seconds())
}

func (p *promText) buckets(name, help string, bounds []float64, counts []uint64, total float64) {
	p.head("vllm:"+name, "histogram", help)
	sum := uint64(0)
	for i, bound := range bounds {
		sum += counts[i]
		p.sample(name+"_bucket", `,le="`+number(bound)+`"`, float64(sum))
	}
	sum += counts[len(bounds)]
	p.sample(name+"_bucket", `,le="+Inf"`, float64(sum))
	p.sample(name+"_count", "", float64(sum))
	p.sample(name+"_sum", "", total)
}

// number writes whole numbers as Python's client does: 3.0.
func number(v float64) string {
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// label quotes a label's value by Prometheus's rules.
func label(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
