package metric

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Name is a number of a run by its name: a statistic of a latency (p99_ttft), or a
// number of the whole run (request_throughput), or, without a statistic, a latency
// of a single request (ttft).
type Name struct {
	Statistic Statistic
	Metric    *Metric
}

// ParseName reads a name in any spelling: p50_ttft, P99-TTFT and p99_ttft_ms (the
// key of a result) too.
func ParseName(word string) (Name, bool) {
	word = spelling(word)
	for _, text := range []string{word, strings.TrimSuffix(word, "_ms")} {
		if m := Lookup(text); m != nil {
			return Name{Metric: m}, text == word || m.IsLatency()
		}
		statistic, name, _ := strings.Cut(text, "_")
		s, ok := ParseStatistic(statistic)
		if m := Lookup(name); ok && m != nil && m.IsLatency() && !m.LimitOnly {
			return Name{s, m}, true
		}
	}
	return Name{}, false
}

func spelling(word string) string { return strings.ToLower(strings.ReplaceAll(word, "-", "_")) }

// String is the name in its one spelling.
func (n Name) String() string {
	if n.Statistic == "" {
		return n.Metric.Name
	}
	return string(n.Statistic) + "_" + n.Metric.Name
}

// Key is the key in a result: p99_ttft_ms.
func (n Name) Key() string {
	if n.Metric.IsLatency() {
		return n.String() + "_ms"
	}
	return n.String()
}

// Label is the name in a table of compare: p99 TTFT ms.
func (n Name) Label() string {
	label := n.Metric.Label
	if label == "" {
		label = n.Metric.Short
	}
	if n.Statistic == "" {
		return label
	}
	return string(n.Statistic) + " " + label + " ms"
}

// Column is the title of its column in a table of run: TTFT p99.
func (n Name) Column() string {
	title := n.Metric.Column
	if title == "" {
		title = n.Metric.Short
	}
	if title == "" {
		title = n.Metric.Name
	}
	switch n.Statistic {
	case "":
		return title
	case Median:
		return title + " p50"
	}
	return title + " " + string(n.Statistic)
}

// UsualNames are the numbers that a table shows where none are asked for: of says which
// statistics of a metric it shows. Rates come first, then latencies, then numbers
// that say how a run went and not how good it was.
func UsualNames(of func(*Usual) []string) []Name {
	var rates, latencies, others []Name
	for i := range table {
		m := &table[i]
		list := &latencies
		switch {
		case m.Scope == PerRun && m.Better == "":
			list = &others
		case m.Scope == PerRun:
			list = &rates
		}
		for _, word := range of(&m.Usual) {
			*list = append(*list, Name{Statistic(word), m})
		}
	}
	return slices.Concat(rates, latencies, others)
}

// ofLatency is the key of a statistic of a latency, also of one that the table does not have.
var ofLatency = regexp.MustCompile(`^(mean|median|p[0-9.]+)_(.+)_ms$`)

// SplitKey takes p99_ttft_ms apart. Other tools' results have latencies of their own,
// so the name need not be one of the table.
func SplitKey(key string) (statistic, name string, ok bool) {
	l := ofLatency.FindStringSubmatch(key)
	if l == nil {
		return "", "", false
	}
	return l[1], l[2], true
}

// KeyOf gives the key in a result of a name that a person has typed: p99_ttft is
// p99_ttft_ms. A name that the table does not have may be one of another tool's result.
func KeyOf(word string) string {
	if n, ok := ParseName(word); ok && n.Statistic != "" {
		return n.Key()
	}
	word = strings.Replace(spelling(word), "p50_", "median_", 1)
	if !ofLatency.MatchString(word) && ofLatency.MatchString(word+"_ms") {
		return word + "_ms"
	}
	return word
}

// ShareSuffix is at the end of the name of a share of all requests: failed_share.
const ShareSuffix = "_share"

// ParseValue reads a name that may also be that of a share of all requests.
func ParseValue(name string) (n Name, share, ok bool) {
	if n, ok = ParseName(name); ok {
		return n, false, true
	}
	of, share := strings.CutSuffix(name, ShareSuffix)
	n, ok = ParseName(of)
	return n, share, ok && share && n.Metric.Share
}

// Format writes the value of a name with its unit.
func Format(name string, v float64) string {
	text := func(v float64) string {
		if abs := math.Abs(v); abs >= 1e4 && abs < 1e15 { // 12170ms, and not 1.217e+04ms
			return strconv.FormatFloat(v, 'f', 0, 64)
		}
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	n, share, ok := ParseValue(name)
	switch {
	case !ok:
		return text(v)
	case share:
		return text(v*100) + "%"
	case n.Metric.IsLatency():
		return text(v) + "ms"
	case n.Metric.Unit == "s" && math.IsInf(v, 1):
		return "longer than the run"
	case n.Metric.Unit == "s":
		return text(v) + "s"
	}
	return text(v)
}
