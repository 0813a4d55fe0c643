package serving_test

import (
	"math"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/serving"
)

// TestDumps holds the table against what real servers say: read by eye from the same files.
func TestDumps(t *testing.T) {
	for _, c := range []struct {
		file   string
		want   map[serving.Meaning]float64
		absent []serving.Meaning
	}{
		{"vllm_0.32_cpu_live.prom", map[serving.Meaning]float64{
			serving.Running: 0, serving.Waiting: 0, serving.CacheUse: 0, serving.PromptTokens: 8194, serving.GeneratedTokens: 4104,
			serving.Finished: 65, serving.Aborted: 0, serving.PrefixQueries: 8194, serving.PrefixHits: 0, serving.Preemptions: 0,
			serving.Iterations: 529, serving.IterationTokens: 12298, serving.TTFT.Count(): 65, serving.TTFT.Sum(): 9.296712160110474,
			serving.ITL.Count(): 4039, serving.Queue.Count(): 65, serving.Prefill.Sum(): 5.986416429997007, serving.Decode.Count(): 65,
		}, []serving.Meaning{serving.Swapped, serving.DraftTokens, serving.PrefixHitRate}},
		{"vllm_v0_datadog.prom", map[serving.Meaning]float64{
			serving.Swapped: 0, serving.CacheUse: 0, serving.PromptTokens: 5, serving.GeneratedTokens: 7, serving.Finished: 1,
			serving.ITL.Count(): 6, serving.TTFT.Count(): 1, serving.E2E.Sum(): 0.5034303665161133,
		}, []serving.Meaning{serving.PrefixQueries, serving.Queue.Count()}},
		{"vllm_v1_lmswitch_head.prom", map[serving.Meaning]float64{
			serving.Drafts: 17807, serving.DraftTokens: 106842, serving.AcceptedTokens: 27189,
		}, nil},
		{"sglang_docs_example.prom", map[serving.Meaning]float64{
			serving.Running: 162, serving.Waiting: 2826, serving.CacheUse: 0.28, serving.PrefixHitRate: 0.007507552643049313,
			serving.PromptTokens: 8128902, serving.GeneratedTokens: 7557572, serving.TTFT.Count(): 11008, serving.ITL.Count(): 7400757,
		}, []serving.Meaning{serving.PrefixQueries, serving.Finished}},
		{"tgi_datadog.prom", map[serving.Meaning]float64{
			serving.Running: 0, serving.Waiting: 0, serving.PromptTokens: 662, serving.Finished: 109, serving.Failed: 2,
			serving.Queue.Sum(): 295.275961956, serving.E2E.Count(): 109, serving.Inference.Sum(): 245.91743839099996,
		}, []serving.Meaning{serving.CacheUse, serving.TTFT.Count()}},
		{"llamacpp_live.prom", map[serving.Meaning]float64{
			serving.Running: 0, serving.Waiting: 0, serving.ComputedTokens: 37, serving.PrefixHits: 0, serving.PromptTokens: 37, serving.PrefixQueries: 37,
			serving.GeneratedTokens: 24, serving.Iterations: 24, serving.PrefillSeconds: 0.909888, serving.DecodeSeconds: 1.05962,
		}, []serving.Meaning{serving.CacheUse, serving.TTFT.Count()}},
		// The fork does not count what it found in the cache: how many prompt tokens there were is not known.
		{"llamacpp_ik_pr695.prom", map[serving.Meaning]float64{
			serving.CacheUse: 0.491063, serving.ComputedTokens: 6886, serving.GeneratedTokens: 3469,
		}, []serving.Meaning{serving.PromptTokens, serving.PrefixHits}},
	} {
		got := serving.Values(dump(t, c.file).Counters)
		for m, want := range c.want {
			if v, ok := got[m]; !ok || math.Abs(v-want) > 1e-9*math.Abs(want) {
				t.Errorf("%s: %s is %v (%v), want %v", c.file, m, v, ok, want)
			}
		}
		for _, m := range c.absent {
			if v, ok := got[m]; ok {
				t.Errorf("%s: %s is %v, but the file does not tell it", c.file, m, v)
			}
		}
	}
}

// TestByLabel: Triton tells what a number is by a label, and in units of its own.
func TestByLabel(t *testing.T) {
	s := scrapeOf([]byte(`nv_trt_llm_request_metrics{model="m",request_type="waiting",version="1"} 3
nv_trt_llm_request_metrics{model="m",request_type="scheduled",version="1"} 5
nv_trt_llm_request_metrics{model="m",request_type="max",version="1"} 512
nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="fraction",model="m"} 0.4
nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="used",model="m"} 40
nv_inference_queue_duration_us{model="m"} 2500000
nv_inference_first_response_histogram_ms_sum{model="m"} 1500
nv_inference_first_response_histogram_ms_count{model="m"} 3
nv_inference_pending_request_count{model="m"} 9
`))
	got := serving.Values(s.Counters)
	for m, want := range map[serving.Meaning]float64{
		serving.Running: 5, serving.Waiting: 3, serving.CacheUse: 0.4, serving.QueueSeconds: 2.5, serving.TTFT.Sum(): 1.5, serving.TTFT.Count(): 3,
	} {
		if got[m] != want {
			t.Errorf("%s is %v, want %v", m, got[m], want)
		}
	}
}

