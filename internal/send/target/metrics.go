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
