package compare

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/result"
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

// usual are the keys that a table shows, in its order, if any side has them.
func usual(of func(*metric.Usual) []string) []string {
	var keys []string
	for _, n := range metric.UsualNames(of) {
		keys = append(keys, n.Key())
	}
	return keys
}

// ofSides are the usual keys of a table with two sides or more.
func ofSides() []string { return usual(func(u *metric.Usual) []string { return u.Compare }) }

// Words in the names of other metrics that tell which way is better.
var (
	higherWords = regexp.MustCompile(`(?i)(throughput|_tps$|tok/s|per_s(ec(ond)?)?$|goodput|exact_match|acc(uracy)?(_norm)?$|f1$|pass@|pass_at|bleu|rouge|score|mcc$)`)
	lowerWords  = regexp.MustCompile(`(?i)(_ms$|latency|perplexity|ppl$|bits_per_byte|loss$|wer$|error|failed|joules|cost)`)
)

// metricOf describes a metric. told says which way is better, where a file says it.
func metricOf(key string, told map[string]bool) Metric {
	m := Metric{Key: key, Label: key}
	higher, is := told[key]
	statistic, latency, isLatency := metric.SplitKey(key)
	switch n, ok := metric.ParseName(key); {
	case ok && !n.Metric.IsLatency(), ok && n.Statistic != "":
		m.Label, m.Higher, m.Unsure = cmp.Or(n.Label(), key), n.Metric.Better == metric.Higher, n.Metric.Better == ""
		if isLatency { // as it is in the file: p50, beside its median
			m.Label = strings.Replace(m.Label, string(n.Statistic), statistic, 1)
		}
	case isLatency:
		m.Label = statistic + " " + strings.ToUpper(latency) + " ms"
	case strings.HasSuffix(key, "_tps"):
		m.Label, m.Higher = strings.TrimSuffix(key, "_tps")+" tok/s", true
	case is:
		m.Higher = higher
	case higherWords.MatchString(key) != lowerWords.MatchString(key):
		m.Higher = higherWords.MatchString(key)
	default:
		m.Unsure = true
	}
	return m
}

// MetricsOf are the metrics that a table of these runs shows, in its order.
func MetricsOf(runs []result.Result) []Metric { return chosen([]Side{{Runs: runs}}, nil) }

// inventory is which metrics runs have, and which way is better where their files say it.
type inventory struct {
	has    map[string]bool
	higher map[string]bool
	others []string // that are neither of the table of metrics nor a statistic of a latency
}

func inventoryOf(sides []Side) inventory {
	in := inventory{has: map[string]bool{}, higher: map[string]bool{}}
	for i := range sides {
		for j := range sides[i].Runs {
			r := &sides[i].Runs[j]
			for _, key := range r.Metrics() {
				if !in.has[key] && !isKnown(key) && !isError(key) {
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
	key := metric.KeyOf(word)
	if !in.has[key] && in.has[result.ShapeMetric(key)] {
		return result.ShapeMetric(key)
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
	keys := append(ofSides(), in.others...)
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

// isKnown says whether a key is that of a number whose place in a table is settled, of a count that is no merit of a
// server, or of a statistic of some latency.
func isKnown(key string) bool {
	n, ok := metric.ParseName(key)
	_, _, isLatency := metric.SplitKey(key)
	return ok && (n.Metric.Label == "" || n.Metric.Better != "") || isLatency
}

// CheckMetrics refuses words that name no metric: neither a usual one, nor a statistic of
// a latency, nor one that a result has.
func CheckMetrics(words []string, sides []Side) error {
	in := inventoryOf(sides)
	for _, word := range words {
		key := in.key(word)
		n, ok := metric.ParseName(key)
		if in.has[key] || ok && n.Metric.Label != "" || ok && n.Statistic != "" && n.Statistic != metric.Std {
			continue
		}
		have := slices.DeleteFunc(slices.Sorted(maps.Keys(in.has)), isError)
		return fmt.Errorf("no metric is called %q; these results have %s", word, strings.Join(have, ", "))
	}
	return nil
}