// TestMapping: the user's names come first, with their scale; a meaning that is none means nothing.
func TestMapping(t *testing.T) {
	mapping := []journal.MetricName{
		{Name: "my_queue", Meaning: "waiting"},
		{Name: "my_cache", Meaning: "cache_use", Scale: 0.01},
		{Name: "my_wait_ms", Meaning: "queue", Scale: 1e-3},
		{Name: "my_state", Label: "what", Value: "busy", Meaning: "running"},
		{Name: "my_thing", Meaning: "weather"},
	}
	table := serving.NewTable(mapping...)
	for key, want := range map[string]bool{
		"my_queue": true, "my_cache": true, "my_wait_ms_sum": true, "my_wait_ms_count": true, "my_wait_ms": false, "my_thing": false,
		`my_state{what="busy"}`: true, "my_state": false, "vllm:num_requests_running": true, "process_start_time_seconds": true,
	} {
		if table.Kept(key) != want {
			t.Errorf("kept(%s) = %v", key, !want)
		}
	}
	if !table.Averaged("my_cache") || serving.NewTable().Averaged("my_cache") || !serving.NewTable().Averaged("sglang:token_usage") {
		t.Error("which are averaged")
	}
	if keys := table.Labelled("my_state", func(label string) string { return map[string]string{"what": "busy", "other": "x"}[label] }); len(keys) != 1 || keys[0] != `my_state{what="busy"}` {
		t.Errorf("labelled: %v", keys)
	}
	got := serving.Values(map[string]float64{
		"my_queue": 7, "vllm:num_requests_waiting": 1, "my_cache": 50, "my_wait_ms_sum": 3000, "my_wait_ms_count": 2, `my_state{what="busy"}`: 4,
	}, mapping...)
	if got[serving.Waiting] != 7 || got[serving.CacheUse] != 0.5 || got[serving.Queue.Sum()] != 3 || got[serving.Queue.Count()] != 2 || got[serving.Running] != 4 {
		t.Errorf("%v", got)
	}
}

// TestNoShare: what can't be a share is not known, rather than wrong.
func TestNoShare(t *testing.T) {
	for _, v := range []float64{-1, 55, math.Inf(1), math.NaN()} {
		if got, ok := serving.Values(map[string]float64{"vllm:gpu_cache_usage_perc": v})[serving.CacheUse]; ok {
			t.Errorf("%v became %v", v, got)
		}
	}
}

// TestEachNameOnce: a name with its label means one thing, and what it means is known.
func TestEachNameOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, n := range serving.Names {
		key := n.Name + "|" + n.Label + "|" + n.Value
		if seen[key] {
			t.Errorf("%s is there twice", key)
		}
		seen[key] = true
		if _, ok := serving.KindOf(n.Meaning); !ok {
			t.Errorf("%s means %q, which is no meaning", n.Name, n.Meaning)
		}
	}
}

func TestCourses(t *testing.T) {
	scrape := func(at int64, target int, counters map[string]float64) journal.Scrape {
		return journal.Scrape{At: at * 1e9, Target: target, Counters: counters}
	}
	courses := serving.Courses([]journal.Scrape{
		scrape(2, 1, map[string]float64{"sglang:num_running_reqs": 3}),
		scrape(3, 0, map[string]float64{"vllm:num_requests_running": 1, "vllm:generation_tokens_total": 10}),
		scrape(1, 0, map[string]float64{"vllm:num_requests_running": 2, "vllm:generation_tokens_total": 100}),
		scrape(2, 0, map[string]float64{"vllm:generation_tokens_total": 250}),
	})
	if len(courses) != 2 || courses[0].Target != 0 || courses[1].Target != 1 {
		t.Fatalf("%+v", courses)
	}
	running := courses[0].Gauge[serving.Running]
	if running[0] != 2 || !math.IsNaN(running[1]) || running[2] != 1 {
		t.Errorf("running %v", running)
	}
	at, rate := courses[0].Rate(serving.GeneratedTokens)
	if len(rate) != 2 || at[0] != 1.5 || rate[0] != 150 || !math.IsNaN(rate[1]) {
		t.Errorf("a counter that fell: %v at %v", rate, at)
	}
	if courses[1].Name[serving.Running] != "sglang:num_running_reqs" {
		t.Errorf("%v", courses[1].Name)
	}
}
