package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/send/scrape"
	"github.com/inferometer/inferometer/internal/send/target"
)

// openMetrics finds where each server's metrics are, reads them for the first time, and makes
// ready to keep them. Only what the user has named must be there.
func (r *Run) openMetrics(ctx context.Context) error {
	var err error
	if r.metricsMap, err = r.MetricNames(); err != nil {
		return err
	}
	r.names = serving.NewTable(r.metricsMap...)
	r.whole = journal.NewMetricsWriter(filepath.Join(r.folder, journal.MetricsName))
	for i := range r.URLs {
		m := &metered{target: i, kind: target.KindOfModels(r.lists[i].models), now: latest{mapping: r.metricsMap}}
		for _, address := range r.metricsAddresses(i, m.kind) {
			m.sources = append(m.sources, r.source(address))
		}
		r.meters = append(r.meters, m)
	}
	r.watched.Store(&r.meters)
	r.before = make([]*taken, len(r.meters))
	errs := make([]error, len(r.meters))
	eachTarget(r.targets, func(i int, _ *target.Target) { r.before[i], errs[i] = r.firstScrape(ctx, r.meters[i]) })
	if err := r.absences(errs); err != nil {
		return err
	}
	return r.openLogs()
}

// metricsAddresses are where a server's metrics are: where the user says, or where its kind
// has them.
func (r *Run) metricsAddresses(i int, kind string) []string {
	switch n := len(r.MetricsURLs); {
	case n == 0:
		return []string{strings.TrimSuffix(r.URLs[i], "/") + target.MetricsPath(kind)}
	case r.Several():
		return r.MetricsURLs[i : i+1]
	}
	return r.MetricsURLs
}

// source gives the load's key to nobody else than the load's servers.
func (r *Run) source(address string) *scrape.Source {
	c := scrape.Config{Proxy: r.wire.Proxy, Insecure: r.Insecure, Dial: r.host.Dial, Header: http.Header{"User-Agent": r.wire.Header["User-Agent"]}}
	if slices.ContainsFunc(r.URLs, func(u string) bool { return scrape.SameOrigin(u, address) }) {
		c.Header = r.wire.Header
	}
	return scrape.New(address, c)
}

// firstScrape also finds llama.cpp's metrics where it serves several models: it wants to know of which.
func (r *Run) firstScrape(ctx context.Context, m *metered) (*taken, error) {
	t, err := m.read(ctx)
	var status *scrape.StatusError
	if errors.As(err, &status) && status.Code == http.StatusBadRequest && m.kind == target.LlamaCPP && len(r.MetricsURLs) == 0 {
		m.sources[0].Close()
		m.sources[0] = r.source(m.sources[0].URL + "?model=" + url.QueryEscape(r.sentModel))
		t, err = m.read(ctx)
	}
	return t, err
}

// absences says, once, that metrics are not there. What the user has named must be.
func (r *Run) absences(errs []error) error {
	var why []string
	for i, err := range errs {
		if err == nil {
			continue
		}
		m := r.meters[i]
		words := r.wire.Secrets.Sentence(err.Error())
		if len(r.MetricsURLs) > 0 {
			return fmt.Errorf("--metrics-url %s; nothing was sent", words)
		}
		m.absent = scrape.Absent(err)
		why = append(why, words+absenceHint(m.kind, r.Backend, err))
	}
	if len(why) == 0 {
		return nil
	}
	more := ""
	if n := len(why) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	if r.ScrapeEvery > 0 && len(r.ServerLogs) == 0 {
		r.say("note: no metrics: %s%s. What goes on inside the server is not seen; --metrics-url names another address", why[0], more)
	}
	return nil
}

// absenceHint is what a user can do where a server of some kind has no metrics.
func absenceHint(kind, backend string, err error) string {
	var status *scrape.StatusError
	switch {
	case !errors.As(err, &status):
		return ""
	case status.Code == http.StatusUnauthorized || status.Code == http.StatusForbidden:
		return ", it wants a key"
	case kind == target.LlamaCPP:
		return ", llama-server has them if it is started with --metrics"
	case kind == target.SGLang:
		return ", SGLang has them if it is started with --enable-metrics"
	case kind == target.TRTLLM:
		return ", TensorRT-LLM has them with return_perf_metrics"
	case backend == "trtllm" || backend == "kserve":
		return ", Triton has them on another port, usually http://HOST:8002/metrics"
	}
	return ""
}
