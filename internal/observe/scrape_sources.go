package observe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/scrape"
	"github.com/inferometer/inferometer/internal/send/target"
)

// Open finds where each server's metrics are, reads them for the first time, and makes
// ready to keep them. Only what the user has named must be there.
func (c *Scrape) Open(ctx context.Context, r *Run) error {
	c.Run = r
	c.whole = journal.NewMetricsWriter(filepath.Join(c.Run.Folder, journal.MetricsName))
	for _, m := range c.meters {
		for _, address := range c.metricsAddresses(m) {
			m.sources = append(m.sources, c.source(address))
		}
		m.absent = m.absent || len(m.sources) == 0
	}
	c.before = make([]*taken, len(c.meters))
	errs := make([]error, len(c.meters))
	var all sync.WaitGroup
	for i, m := range c.meters {
		if !m.absent {
			all.Go(func() { c.before[i], errs[i] = c.firstScrape(ctx, m) })
		}
	}
	all.Wait()
	c.beforeAt = clock.Now()
	r.Before, r.Servers = c.beforeOfTargets(), c.servers
	if err := c.absences(errs); err != nil {
		return err
	}
	return c.openLogs()
}

// beforeOfTargets is what was said before the load at each address: by the server there, or by those behind it.
func (c *Scrape) beforeOfTargets() []target.Metrics {
	all := metricsOf(c.before)
	targets := slices.Clone(all[:len(c.URLs)])
	for i := range targets {
		if targets[i] != nil {
			continue
		}
		for k, m := range c.meters {
			if m.replica > 0 && (m.target == i || !c.FindsReplicas()) {
				targets[i] = append(targets[i], all[k]...)
			}
		}
	}
	return targets
}

// metricsAddresses are where a server's metrics are: where the user says, or where its kind
// has them. An address of a replica that the user gives too is read once.
func (c *Scrape) metricsAddresses(m *metered) []string {
	if m.replica > 0 {
		return []string{c.replicaAddress(m)}
	}
	switch n := len(c.MetricsURLs); {
	case n == 0:
		return []string{strings.TrimSuffix(c.URLs[m.target], "/") + target.MetricsPath(m.kind)}
	case c.Several():
		return c.MetricsURLs[m.target : m.target+1]
	}
	return slices.DeleteFunc(slices.Clone(c.MetricsURLs), func(address string) bool {
		return slices.ContainsFunc(c.meters, func(o *metered) bool { return o.replica > 0 && c.replicaAddress(o) == address })
	})
}

func (c *Scrape) replicaAddress(m *metered) string {
	return c.replicas[m.replica-1].URL + target.MetricsPath(m.kind)
}

// source gives the load's key to nobody else than the load's servers.
func (c *Scrape) source(address string) *scrape.Source {
	cfg := scrape.Config{Proxy: c.values.Proxy, Insecure: c.Insecure, Dial: c.dial, Header: http.Header{"User-Agent": c.values.Header["User-Agent"]}}
	if slices.ContainsFunc(c.URLs, func(u string) bool { return scrape.SameOrigin(u, address) }) {
		cfg.Header = c.values.Header
	}
	return scrape.New(address, cfg)
}

// firstScrape also finds llama.cpp's metrics where it serves several models: it wants to know of which.
func (c *Scrape) firstScrape(ctx context.Context, m *metered) (*taken, error) {
	t, err := m.read(ctx)
	var status *scrape.StatusError
	if errors.As(err, &status) && status.Code == http.StatusBadRequest && m.kind == target.LlamaCPP && len(c.MetricsURLs) == 0 {
		m.sources[0].Close()
		m.sources[0] = c.source(m.sources[0].URL + "?model=" + url.QueryEscape(c.Run.Model))
		t, err = m.read(ctx)
	}
	return t, err
}

// absences says, once, that metrics are not there. What the user has named must be.
func (c *Scrape) absences(errs []error) error {
	var why []string
	for i, err := range errs {
		if err == nil {
			continue
		}
		m := c.meters[i]
		words := c.values.Secrets.Sentence(err.Error())
		if len(c.MetricsURLs) > 0 && m.replica == 0 {
			return fmt.Errorf("--metrics-url %s; nothing was sent", words)
		}
		m.absent, m.silent = scrape.Absent(err), true      // it is said below
		if m.replica == 0 && len(c.meters) > len(c.URLs) { // a router without metrics of its own is no surprise
			continue
		}
		why = append(why, words+absenceHint(m.kind, c.Backend, err))
	}
	if len(why) == 0 {
		return nil
	}
	more := ""
	if n := len(why) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	if c.ScrapeEvery > 0 && len(c.ServerLogs) == 0 {
		c.Run.Say("note: no metrics: %s%s. What goes on inside the server is not seen; %s names another address", why[0], more, c.addressFlag())
	}
	return nil
}

// addressFlag is what names where metrics are read.
func (c *Scrape) addressFlag() string {
	if len(c.replicas) > 0 {
		return "--replica"
	}
	return "--metrics-url"
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
