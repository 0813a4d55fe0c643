package agentic

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/ordered"
)

// aggregate is server_metrics of InferenceX's result. Only vLLM's names are known here: of other servers it has what the
// requests themselves say, and InferenceX's own script, run on AIPerf's files, has the rest.
func (s *server) aggregate(t *totals) ordered.Object {
	cache := nulls("gpu_cache_hit_rate", "cpu_cache_hit_rate", "external_cache_hit_rate", "overall_cache_hit_rate",
		"prefix_cache_hits", "prefix_cache_queries", "external_prefix_cache_hits", "external_prefix_cache_queries")
	cache.Set("cached_tokens_by_source", ordered.Object{})
	for _, key := range []string{"frontend_cache_hit_rate", "router_kv_hit_rate", "router_shared_cache_hit_rate", "frontend_cached_tokens", "frontend_input_tokens"} {
		cache.Set(key, nil)
	}
	kv := nulls("gpu_usage_pct", "gpu_total_tokens", "cpu_usage_pct", "cpu_used_tokens", "cpu_total_tokens")
	offload := nulls("bytes_gpu_to_cpu", "bytes_cpu_to_gpu", "time_gpu_to_cpu", "time_cpu_to_gpu", "bandwidth_gpu_to_cpu_bytes_per_second", "bandwidth_cpu_to_gpu_bytes_per_second")
	source := nulls("gpu_cache_hit", "cpu_or_external_cache_hit", "computed")
	source.Set("raw", ordered.Object{})
	tokens := ordered.Object{{"prompt_total", t.in}, {"generation_total", t.out}, {"requests_completed", t.completed}, {"prompt_by_source", source}}
	adapter, sources := "none", []any{}
	if slices.ContainsFunc(s.list, func(o *series) bool { return strings.HasPrefix(o.name, "vllm:") }) {
		adapter = "vllm"
		s.vllmCache(&cache, &tokens)
		s.vllmLevels(&kv, &offload)
		sources = s.vllmSources()
	}
	return ordered.Object{
		{"present", len(s.list) > 0},
		{"adapter", adapter},
		{"metric_count", len(s.names())},
		{"cache", cache},
		{"kv_cache", kv},
		{"kv_offload", offload},
		{"tokens", tokens},
		{"sources", sources},
	}
}

func nulls(keys ...string) (o ordered.Object) {
	for _, key := range keys {
		o = append(o, ordered.Member{key, nil})
	}
	return o
}

// known is a number, or nil.
func known(v float64, ok bool) any {
	if !ok {
		return nil
	}
	return v
}

// share is a of b; nil where one is not known or there is nothing.
func share(a, b any) any {
	x, ok := a.(float64)
	y, too := b.(float64)
	if !ok || !too || y <= 0 {
		return nil
	}
	return x / y
}

// vllmCache sets hit rates: by the source of prompt tokens, where vLLM counts it, else by look-ups.
func (s *server) vllmCache(cache, tokens *ordered.Object) {
	count := func(name string) any { return known(s.sum("vllm:" + name)) }
	hits, queries := count("prefix_cache_hits"), count("prefix_cache_queries")
	otherHits, otherQueries := count("external_prefix_cache_hits"), count("external_prefix_cache_queries")
	gpu, other, overall := share(hits, queries), share(otherHits, otherQueries), any(nil)
	cpu := other
	if by := s.byLabel("vllm:prompt_tokens_by_source", "source"); len(by) > 0 {
		all, local, external := 0.0, by.Get("local_cache_hit"), by.Get("external_kv_transfer")
		for _, m := range by {
			all += m.Value.(float64)
		}
		if all > 0 {
			if local != nil {
				gpu = share(local, all)
			}
			if external != nil {
				cpu, other = share(external, all), share(external, all)
			}
			a, _ := local.(float64)
			b, _ := external.(float64)
			overall = (a + b) / all
		}
		tokens.Set("prompt_by_source", ordered.Object{
			{"gpu_cache_hit", local}, {"cpu_or_external_cache_hit", external}, {"computed", by.Get("local_compute")}, {"raw", by},
		})
	} else {
		overall = gpu
	}
	for _, m := range (ordered.Object{
		{"gpu_cache_hit_rate", gpu},
		{"cpu_cache_hit_rate", cpu},
		{"external_cache_hit_rate", other},
		{"overall_cache_hit_rate", overall},
		{"prefix_cache_hits", hits},
		{"prefix_cache_queries", queries},
		{"external_prefix_cache_hits", otherHits},
		{"external_prefix_cache_queries", otherQueries},
	}) {
		cache.Set(m.Key, m.Value)
	}
	for key, name := range map[string]string{"prompt_total": "prompt_tokens", "generation_total": "generation_tokens"} {
		if v, ok := s.sum("vllm:" + name); ok {
			tokens.Set(key, int64(math.RoundToEven(v)))
		}
	}
}

