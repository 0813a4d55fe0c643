package compare

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/foreign"
)

// Metric is a number that can be compared.
type Metric struct {
	Key    string `json:"key"`   // as in a result
	Label  string `json:"label"` // for people
	Higher bool   `json:"higher_is_better"`
	Unsure bool   `json:"direction_unknown,omitempty"` // nobody says whether higher or lower is better
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
	"mean_batch_ms", "median_batch_ms", "p99_batch_ms",
}

var labels = map[string]string{
	"request_throughput": "requests/s", "output_throughput": "output tok/s", "total_token_throughput": "total tok/s",
	"request_goodput": "good requests/s", "input_throughput": "input tok/s", "max_output_tokens_per_s": "peak output tok/s",
}

// neutral are numbers that tell how a run went, not how good it was: none is best.
var neutral = map[string]string{"spec_decode_acceptance_rate": "accepted %", "spec_decode_acceptance_length": "accepted length"}

var latencyKey = regexp.MustCompile(`^(mean|median|p[0-9.]+)_(.+)_ms$`)

// Words in the names of other metrics that tell which way is better.
var (
	higherWords = regexp.MustCompile(`(?i)(throughput|_tps$|tok/s|per_s(ec(ond)?)?$|goodput|exact_match|acc(uracy)?(_norm)?$|f1$|pass@|pass_at|bleu|rouge|score|mcc$)`)
	lowerWords  = regexp.MustCompile(`(?i)(_ms$|latency|perplexity|ppl$|bits_per_byte|loss$|wer$|error|failed|joules|cost)`)
)

// metricOf describes a metric. told says which way is better, where a file says it.
func metricOf(key string, told map[string]bool) Metric {
	m := Metric{Key: key, Label: labels[key]}
	higher, is := told[key]
	switch l := latencyKey.FindStringSubmatch(key); {
	case m.Label != "":
		m.Higher = true
	case neutral[key] != "":
		m.Label, m.Unsure = neutral[key], true
	case l != nil:
		m.Label = l[1] + " " + strings.ToUpper(l[2]) + " ms"
		if l[2] == "batch" { // a word, unlike TTFT
			m.Label = l[1] + " batch ms"
		}
	case strings.HasSuffix(key, "_tps"):
		m.Label, m.Higher = strings.TrimSuffix(key, "_tps")+" tok/s", true
	case is:
		m.Label, m.Higher = key, higher
	case higherWords.MatchString(key) != lowerWords.MatchString(key):
		m.Label, m.Higher = key, higherWords.MatchString(key)
	default:
		m.Label, m.Unsure = key, true
	}
	return m
}

// MetricsOf are the metrics that a table of these runs shows, in its order.
func MetricsOf(runs []foreign.Run) []Metric { return chosen([]Side{{Runs: runs}}, nil) }

// Key gives the key of a metric that a person has typed: p99_ttft is p99_ttft_ms.
func Key(word string) string {
	word = strings.ToLower(strings.ReplaceAll(word, "-", "_"))
	word = strings.Replace(word, "p50_", "median_", 1)
	if !latencyKey.MatchString(word) && latencyKey.MatchString(word+"_ms") {
		return word + "_ms"
	}
	return word
}

// inventory is which metrics runs have, and which way is better where their files say it.
type inventory struct {
	has    map[string]bool
	higher map[string]bool
	others []string // that are neither usual nor a statistic of a latency
}

func inventoryOf(sides []Side) inventory {
	in := inventory{has: map[string]bool{}, higher: map[string]bool{}}
	for i := range sides {
		for j := range sides[i].Runs {
			r := &sides[i].Runs[j]
			for _, key := range r.Metrics() {
				if !in.has[key] && !slices.Contains(usual, key) && !latencyKey.MatchString(key) && labels[key] == "" && !isError(key) {
					in.others = append(in.others, key)
				}
				in.has[key] = true
			}
			maps.Copy(in.higher, r.Higher)
		}
	}
	return in
}

// key is that of a metric which a person has typed; the speed of a shape is also known
// without its unit.
func (in *inventory) key(word string) string {
	key := Key(word)
	if !in.has[key] && in.has[foreign.ShapeMetric(key)] {
		return foreign.ShapeMetric(key)
	}
	return key
}

// isError says whether a value is the deviation or the error of another one.
func isError(key string) bool {
	return strings.HasPrefix(key, "std_") || strings.HasPrefix(key, "stderr_")
}

// chosen are the metrics to show: those asked for, whether or not a side has them, or
// the usual ones and then what has another name (shapes, scores).
func chosen(sides []Side, asked []string) []Metric {
	in := inventoryOf(sides)
	keys := append(slices.Clone(usual), in.others...)
	if len(asked) > 0 {
		keys = nil
		for _, word := range asked {
			if key := in.key(word); !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	var out []Metric
	for _, key := range keys {
		if in.has[key] || len(asked) > 0 {
			out = append(out, metricOf(key, in.higher))
		}
	}
	return out
}

// latencies whose statistics can be asked for by name, also of files that lack them.
var latencies = []string{"ttft", "tpot", "itl", "e2el", "batch"}

// CheckMetrics refuses words that name no metric: neither a usual one, nor a statistic of
// a latency, nor one that a result has.
func CheckMetrics(words []string, sides []Side) error {
	in := inventoryOf(sides)
	for _, word := range words {
		key := in.key(word)
		if in.has[key] || slices.Contains(usual, key) || labels[key] != "" {
			continue
		}
		if l := latencyKey.FindStringSubmatch(key); l != nil && slices.Contains(latencies, l[2]) {
			if _, ok := percentile(l[1]); ok || l[1] == "mean" {
				continue
			}
		}
		have := slices.DeleteFunc(slices.Sorted(maps.Keys(in.has)), isError)
		return fmt.Errorf("no metric is called %q; these results have %s", word, strings.Join(have, ", "))
	}
	return nil
}
