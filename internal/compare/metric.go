package compare

import (
	"regexp"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/results"
)

// Metric is a number that can be compared.
type Metric struct {
	Key    string `json:"key"`   // as in a result
	Label  string `json:"label"` // for people
	Higher bool   `json:"higher_is_better"`
}

func (m Metric) better(a, b float64) bool {
	if m.Higher {
		return a > b
	}
	return a < b
}

// usual are the metrics that a table shows, in its order, if any side has them.
var usual = []string{
	"request_throughput", "output_throughput", "total_token_throughput", "request_goodput",
	"mean_ttft_ms", "median_ttft_ms", "p99_ttft_ms",
	"mean_tpot_ms", "median_tpot_ms", "p99_tpot_ms",
	"mean_itl_ms", "median_itl_ms", "p99_itl_ms",
	"mean_e2el_ms", "median_e2el_ms", "p99_e2el_ms",
}

var labels = map[string]string{
	"request_throughput": "requests/s", "output_throughput": "output tok/s", "total_token_throughput": "total tok/s",
	"request_goodput": "good requests/s", "input_throughput": "input tok/s", "max_output_tokens_per_s": "peak output tok/s",
}

var latencyKey = regexp.MustCompile(`^(mean|median|p[0-9.]+)_(.+)_ms$`)

func metricOf(key string) Metric {
	m := Metric{Key: key, Label: labels[key]}
	switch l := latencyKey.FindStringSubmatch(key); {
	case m.Label != "":
		m.Higher = true
	case l != nil:
		m.Label = l[1] + " " + strings.ToUpper(l[2]) + " ms"
	case strings.HasSuffix(key, "_tps"):
		m.Label, m.Higher = strings.TrimSuffix(key, "_tps")+" tok/s", true
	default:
		m.Label, m.Higher = key, true // scores
	}
	return m
}

// MetricsOf are the metrics that a table of these runs shows, in its order.
func MetricsOf(runs []results.Run) []Metric { return chosen([]Side{{Runs: runs}}, nil) }

// Key gives the key of a metric that a person has typed: p99_ttft is p99_ttft_ms.
func Key(word string) string {
	word = strings.ToLower(strings.ReplaceAll(word, "-", "_"))
	word = strings.Replace(word, "p50_", "median_", 1)
	if !latencyKey.MatchString(word) && latencyKey.MatchString(word+"_ms") {
		return word + "_ms"
	}
	return word
}

// chosen are the metrics to show: those asked for, or the usual ones and then what
// has another name (shapes, scores), without deviations and errors.
func chosen(sides []Side, asked []string) []Metric {
	has := map[string]bool{}
	var others []string
	for i := range sides {
		for j := range sides[i].Runs {
			for _, key := range sides[i].Runs[j].Metrics() {
				if !has[key] && !slices.Contains(usual, key) && !latencyKey.MatchString(key) && labels[key] == "" &&
					!strings.HasPrefix(key, "std_") && !strings.HasPrefix(key, "stderr_") {
					others = append(others, key)
				}
				has[key] = true
			}
		}
	}
	keys := append(slices.Clone(usual), others...)
	if len(asked) > 0 {
		keys = nil
		for _, word := range asked {
			keys = append(keys, Key(word))
		}
	}
	var out []Metric
	for _, key := range keys {
		if has[key] {
			out = append(out, metricOf(key))
		}
	}
	return out
}
