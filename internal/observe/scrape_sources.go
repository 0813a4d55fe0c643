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
		for _, address := range c.metricsAddresses(m.target, m.kind) {
			m.sources = append(m.sources, c.source(address))
		}
	}
	c.before = make([]*taken, len(c.meters))
	errs := make([]error, len(c.meters))
	var all sync.WaitGroup
	for i, m := range c.meters {
		all.Go(func() { c.before[i], errs[i] = c.firstScrape(ctx, m) })
	}
	all.Wait()
	c.beforeAt = clock.Now()
	r.Before, r.Servers = metricsOf(c.before), c.servers
	if err := c.absences(errs); err != nil {
		return err
	}
	return c.openLogs()
}

// metricsAddresses are where a server's metrics are: where the user says, or where its kind
// has them.
func (c *Scrape) metricsAddresses(i int, kind string) []string {
	switch n := len(c.MetricsURLs); {
	case n == 0:
		return []string{strings.TrimSuffix(c.URLs[i], "/") + target.MetricsPath(kind)}
	case c.Several():
		return c.MetricsURLs[i : i+1]
	}
	return c.MetricsURLs
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
		if len(c.MetricsURLs) > 0 {
			return fmt.Errorf("--metrics-url %s; nothing was sent", words)
		}
		m.absent = scrape.Absent(err)
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
		c.Run.Say("note: no metrics: %s%s. What goes on inside the server is not seen; --metrics-url names another address", why[0], more)
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
