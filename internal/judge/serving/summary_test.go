package serving_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// around are a server's scrapes before and after a load, from what it said at the end: before,
// everything was a part of it.
func around(t *testing.T, name string) (before, after journal.Scrape) {
	t.Helper()
	after = dump(t, name)
	after.At, after.After = 10e9, true
	before = journal.Scrape{At: -1e9, Counters: maps.Clone(after.Counters), Buckets: map[string]map[string]float64{}}
	for _, n := range serving.Names {
		if k, _ := serving.KindOf(n.Meaning); k == serving.Counter && n.Label == "" {
			if v, ok := before.Counters[n.Name]; ok {
				before.Counters[n.Name] = math.Floor(v / 5)
			}
		}
	}
	return before, after
}

// TestEmptyBefore: what vLLM 0.32 said after our run of 65 requests, against nothing before.
func TestEmptyBefore(t *testing.T) {
	after := dump(t, "vllm_0.32_cpu_live.prom")
	after.At, after.After = 9e9, true
	before := journal.Scrape{At: -1, Counters: map[string]float64{"process_start_time_seconds": after.Counters["process_start_time_seconds"]}}
	sent := serving.Sent{Requests: serving.Range{Low: 65, High: 65}, Prompt: serving.Range{Low: 8194, High: 8194}, Output: serving.Range{Low: 4104, High: 4104}}
	s := serving.Summarize(&serving.Run{Targets: 1, Sent: []serving.Sent{sent}}, []journal.Scrape{before, after})
	if s == nil || s.Kind != "vLLM" || len(s.Notes) != 0 || s.Running != nil {
		t.Fatalf("%+v", s)
	}
	for name, c := range map[string]*serving.Counted{"requests": s.Requests, "prompt": s.PromptTokens, "output": s.GeneratedTokens} {
		if c == nil || c.Difference == nil || *c.Difference != 0 {
			t.Errorf("%s: %+v", name, c)
		}
	}
	// By eye: of 65 first tokens 59 came within 0.25 s, 19 within 0.1 s.
	if q := s.TTFT.P50; q.Low != 100 || *q.High != 250 || math.Abs(*q.Value-(100+150*(32.5-19)/40)) > 1e-9 {
		t.Errorf("p50 %+v", q)
	}
	if q := s.TTFT.P99; q.Low != 250 || *q.High != 500 {
		t.Errorf("p99 %+v", q)
	}
	if s.TTFT.Count != 65 || math.Abs(s.TTFT.Mean-9296.712160110474/65) > 1e-9 || s.Queue == nil || s.Prefill == nil || s.Decode == nil || s.Inference == nil {
		t.Errorf("%+v", s.TTFT)
	}
	if *s.StepTokens != 12298.0/529 || *s.PrefixHitRate != 0 || *s.Preemptions != 0 || s.SpecDecode != nil {
		t.Errorf("%v tokens per step, hit rate %v", *s.StepTokens, *s.PrefixHitRate)
	}
}

