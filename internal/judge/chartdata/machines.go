package chartdata

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

// ClientPoint is the client itself between two of its samples; of a fleet, the busiest agent.
type ClientPoint struct {
	At   float64 // seconds, the middle
	CPU  float64 // processors that it used
	Wait float64 // processors that it was ready to use and did not get; NaN: not told
}

// busiest are the samples of the agent that used its processors most; of a run of one
// client all are.
func busiest(samples []journal.Sample) []journal.Sample {
	first, used := map[int]int64{}, map[int]int64{}
	worst := 0
	for i := range samples {
		s := &samples[i]
		if _, known := first[s.Agent]; !known {
			first[s.Agent] = s.CPUNs
		}
		if used[s.Agent] = s.CPUNs - first[s.Agent]; used[s.Agent] > used[worst] {
			worst = s.Agent
		}
	}
	if len(first) < 2 {
		return samples
	}
	return slices.DeleteFunc(slices.Clone(samples), func(s journal.Sample) bool { return s.Agent != worst })
}

func clientPoints(samples []journal.Sample) []ClientPoint {
	samples = busiest(samples)
	var out []ClientPoint
	for i := 1; i < len(samples); i++ {
		a, b := &samples[i-1], &samples[i]
		took := float64(b.At - a.At)
		if took < 1e7 { // the last sample may follow at once: a rate over nothing is noise
			continue
		}
		p := ClientPoint{At: float64(a.At+b.At) / 2e9, CPU: float64(b.CPUNs-a.CPUNs) / took, Wait: math.NaN()}
		if a.WaitNs >= 0 && b.WaitNs >= 0 {
			p.Wait = float64(b.WaitNs-a.WaitNs) / took
		}
		out = append(out, p)
	}
	return thinned(out, MostPoints)
}

// thinned keeps at most so many, evenly.
func thinned[T any](list []T, most int) []T {
	every := (len(list)-1)/most + 1
	out := list[:0]
	for i := 0; i < len(list); i += every {
		out = append(out, list[i])
	}
	return out
}

// ServerSeries is one of the server's own metrics over the run.
type ServerSeries struct {
	Name  string // for people
	Panel string // what it is drawn with: requests, kv, tokens
	At    []float64
	Value []float64
}

// gauge is a metric that says how things are now, by the names of several servers.
type gauge struct {
	name, panel string
	keys        []string
	rate        bool // a counter: its change per second
}

var gauges = []gauge{
	{"running", "requests", []string{"vllm:num_requests_running", "sglang:num_running_reqs", "llamacpp:requests_processing", "tgi_batch_current_size"}, false},
	{"waiting", "requests", []string{"vllm:num_requests_waiting", "sglang:num_queue_reqs", "llamacpp:requests_deferred", "tgi_queue_size"}, false},
	{"KV cache in use", "kv", []string{"vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc", "sglang:token_usage", "llamacpp:kv_cache_usage_ratio"}, false},
	{"generated tokens per second", "tokens", []string{"vllm:generation_tokens_total", "sglang:generation_tokens_total", "llamacpp:tokens_predicted_total"}, true},
}

// Drawn says whether a server's metric is one that is drawn over time.
func Drawn(name string) bool {
	return slices.ContainsFunc(gauges, func(g gauge) bool { return slices.Contains(g.keys, name) })
}

// fewScrapes are no course: those before and after the load say nothing of between.
const fewScrapes = 3

// serverSeries are the courses of the servers' metrics; of several servers each has its own.
func serverSeries(scrapes []journal.Scrape) []ServerSeries {
	each := map[int][]journal.Scrape{}
	for _, s := range scrapes {
		each[s.Target] = append(each[s.Target], s)
	}
	var out []ServerSeries
	for _, target := range slices.Sorted(maps.Keys(each)) {
		for _, s := range oneServer(each[target]) {
			if len(each) > 1 {
				s.Name = fmt.Sprintf("%s, server %d", s.Name, target+1)
			}
			out = append(out, s)
		}
	}
	return out
}

func oneServer(scrapes []journal.Scrape) []ServerSeries {
	if len(scrapes) < fewScrapes {
		return nil
	}
	slices.SortStableFunc(scrapes, func(a, b journal.Scrape) int { return int(min(max(a.At-b.At, -1), 1)) })
	var out []ServerSeries
	for _, g := range gauges {
		for _, key := range g.keys {
			if s := g.series(key, scrapes); len(s.At) > 1 {
				out = append(out, s)
				break
			}
		}
	}
	return out
}

func (g *gauge) series(key string, scrapes []journal.Scrape) ServerSeries {
	s := ServerSeries{Name: g.name, Panel: g.panel}
	if name, _, ok := strings.Cut(key, ":"); ok {
		s.Name = name + ": " + g.name
	}
	beforeAt, before := math.NaN(), math.NaN()
	for i := range scrapes {
		v, ok := scrapes[i].Counters[key]
		at := float64(scrapes[i].At) / 1e9
		if !ok {
			continue
		}
		if !g.rate && at >= 0 {
			s.At, s.Value = append(s.At, at), append(s.Value, v)
		}
		if took := at - beforeAt; g.rate && at >= 0 && took > 0.01 {
			s.At, s.Value = append(s.At, (at+beforeAt)/2), append(s.Value, (v-before)/took)
		}
		beforeAt, before = at, v
	}
	s.At, s.Value = thinned(s.At, MostPoints), thinned(s.Value, MostPoints)
	return s
}
