package serve

import (
	"slices"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/spec"
)

const metricsMap = "metrics-map"

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