// vllmLevels sets how full the caches were, and what was moved between them.
func (s *server) vllmLevels(kv, offload *ordered.Object) {
	level := func(names ...string) any {
		v, ok := s.highest(names...)
		if ok && v > 1.5 { // a share, or a percentage
			v /= 100
		}
		return known(v, ok)
	}
	kv.Set("gpu_usage_pct", level("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"))
	kv.Set("cpu_usage_pct", level("vllm:cpu_kv_cache_usage_perc"))
	for _, way := range []string{"gpu_to_cpu", "cpu_to_gpu"} {
		bytes, took := known(s.sum("vllm:kv_offload_bytes_"+way)), known(s.sum("vllm:kv_offload_time_"+way))
		offload.Set("bytes_"+way, bytes)
		offload.Set("time_"+way, took)
		offload.Set("bandwidth_"+way+"_bytes_per_second", share(bytes, took))
	}
}

// vllmSources are the servers and engines apart.
func (s *server) vllmSources() []any {
	ids := map[string][]*series{}
	var order []string
	for _, o := range s.list {
		switch o.name {
		case "vllm:prompt_tokens", "vllm:generation_tokens", "vllm:prefix_cache_hits", "vllm:prefix_cache_queries", "vllm:kv_cache_usage_perc", "vllm:prompt_tokens_by_source":
		default:
			continue
		}
		id := o.source()
		if ids[id] == nil {
			order = append(order, id)
		}
		ids[id] = append(ids[id], o)
	}
	slices.Sort(order)
	list := []any{}
	for _, id := range order {
		one := &server{list: ids[id]}
		hits, queries := known(one.sum("vllm:prefix_cache_hits")), known(one.sum("vllm:prefix_cache_queries"))
		usage, ok := one.highest("vllm:kv_cache_usage_perc")
		role, _, _ := strings.Cut(id, "|")
		list = append(list, ordered.Object{
			{"id", id},
			{"role", role},
			{"prompt_tokens", known(one.sum("vllm:prompt_tokens"))},
			{"generation_tokens", known(one.sum("vllm:generation_tokens"))},
			{"prefix_cache_hit_rate", share(hits, queries)},
			{"gpu_kv_cache_usage_pct", known(usage, ok)},
		})
	}
	return list
}

// source names a server and its engine as InferenceX does.
func (o *series) source() string {
	role, rest := "combined", ""
	for _, l := range o.labels {
		if l.Name == "dynamo_component" || l.Name == "component" {
			switch l.Value {
			case "prefill":
				role = "prefill"
			case "backend", "decode":
				role = "decode"
			case "frontend", "router":
				role = "router"
			}
		}
	}
	for _, name := range []string{"worker_id", "dp_rank", "engine"} {
		for _, l := range o.labels {
			if l.Name == name {
				rest += fmt.Sprintf("|%s=%s", name, l.Value)
			}
		}
	}
	return role + "|" + o.url + rest
}