// TestRealDumps: each of the real servers' answers gives a summary that JSON can hold.
func TestRealDumps(t *testing.T) {
	for _, name := range []string{"vllm_0.32_cpu_live", "vllm_v0_datadog", "vllm_v1_lmswitch_head", "sglang_docs_example", "tgi_datadog", "llamacpp_live", "llamacpp_ik_pr695"} {
		before, after := around(t, name+".prom")
		s := serving.Summarize(&serving.Run{Targets: 1}, []journal.Scrape{before, after})
		if s == nil || s.Restarted != "" || s.GeneratedTokens == nil {
			t.Errorf("%s: %+v", name, s)
			continue
		}
		if _, err := json.Marshal(s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDrafts: the server's counters and what the run's end says of them give the same numbers.
func TestDrafts(t *testing.T) {
	after := dump(t, "vllm_v1_lmswitch_head.prom")
	after.After, after.At = true, 1
	scrapes := []journal.Scrape{{At: -1, Counters: map[string]float64{}}, after}
	end := &journal.SpecDecode{Drafts: 17807, DraftTokens: 106842, Accepted: 27189, PerPosition: []int64{12129, 7083, 3978, 2130, 1201, 668}}
	own := serving.Summarize(&serving.Run{Targets: 1}, scrapes).SpecDecode
	told := serving.Summarize(&serving.Run{Targets: 1, Drafts: end}, scrapes).SpecDecode
	a, errA := json.Marshal(own)
	b, errB := json.Marshal(told)
	if own == nil || errA != nil || errB != nil || string(a) != string(b) {
		t.Fatalf("by counters %s (%v), by the end %s (%v)", a, errA, b, errB)
	}
	if want := 27189.0 / 106842; own.Rate != want || *own.Length != 1+27189.0/17807 || *own.DraftLength != 106842.0/17807 || own.PerPosition[5] != 668.0/17807 {
		t.Errorf("%s", a)
	}
	if want := (1 + 27189.0/17807) / (1 + 106842.0/17807); math.Abs(*own.Efficiency-want) > 1e-15 {
		t.Errorf("efficiency %v, want %v", *own.Efficiency, want)
	}
}

// during is a scrape on the way.
func during(at float64, target int, counters map[string]float64) journal.Scrape {
	return journal.Scrape{At: int64(at * 1e9), During: true, Target: target, Counters: counters}
}

func vllm(running, waiting, cache, tokens float64) map[string]float64 {
	return map[string]float64{
		"vllm:num_requests_running": running, "vllm:num_requests_waiting": waiting, "vllm:kv_cache_usage_perc": cache, "vllm:generation_tokens_total": tokens,
	}
}

// TestLevels: a value holds half way to its neighbours, and what was read before and after
// the load does not count.
func TestLevels(t *testing.T) {
	scrapes := []journal.Scrape{
		{At: -1e9, Counters: vllm(99, 99, 1, 1000)},
		during(1, 0, vllm(4, 0, 0.2, 1100)), during(2, 0, vllm(8, 6, 0.6, 1300)), during(5, 0, vllm(8, 2, 0.4, 1900)),
		{At: 9e9, After: true, Counters: vllm(0, 0, 0, 2000)},
	}
	s := serving.Summarize(&serving.Run{Targets: 1}, scrapes)
	if s.Running.Max != 8 || s.Running.Reads != 3 || math.Abs(s.Running.Mean-(0.5*4+2*8+1.5*8)/4) > 1e-12 {
		t.Errorf("running %+v", s.Running)
	}
	if math.Abs(s.Waiting.Above-3.5/4) > 1e-12 || s.Waiting.Max != 6 || s.CacheUse.Max != 0.6 {
		t.Errorf("waiting %+v, cache %+v", s.Waiting, s.CacheUse)
	}
	if g := s.GeneratedTokens; g.Server != 1000 || *g.PerSecond != 200 || g.Ours != nil || g.Difference != nil {
		t.Errorf("%+v", g)
	}
}

// TestRate: counters rise when a request ends. The rate is what the load made them grow by, in the load's time, without
// warm-ups; reads during the load alone begin with the first that shows growth.
func TestRate(t *testing.T) {
	scrapes := []journal.Scrape{
		{At: -1e9, Counters: vllm(0, 0, 0, 1000)},
		during(1, 0, vllm(8, 0, 0, 1100)), during(2, 0, vllm(8, 0, 0, 1100)), during(3, 0, vllm(8, 0, 0, 1500)), during(4, 0, vllm(8, 0, 0, 1900)),
		{At: 6e9, After: true, Counters: vllm(0, 0, 0, 2700)},
	}
	warm := []serving.Sent{{Output: serving.Range{Low: 100, High: 100}}}
	for name, tt := range map[string]struct {
		run     serving.Run
		scrapes []journal.Scrape
		want    float64
	}{
		"whole":                {serving.Run{Warm: warm, Duration: 5}, scrapes, 320},
		"warm-ups not counted": {serving.Run{Warm: []serving.Sent{{NoOutput: 1}}, Duration: 5}, scrapes, 800. / 3},
		"killed":               {serving.Run{Warm: warm, Duration: 5}, scrapes[:5], 800. / 3},
	} {
		tt.run.Targets = 1
		if g := serving.Summarize(&tt.run, tt.scrapes).GeneratedTokens; g.PerSecond == nil || math.Abs(*g.PerSecond-tt.want) > 1e-9 {
			t.Errorf("%s: %+v a second, want %g", name, g.PerSecond, tt.want)
		}
	}
	tiny := serving.Summarize(&serving.Run{Targets: 1, Duration: 0.5}, []journal.Scrape{scrapes[0], scrapes[5]})
	if tiny.GeneratedTokens.PerSecond != nil {
		t.Errorf("a rate without a read during the load: %g", *tiny.GeneratedTokens.PerSecond)
	}
}

// TestRestart: a counter that fell is said, and is never a negative total.
func TestRestart(t *testing.T) {
	scrapes := []journal.Scrape{
		{At: -1e9, Counters: vllm(0, 0, 0, 1000)},
		during(1, 0, vllm(1, 0, 0, 1500)), during(2, 0, vllm(1, 0, 0, 100)),
		{At: 3e9, After: true, Counters: vllm(0, 0, 0, 400)},
	}
	s := serving.Summarize(&serving.Run{Targets: 1, Sent: make([]serving.Sent, 1)}, scrapes)
	if !strings.Contains(s.Restarted, "vllm:generation_tokens_total fell") || s.GeneratedTokens.Server != 900 || s.GeneratedTokens.Ours != nil || s.GeneratedTokens.PerSecond != nil {
		t.Errorf("%+v, %+v", s.Restarted, s.GeneratedTokens)
	}
	if len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "began anew") {
		t.Errorf("%q", s.Notes)
	}
	start := func(at int64, v float64) journal.Scrape {
		return journal.Scrape{At: at, After: at > 0, Counters: map[string]float64{"process_start_time_seconds": v, "vllm:prompt_tokens_total": 5 + float64(at)}}
	}
	if s := serving.Summarize(&serving.Run{Targets: 1}, []journal.Scrape{start(-1, 1000), start(1, 1090)}); s.Restarted != "its start time changed" {
		t.Errorf("%+v", s)
	}
}

// TestOthers: what the server counts above what we sent is somebody else's.
func TestOthers(t *testing.T) {
	sent := serving.Sent{Requests: serving.Range{Low: 10, High: 12}}
	for grown, want := range map[float64]float64{11: 0, 15: 3, 8: -2} {
		s := serving.Summarize(&serving.Run{Targets: 1, Sent: []serving.Sent{sent}}, []journal.Scrape{
			{At: -1, Counters: map[string]float64{"vllm:request_success_total": 7}},
			{At: 1, After: true, Counters: map[string]float64{"vllm:request_success_total": 7 + grown}},
		})
		if *s.Requests.Difference != want || *s.Requests.Ours != 10 || *s.Requests.OursMost != 12 || (len(s.Notes) > 0) != (want != 0) {
			t.Errorf("%v: %+v %q", grown, s.Requests, s.Notes)
		}
	}
}

// TestSeveral: sums over servers, and none where one of them says nothing.
func TestSeveral(t *testing.T) {
	hist := func(s journal.Scrape, sum, a, b float64) journal.Scrape {
		s.Counters["vllm:time_to_first_token_seconds_sum"], s.Counters["vllm:time_to_first_token_seconds_count"] = sum, b
		s.Buckets = map[string]map[string]float64{"vllm:time_to_first_token_seconds": {"0.1": a, "+Inf": b}}
		return s
	}
	scrapes := []journal.Scrape{
		hist(journal.Scrape{At: -1e9, Counters: vllm(0, 0, 0, 0)}, 0, 0, 0), hist(journal.Scrape{At: -1e9, Target: 1, Counters: vllm(0, 0, 0, 50)}, 0, 0, 0),
		during(1, 0, vllm(2, 0, 0.2, 10)), during(1.1, 1, vllm(4, 1, 0.6, 60)), during(2, 0, vllm(3, 0, 0.4, 30)), during(2.1, 1, vllm(5, 0, 0.8, 70)),
		hist(journal.Scrape{At: 9e9, After: true, Counters: vllm(0, 0, 0, 100)}, 3, 8, 10),
		hist(journal.Scrape{At: 9e9, After: true, Target: 1, Counters: vllm(0, 0, 0, 150)}, 1, 10, 10),
	}
	s := serving.Summarize(&serving.Run{Targets: 2}, scrapes)
	if len(s.Each) != 2 || s.Running.Max != 8 || s.CacheUse.Max != 0.8 || s.GeneratedTokens.Server != 200 || math.Abs(*s.GeneratedTokens.PerSecond-30) > 1e-9 {
		t.Errorf("%+v %+v", s.Running, s.GeneratedTokens)
	}
	if s.TTFT.Count != 20 || s.TTFT.Mean != 200 || *s.TTFT.P50.High != 100 || s.TTFT.P99.High != nil || s.TTFT.P99.Value != nil || s.TTFT.P99.Low != 100 {
		t.Errorf("%+v", s.TTFT)
	}
	if s := serving.Summarize(&serving.Run{Targets: 3}, scrapes); s.Running != nil || s.GeneratedTokens != nil || len(s.Notes) != 1 || len(s.Each) != 2 {
		t.Errorf("a sum over a part: %+v", s)
	}
}

// TestBuckets: percentiles from buckets hold the truth between their bounds.
func TestBuckets(t *testing.T) {
	seed := testfiles.Random(t).Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	bounds := []float64{0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5}
	earlier, values := draw(random, 300), draw(random, 1000)
	at := func(all []float64) journal.Scrape {
		s := journal.Scrape{Counters: map[string]float64{}, Buckets: map[string]map[string]float64{}}
		sum, counts := 0.0, map[string]float64{"+Inf": float64(len(all))}
		for _, b := range bounds { // an exporter shows each bucket, also an empty one
			n := 0.0
			for _, v := range all {
				if v <= b {
					n++
				}
			}
			counts[strconv.FormatFloat(b, 'g', -1, 64)] = n
		}
		for _, v := range all {
			sum += v
		}
		s.Counters["sglang:time_to_first_token_seconds_sum"], s.Counters["sglang:time_to_first_token_seconds_count"] = sum, float64(len(all))
		s.Buckets["sglang:time_to_first_token_seconds"] = counts
		return s
	}
	before, after := at(earlier), at(slices.Concat(earlier, values))
	before.At, after.At, after.After = -1, 1, true
	got := serving.Summarize(&serving.Run{Targets: 1}, []journal.Scrape{before, after}).TTFT
	slices.Sort(values)
	for q, v := range map[float64]*serving.Quantile{0.5: got.P50, 0.9: got.P90, 0.99: got.P99} {
		truth := values[int(math.Ceil(q*1000))-1] * 1e3
		high := math.Inf(1)
		if v.High != nil {
			high = *v.High
		}
		if truth < v.Low || truth > high || v.Value != nil && (*v.Value < v.Low || *v.Value > high) {
			t.Errorf("seed %d: the %v quantile is %v, not between %v and %v", seed, q, truth, v.Low, high)
		}
	}
}

func draw(random *rand.Rand, n int) (values []float64) {
	for range n {
		values = append(values, math.Exp(random.NormFloat64()*1.2-2.5))
	}
	return values
}

// TestOddBuckets: buckets that don't fit together give no percentile, and nothing breaks.
func TestOddBuckets(t *testing.T) {
	name := "vllm:time_to_first_token_seconds"
	for what, b := range map[string][2]map[string]float64{
		"none":           {nil, nil},
		"fell":           {{"1": 5, "+Inf": 6}, {"1": 4, "+Inf": 16}},
		"other bounds":   {{"1": 5, "+Inf": 6}, {"2": 5, "+Inf": 16}},
		"no infinity":    {{"1": 5}, {"1": 15}},
		"not ascending":  {{"1": 0, "2": 0, "+Inf": 0}, {"1": 9, "2": 3, "+Inf": 10}},
		"no bound":       {{"x": 0, "+Inf": 0}, {"x": 9, "+Inf": 10}},
		"another count":  {{"1": 0, "+Inf": 0}, {"1": 9, "+Inf": 99}},
		"only infinity":  {{"+Inf": 0}, {"+Inf": 10}},
		"NaN as a bound": {{"NaN": 0, "+Inf": 0}, {"NaN": 1, "+Inf": 10}},
	} {
		scrape := func(i int, count float64) journal.Scrape {
			return journal.Scrape{
				At: int64(i*2 - 1), After: i == 1, Counters: map[string]float64{name + "_sum": count, name + "_count": count},
				Buckets: map[string]map[string]float64{name: b[i]},
			}
		}
		s := serving.Summarize(&serving.Run{Targets: 1}, []journal.Scrape{scrape(0, 6), scrape(1, 16)})
		if s.TTFT.Count != 10 || s.TTFT.Mean != 1000 || s.TTFT.P50 != nil {
			t.Errorf("%s: %+v", what, s.TTFT)
		}
	}
}

// TestKilled: a run without a last scrape has totals up to the one before, and says so.
func TestKilled(t *testing.T) {
	s := serving.Summarize(&serving.Run{Targets: 1, Unknown: true}, []journal.Scrape{{At: -1e9, Counters: vllm(0, 0, 0, 0)}, during(1, 0, vllm(1, 0, 0, 70))})
	if s.GeneratedTokens.Server != 70 || len(s.Notes) != 1 {
		t.Errorf("%+v %q", s.GeneratedTokens, s.Notes)
	}
	if s := serving.Summarize(&serving.Run{Targets: 1}, nil); s != nil {
		t.Errorf("%+v", s)
	}
	if s := serving.Summarize(&serving.Run{Targets: 1}, []journal.Scrape{{Counters: map[string]float64{"go_goroutines": 4}}}); s != nil {
		t.Errorf("nothing is known: %+v", s)
	}
}

// FuzzSummary: whatever a journal's scrapes hold, nothing breaks, and JSON holds the result.
func FuzzSummary(f *testing.F) {
	f.Add([]byte(`[{"at":-1,"counters":{"vllm:generation_tokens_total":1}},{"at":1,"during":true,"counters":{"vllm:kv_cache_usage_perc":0.5}},{"at":2,"after":true,"counters":{"vllm:generation_tokens_total":5}}]`))
	f.Add([]byte(`[{"at":-1,"counters":{"a_sum":1,"a_count":1},"buckets":{"a":{"1":1,"+Inf":1}}},{"at":2,"after":true,"target":3,"counters":{"a_sum":1e300,"a_count":1e-300},"buckets":{"a":{"-Inf":1,"+Inf":2}}}]`))
	f.Add([]byte(`[{"counters":{"vllm:spec_decode_num_draft_tokens_total":1e308,"vllm:spec_decode_num_accepted_tokens_per_pos_total{position=\"7\"}":1}},{"after":true,"counters":{"vllm:spec_decode_num_draft_tokens_total":-1e308}}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var scrapes []journal.Scrape
		if json.Unmarshal(b, &scrapes) != nil || len(scrapes) > 100 {
			return
		}
		mapping := []journal.MetricName{{Name: "a", Meaning: "ttft", Scale: 1e-3}, {Name: "b", Meaning: "cache_use", Scale: 1e200}}
		for targets := range 3 {
			run := &serving.Run{Targets: targets, Mapping: mapping, Sent: make([]serving.Sent, targets)}
			s := serving.Summarize(run, slices.Clone(scrapes))
			if _, err := json.Marshal(s); err != nil {
				t.Fatal(fmt.Errorf("%w in %+v", err, s))
			}
		}
		for _, c := range serving.Courses(scrapes, mapping...) {
			c.Rate(serving.GeneratedTokens)
			c.Ratio(serving.PrefixHits, serving.PrefixQueries)
		}
	})
}
