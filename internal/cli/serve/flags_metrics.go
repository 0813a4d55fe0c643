package serve

import (
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/spec"
)

const metricsMap = "metrics-map"

// defineMetrics declares where and how often a server's metrics are read.
func defineMetrics(set *argv.Set, o *Options, g argv.Option) {
	set.Duration(&o.ScrapeEvery, "scrape-every", time.Second,
		"Read the server's metrics so often during the load, on a connection of their own. 0 reads them before and after it only.", g)
	set.CSV(&o.MetricsURLs, "metrics-url", nil, "Where the server's metrics are, if not at its own /metrics: another port, a server behind a gateway, a gateway of its own. "+
		"Several: one for each of --targets, or all that stand behind one address. The API key goes only to the server's own host and port.",
		g, argv.WholeName(), argv.Metavar("URL,URL,…"), argv.Redact(redactURLs))
	set.String(&o.MetricsMapFile, metricsMap, "", "A YAML file that says what metrics of a server mean that are not known: docs/server-metrics.md.", g, argv.WholeName(), argv.Metavar("FILE"))
	set.CSV(&o.ServerLogs, "server-log", nil, "A log of vLLM, read during the load where the server has no metrics. Several: one for each of --targets.",
		g, argv.WholeName(), argv.Metavar("FILE,FILE,…"))
}

// SetMetrics reads the file of --metrics-map. What is in it is checked with the Spec.
func (o *Options) SetMetrics(set *argv.Set) error {
	o.MetricsMap = nil
	o.MetricsURLs = slices.Clone(o.MetricsURLs) // which the Spec completes
	switch {
	case o.MetricsMapFile == "" && set.Seen(metricsMap):
		return argv.Errorf(metricsMap, "needs the name of a file")
	case o.MetricsMapFile == "":
		return nil
	}
	content, err := readBounded(o.MetricsMapFile, spec.MaxMetricsMap)
	if err != nil {
		return argv.Errorf(metricsMap, "can't be read: %v", err)
	}
	o.MetricsMap, err = argv.YAMLFile(o.MetricsMapFile, content)
	return err
}
