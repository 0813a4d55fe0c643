package metric

import (
	"strconv"
	"strings"
)

// Statistic is a statistic of a latency over a run, in its one spelling: mean,
// median, std or a percentile such as p99 or p99.9. p50 is written median.
type Statistic string

// The statistics that are no percentile, and the median.
const (
	Mean   Statistic = "mean"
	Median Statistic = "median"
	Std    Statistic = "std"
)

// ParseStatistic reads a statistic in any spelling, such as p50 or p99.90.
func ParseStatistic(word string) (Statistic, bool) {
	switch s := Statistic(word); s {
	case Mean, Median, Std:
		return s, true
	}
	p, ok := percentile(word)
	if !ok || p <= 0 || p >= 100 {
		return "", false
	}
	return PercentileStatistic(p), true
}

// percentile reads p99 and p99.9.
func percentile(word string) (float64, bool) {
	digits, ok := strings.CutPrefix(word, "p")
	if !ok || digits == "" || strings.Trim(digits, "0123456789.") != "" {
		return 0, false
	}
	p, err := strconv.ParseFloat(digits, 64)
	return p, err == nil
}

// PercentileStatistic is the statistic of a percentile.
func PercentileStatistic(p float64) Statistic {
	if p == 50 {
		return Median
	}
	return Statistic("p" + PercentWord(p))
}

// PercentWord is 99 for 99.0 and 99.9 for 99.9.
func PercentWord(p float64) string { return strconv.FormatFloat(p, 'f', -1, 64) }

// Percentile is which one the statistic is, from 0 to 100; 50 for the median. ok is
// false for mean and std.
func (s Statistic) Percentile() (p float64, ok bool) {
	if s == Median {
		return 50, true
	}
	return percentile(string(s))
}

// OfRequest is a statistic over the gaps of one request: a mean, a max or a percentile.
type OfRequest struct {
	Mean, Max  bool
	Percentile float64 // from 0 to 100, where neither
}

// parseOfRequest reads mean, max or pNN.
func parseOfRequest(word string) (OfRequest, bool) {
	switch word {
	case "mean":
		return OfRequest{Mean: true}, true
	case "max":
		return OfRequest{Max: true}, true
	}
	p, ok := percentile(word)
	return OfRequest{Percentile: p}, ok && p <= 100
}
