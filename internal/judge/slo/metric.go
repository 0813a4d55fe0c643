package slo

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// kind is which units a metric may have.
type kind int

const (
	latency kind = iota // ms inside
	rate                // as in a result
	count               // a number, or with % a share of all requests
	seconds
)

// latencies are those of measure.Metrics, under the same names; a test compares.
func latencies() []string {
	return []string{"ttft", "tpot", "itl", "e2el", "client_queue_time", "e2el_including_client_queue"}
}

// number is one of a whole run.
type number struct {
	name string
	kind kind
}

// numbers are named as in a result.
func numbers() []number {
	return []number{
		{"request_throughput", rate},
		{"output_throughput", rate},
		{"total_token_throughput", rate},
		{"request_goodput", rate},
		{"output_token_goodput", rate},
		{"max_output_tokens_per_s", rate},
		{"completed", count},
		{"failed", count},
		{"duration", seconds},
	}
}

func isLatency(name string) bool { return slices.Contains(latencies(), name) }

// splitLatency takes p99_ttft apart; a bare ttft has no statistic.
func splitLatency(metric string) (statistic, name string, ok bool) {
	if isLatency(metric) {
		return "", metric, true
	}
	statistic, name, _ = strings.Cut(metric, "_")
	if !isLatency(name) {
		return "", "", false
	}
	switch statistic {
	case "mean", "median", "std":
		return statistic, name, true
	}
	_, ok = percentile(statistic)
	return statistic, name, ok
}

func percentileOf(metric string) (p float64, name string, ok bool) {
	statistic, name, ok := splitLatency(metric)
	if !ok {
		return 0, "", false
	}
	p, ok = percentile(statistic)
	return p, name, ok
}

// percentile reads p99 and p99.9.
func percentile(word string) (float64, bool) {
	digits, ok := strings.CutPrefix(word, "p")
	if !ok || strings.Trim(digits, "0123456789.") != "" {
		return 0, false
	}
	p, err := strconv.ParseFloat(digits, 64)
	return p, err == nil && p > 0 && p < 100
}

// canonical gives a metric's one name, and its kind.
func canonical(word string) (string, kind, error) {
	name := strings.ToLower(strings.ReplaceAll(word, "-", "_"))
	if name == "goodput" {
		name = "request_goodput"
	}
	var others []string
	for _, n := range numbers() {
		if n.name == name {
			return name, n.kind, nil
		}
		others = append(others, n.name)
	}
	statistic, of, ok := splitLatency(name)
	if !ok {
		return "", 0, fmt.Errorf("there is no metric %q: a latency is such as p99_ttft, mean_tpot, median_itl or p99.9_e2el; the others are %s",
			word, strings.Join(others, ", "))
	}
	if p, ok := percentile(statistic); ok {
		if p == 50 {
			statistic = "median"
		} else {
			statistic = "p" + strconv.FormatFloat(p, 'f', -1, 64)
		}
	}
	if statistic != "" {
		of = statistic + "_" + of
	}
	return of, latency, nil
}

// format writes a value with its unit.
func format(metric string, v float64) string {
	text := func(v float64) string {
		if abs := math.Abs(v); abs >= 1e4 && abs < 1e15 { // 12170ms, and not 1.217e+04ms
			return strconv.FormatFloat(v, 'f', 0, 64)
		}
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	if strings.HasSuffix(metric, shareSuffix) {
		return text(v*100) + "%"
	}
	_, k, err := canonical(metric)
	switch {
	case err != nil:
		return text(v)
	case k == latency:
		return text(v) + "ms"
	case k == seconds:
		return text(v) + "s"
	}
	return text(v)
}
