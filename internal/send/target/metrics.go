package target

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// Metric is one line of Prometheus' text format.
type Metric struct {
	Name   string
	Labels map[string]string
	Value  float64
}

// Metrics are the lines of one scrape.
type Metrics []Metric

// ParseMetrics reads Prometheus' text format. A line that it cannot read is
// passed over: a scrape is never a reason to fail.
func ParseMetrics(b []byte) Metrics {
	var out Metrics
	for line := range bytes.Lines(b) {
		if m, ok := parseMetric(string(bytes.TrimSpace(line))); ok {
			out = append(out, m)
		}
		if len(out) == maxMetrics {
			break
		}
	}
	return out
}

func parseMetric(line string) (Metric, bool) {
	if line == "" || line[0] == '#' {
		return Metric{}, false
	}
	end := strings.IndexAny(line, "{ \t")
	if end <= 0 {
		return Metric{}, false
	}
	m := Metric{Name: outside.Word(line[:end])}
	rest := line[end:]
	if rest[0] == '{' {
		var ok bool
		if m.Labels, rest, ok = parseLabels(rest[1:]); !ok {
			return Metric{}, false
		}
	}
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return Metric{}, false
	}
	v, err := strconv.ParseFloat(fields[0], 64)
	m.Value = v
	return m, err == nil
}

// parseLabels reads `a="b",c="d"}` and returns what follows the brace.
func parseLabels(s string) (labels map[string]string, rest string, ok bool) {
	labels = map[string]string{}
	for {
		s = strings.TrimLeft(s, " \t,")
		if strings.HasPrefix(s, "}") {
			return labels, s[1:], true
		}
		name, after, found := strings.Cut(s, "=")
		if !found || !strings.HasPrefix(after, `"`) {
			return nil, "", false
		}
		var value strings.Builder
		i := 1
		for ; i < len(after) && after[i] != '"'; i++ {
			if after[i] == '\\' && i+1 < len(after) {
				i++
				if after[i] == 'n' {
					value.WriteByte('\n')
					continue
				}
			}
			value.WriteByte(after[i])
		}
		if i >= len(after) {
			return nil, "", false
		}
		labels[strings.TrimSpace(name)] = outside.Word(value.String())
		s = after[i+1:]
	}
}

// mostValue is above all that a server can have counted, and adds up without loss.
const mostValue = 1 << 60

// Sane says whether a value can be what it should be. Prometheus has NaN and ±Inf too,
// and some servers divide by zero.
func (m *Metric) Sane() bool { return math.Abs(m.Value) <= mostValue }

// Sum adds up the lines of a name over all their labels; ok is false where there is
// none with a sane value.
func (m Metrics) Sum(name string) (sum float64, ok bool) {
	for i := range m {
		if m[i].Name == name && m[i].Sane() {
			sum += m[i].Value
			ok = true
		}
	}
	return sum, ok
}

// Counts says whether a line is a total that can be compared before and after: a
// counter, a histogram's sum or count, or the time of the start.
func (m *Metric) Counts() bool {
	for _, ending := range []string{"_total", "_sum", "_count", "start_time_seconds"} {
		if strings.HasSuffix(m.Name, ending) {
			return true
		}
	}
	return false
}
