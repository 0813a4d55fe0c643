package target

import (
	"cmp"
	"strings"

	"github.com/inferometer/inferometer/internal/exposition"
)

// Metric is one line of a scrape.
type Metric = exposition.Sample

// Metrics are the lines of one scrape.
type Metrics []Metric

// ParseMetrics reads Prometheus' text format and OpenMetrics. A line that it cannot read
// is passed over: a scrape is never a reason to fail.
func ParseMetrics(b []byte) Metrics { return exposition.Parse(b).Samples }

// KindOfModels is the kind of a server that its list of models tells; empty: it does not.
func KindOfModels(models []Model) string {
	for i := range models {
		if kind := owners[strings.ToLower(models[i].OwnedBy)]; kind != "" {
			return kind
		}
	}
	return ""
}

// MetricsPath is where a kind of server has its metrics.
func MetricsPath(kind string) string {
	return cmp.Or(Identity{Kind: kind}.Quirks().Metrics, "/metrics")
}

// Sum adds up the lines of a name over all their labels; ok is false where there is
// none with a sane value.
func (m Metrics) Sum(name string) (sum float64, ok bool) {
	return (&exposition.Scrape{Samples: m}).Sum(name)
}

// UnderWay is how many requests a server has in hand, running or waiting; told is
// false where its metrics don't say. The names are those of vLLM, SGLang and llama.cpp.
func (m Metrics) UnderWay() (requests float64, told bool) {
	for _, name := range []string{
		"vllm:num_requests_running", "vllm:num_requests_waiting",
		"sglang:num_running_reqs", "sglang:num_queue_reqs",
		"llamacpp:requests_processing", "llamacpp:requests_deferred",
	} {
		if v, ok := m.Sum(name); ok {
			requests, told = requests+v, true
		}
	}
	return requests, told
}
