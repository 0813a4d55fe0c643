package slo

import "fmt"

// Statistic takes the name of a latency over a run apart, as p99 and ttft of p99_ttft.
// p50 is the median.
func Statistic(word string) (statistic, latency string, err error) {
	name, _, err := canonical(word)
	if err != nil {
		return "", "", err
	}
	statistic, latency, ok := splitLatency(name)
	if !ok || statistic == "" {
		return "", "", fmt.Errorf("%q is no statistic of a latency, such as p99_ttft", word)
	}
	return statistic, latency, nil
}

// LatencyNames are the latencies that have statistics.
func LatencyNames() []string { return latencies() }

// Shown is the value with its unit.
func (c Check) Shown() string { return format(c.Clause.Metric, c.Value) }

// Worst is how the checks stand together.
func (j Judgement) Worst() Status {
	worst := Met
	for _, c := range j.Checks {
		switch {
		case c.Status == Broken:
			return Broken
		case c.Status == Unknown:
			worst = Unknown
		}
	}
	return worst
}
