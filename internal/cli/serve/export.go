package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/export/otlp"
	"github.com/inferometer/inferometer/internal/export/prometheus"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/observe"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/spec"
)

// exporter is told of a run while it goes on.
type exporter interface {
	Started(folder string, first *journal.Run)
	Ended(*journal.Request)
	See(*live.State)
	Elsewhere()
}

// exporting are those who are told of this run.
type exporting struct {
	observe.Base
	host      *bench.Host
	linger    time.Duration
	all       []exporter
	shown     *prometheus.Exporter
	server    *prometheus.Server // nil: Prometheus is not told
	collector *otlp.Exporter     // nil: no collector is
	unlisten  func()
	begun     bool // the load has
}

// startExport begins to tell others of the run, before anything is sent.
func (r *serveRun) startExport(ctx context.Context) (*exporting, error) {
	e := &exporting{host: r.host, linger: r.export.Linger, unlisten: func() {}}
	if err := e.listen(r.export.Prometheus); err != nil {
		return nil, err
	}
	if c := r.export.collector; c != nil {
		if r.TraceID == "" {
			r.TraceID = spec.TraceRandom
		}
		e.collector = otlp.New(c, r.host.Proxy)
		e.all = append(e.all, e.collector)
		if err := e.collector.Try(ctx); err != nil {
			r.host.Warn("warning: no collector takes spans at %s now: %v; they are kept for a while and tried again", c.Endpoint, err)
		}
	}
	if len(e.all) > 0 {
		e.attach(r.InFleet())
	}
	return e, nil
}

// listen begins to answer Prometheus.
func (e *exporting) listen(address string) (err error) {
	if address == "" {
		return nil
	}
	e.shown = prometheus.New(command.Version())
	if e.server, err = prometheus.Listen(address, e.shown); err != nil {
		return argv.Errorf(flagPrometheus, "%v", err)
	}
	e.all = append(e.all, e.shown)
	say := e.host.Say
	if strings.HasSuffix(address, ":0") { // else nobody knows where it is
		say = e.host.Warn
	}
	say("prometheus: %s", e.server.URL())
	if open := command.Reachable(e.server.Addr(), "read the run's metrics", flagPrometheus); open != "" {
		e.host.Warn("prometheus: %s", open)
	}
	return nil
}

// attach has the run tell them. What ends on other machines is told when all is over.
func (e *exporting) attach(elsewhere bool) {
	if e.host.Live == nil {
		e.host.Live = &live.Feed{}
	}
	e.unlisten = e.host.Live.Listen(func(s *live.State) {
		for _, x := range e.all {
			x.See(s)
		}
	})
	e.host.Observers = append(e.host.Observers, e)
	if elsewhere {
		for _, x := range e.all {
			x.Elsewhere()
		}
	}
}

// Start implements observe.Observer.
func (e *exporting) Start() error {
	e.started(e.Run.Folder, e.Run.First)
	return nil
}

func (e *exporting) started(folder string, first *journal.Run) {
	e.begun = true
	for _, x := range e.all {
		x.Started(folder, first)
	}
}

// Ended implements observe.Watcher.
func (e *exporting) Ended(q *journal.Request) {
	for _, x := range e.all {
		x.Ended(q)
	}
}

// maxGathering is how long a fleet's requests are told of, when all is over.
const maxGathering = time.Minute

// gather tells of the requests of a fleet, whose journals are one now.
func (e *exporting) gather(run finished) error {
	if len(e.all) == 0 {
		return nil
	}
	j, err := run.Reopen()
	if err != nil {
		return err
	}
	defer j.Close()
	if e.collector != nil {
		hurry := time.AfterFunc(maxGathering, e.collector.Hurry)
		defer hurry.Stop()
	}
	e.started(run.Folder(), j.Run())
	for {
		q, err := j.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("export the run's requests: %w", err)
		}
		e.Ended(q)
	}
	if e.shown != nil {
		e.shown.Complete()
	}
	return nil
}

// finish sends what waits, and lets Prometheus have the last values. drain ends that, unless
// it ended the run already.
func (e *exporting) finish(ctx context.Context, drain <-chan struct{}) {
	defer e.unlisten()
	if closed(drain) {
		drain = nil
	}
	ctx, cancel := load.UntilDrain(ctx, drain, nil)
	defer cancel()
	if !e.begun { // there is nothing to tell
		cancel()
	}
	if e.collector != nil {
		if r := e.collector.Finish(ctx); e.begun {
			e.tell(r)
		}
	}
	switch {
	case e.server == nil:
		return
	case !e.begun:
		e.server.Close()
		return
	}
	if e.linger > 0 {
		e.host.Say("prometheus: waiting for one more scrape of the last values, for %s at most; Ctrl-C ends it", e.linger)
	}
	if !e.server.Finish(ctx, e.linger) && e.linger > 0 {
		e.host.Say("prometheus: the last values were not scraped")
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// tell says what became of the spans.
func (e *exporting) tell(r otlp.Report) {
	lost := r.Dropped + r.Failed + r.Rejected
	if lost == 0 && r.Why == "" {
		e.host.Say("otlp: %d spans sent", r.Sent)
		return
	}
	e.host.Warn("warning: otlp: %d spans sent, %d lost (%d for lack of space, %d not taken, %d rejected): %s",
		r.Sent, lost, r.Dropped, r.Failed, r.Rejected, outside.Sentence(r.Why))
}

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
	set.String(&o.export.Prometheus, flagPrometheus, "", "Expose the run to Prometheus while it lasts, at http://ADDRESS/metrics, as in :9464 or 127.0.0.1:9464; port 0 picks a free one (docs/live.md).",
		append(opts, argv.WholeName(), argv.Metavar("ADDRESS"))...)
	set.Duration(&o.export.Linger, flagLinger, defaultLinger, "After the run, wait up to this long for one more scrape, so that Prometheus gets the last values.",
		append(opts, argv.WholeName())...)
	set.String(&o.export.OTLP, flagOTLP, "", "Send the run to an OpenTelemetry collector by OTLP over HTTP: a span for each request, and metrics. "+
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
