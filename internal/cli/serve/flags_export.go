package serve

import (
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/export/otlp"
	"github.com/inferometer/inferometer/internal/export/prometheus"
	"github.com/inferometer/inferometer/internal/outside"
)

const (
	flagPrometheus = "prometheus"
	flagLinger     = "prometheus-linger"
	flagOTLP       = "otlp"
	flagTrace      = "trace-id"
)

// defaultLinger is the interval at which Prometheus is set to scrape most often.
const defaultLinger = 15 * time.Second

// exportOptions say who is told of a run while it goes on.
type exportOptions struct {
	Prometheus string // an address to listen on; empty: nobody is told
	Linger     time.Duration
	OTLP       string       // a collector's address; empty: nobody is told
	collector  *otlp.Config // nil: as above
}

// defineExport declares them. They are no part of a Spec: what is sent does not depend on them.
func defineExport(set *argv.Set, o *Options, opts ...argv.Option) {
	set.String(&o.export.Prometheus, flagPrometheus, "", "Show the run to Prometheus while it goes on, at http://ADDRESS/metrics, as in :9464 or 127.0.0.1:9464; port 0 is any that is free (docs/export.md).",
		append(opts, argv.WholeName(), argv.Metavar("ADDRESS"))...)
	set.Duration(&o.export.Linger, flagLinger, defaultLinger, "After the run wait for one more scrape, so that Prometheus has the last values, for so long at most.",
		append(opts, argv.WholeName())...)
	set.String(&o.export.OTLP, flagOTLP, "", "Tell an OpenTelemetry collector of the run by OTLP over HTTP: a span for each request, and metrics. "+
		"An address such as http://127.0.0.1:4318, or env for that of OTEL_EXPORTER_OTLP_ENDPOINT. OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES are read too.",
		append(opts, argv.WholeName(), argv.Metavar("URL"), argv.Redact(outside.RedactURL))...)
}

// CheckExport looks at the flags, and reads the environment.
func (o *Options) CheckExport(set *argv.Set) (err error) {
	e := &o.export
	if set.Seen(flagPrometheus) {
		if err := prometheus.CheckAddress(e.Prometheus); err != nil {
			return argv.Errorf(flagPrometheus, "%v", err)
		}
	}
	switch {
	case set.Seen(flagLinger) && e.Prometheus == "":
		return argv.Errorf(flagLinger, "has no effect without --%s", flagPrometheus)
	case e.Linger < 0:
		return argv.Errorf(flagLinger, "must be 0 or more")
	case !set.Seen(flagOTLP):
		return nil
	}
	if e.collector, err = otlp.NewConfig(e.OTLP, command.Release(), o.lookup); err != nil {
		return argv.Errorf(flagOTLP, "%v", err)
	}
	return nil
}
