package observe

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/scrape"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/spec"
)

// A server counts a request a moment after its last byte.
const (
	settleEvery = 100 * time.Millisecond
	settleTries = 20
)

// Scrape reads the metrics and logs of the servers before, during and after the load.
type Scrape struct {
	Base
	*spec.Spec
	values  *spec.Wire
	dial    func(ctx context.Context, network, addr string) (net.Conn, error)
	mapping []journal.MetricName // what the user says of names
	names   *serving.Table       // which of them are kept
	// Each server's metrics, where there are any: first those of the addresses, in their order, then those of replicas.
	meters   []*metered
	replicas []journal.Replica

	whole    *journal.MetricsWriter // keeps them as they came; nil: it is not open
	before   []*taken               // each server's counters before the warm-ups; nil where it has none
	beforeAt time.Time
	cancel   context.CancelFunc // nil: the load has not begun
	reading  sync.WaitGroup
	gone     atomic.Int32 // replicas whose metrics could not be read
}

// NewScrape reads what the servers say of themselves. It is part of every run: what has no
// metrics costs one question.
func NewScrape(_ context.Context, r *prepare.Ready, h *prepare.Host) (Observer, error) {
	mapping, err := r.MetricNames()
	if err != nil {
		return nil, err
	}
	c := &Scrape{Spec: r.Spec, values: r.Values, dial: h.Dial, mapping: mapping, names: serving.NewTable(mapping...), replicas: r.Servers.Replicas}
	for i := range r.URLs {
		c.meters = append(c.meters, &metered{target: i, kind: r.Servers.Kind(i), now: latest{mapping: mapping}})
	}
	for _, router := range r.Servers.Routers {
		// Whichever worker answered, its counters are not the router's, nor those of all.
		c.meters[router.Target].absent = router.Metrics == journal.WorkerMetrics && len(r.MetricsURLs) == 0
	}
	for i := range c.replicas {
		if one := &c.replicas[i]; one.URL != "" {
			c.meters = append(c.meters, &metered{target: one.Target, replica: i + 1, kind: r.Servers.Kind(one.Target), now: latest{mapping: mapping}})
		}
	}
	return c, nil
}

// metered is a server whose metrics are read.
type metered struct {
	target  int
	replica int              // from 1; 0: it is the address itself
	sources []*scrape.Source // usually one; several stand behind a gateway
	kind    string           // of the server, where its list of models tells
	absent  bool             // there is nothing to be read
	log     *scrape.Log      // read in place of metrics; nil: there is none
	silent  bool             // that it can't be read has been said
	now     latest
}

// taken is what a server said at one moment.
type taken struct {
	metrics target.Metrics // of all its sources together
	texts   []journal.MetricsText
}

// bytes is how long it is.
func (t *taken) bytes() (n int) {
	for i := range t.texts {
		n += len(t.texts[i].Text)
	}
	return n
}

// read asks all sources at once. What only some of them tell is nothing: sums would jump.
func (m *metered) read(ctx context.Context) (*taken, error) {
	each := make([]taken, len(m.sources))
	errs := make([]error, len(m.sources))
	var all sync.WaitGroup
	for i, s := range m.sources {
		all.Go(func() {
			text, scraped, err := s.Read(ctx)
			if err != nil {
				errs[i] = &sourceError{s.URL, err}
				return
			}
			each[i] = taken{scraped.Samples, []journal.MetricsText{{Target: m.target, URL: s.URL, Text: string(text)}}}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	whole := &each[0]
	for _, more := range each[1:] {
		whole.metrics, whole.texts = append(whole.metrics, more.metrics...), append(whole.texts, more.texts...)
	}
	if whole.metrics == nil {
		whole.metrics = target.Metrics{}
	}
	return whole, nil
}

// sourceError says which address has failed.
type sourceError struct {
	url string
	err error
}

func (e *sourceError) Error() string { return fmt.Sprintf("%s: %v", e.url, e.err) }
func (e *sourceError) Unwrap() error { return e.err }

// read reads each server's metrics; nil where it told none.
func (c *Scrape) read(ctx context.Context) []*taken {
	all := make([]*taken, len(c.meters))
	var wait sync.WaitGroup
	for i, m := range c.meters {
		if m.absent {
			continue
		}
		wait.Go(func() {
			if t, err := m.read(ctx); err == nil {
				all[i] = t
			}
		})
	}
	wait.Wait()
	return all
}

// settled reads the counters after the load: until two answers are the same.
func (c *Scrape) settled(ctx context.Context) []*taken {
	m := c.read(ctx)
	for range settleTries {
		if !slices.ContainsFunc(m, func(t *taken) bool { return t != nil }) {
			return m
		}
		time.Sleep(settleEvery)
		again := c.read(ctx)
		if slices.EqualFunc(m, again, func(a, b *taken) bool { return maps.Equal(served(a), served(b)) }) {
			return again
		}
		m = again
	}
	return m
}

// served are the totals of what was served: others, such as the CPU time of the
// process, never settle.
func served(t *taken) map[string]float64 {
	if t == nil {
		return nil
	}
	out, _ := sumUp(t.metrics, (*target.Metric).Counts)
	maps.DeleteFunc(out, func(name string, _ float64) bool {
		return !strings.HasSuffix(name, "_total") || strings.HasPrefix(name, "process_") || strings.HasPrefix(name, "python_")
	})
	return out
}

// metricsOf are the lines of all servers.
func metricsOf(all []*taken) []target.Metrics {
	out := make([]target.Metrics, len(all))
	for i, t := range all {
		if t != nil {
			out[i] = t.metrics
		}
	}
	return out
}

// Finish reads the counters once more, and what speculative decoding did between.
func (c *Scrape) Finish(ctx context.Context, _ <-chan struct{}, end *journal.End) error {
	after := c.settled(context.WithoutCancel(ctx))
	end.SpecDecode = specDecode(metricsOf(c.before), metricsOf(after))
	return c.write(after, c.Run.Clock.Now(), true)
}

// write writes what was read before or after the load.
func (c *Scrape) write(all []*taken, at int64, after bool) error {
	for i, t := range all {
		if t == nil {
			continue
		}
		line, dropped := c.totals(t.metrics)
		if len(dropped) > 0 {
			c.Run.Say("note: the metrics of %s hold values that are no numbers, which are left out: %s", c.meters[i].sources[0].URL, strings.Join(dropped, ", "))
		}
		line.At, line.After, line.Target, line.Replica, line.Dropped = at, after, c.meters[i].target, c.meters[i].replica, dropped
		c.keepTexts(t, at)
		if err := c.Run.Journal.Scrape(line); err != nil {
			return err
		}
		if !after {
			c.meters[i].now.begin(line.Counters)
		}
	}
	return nil
}

// keepTexts keeps a scrape as it came. That it can't is no reason to spoil a run.
func (c *Scrape) keepTexts(t *taken, at int64) {
	for i := range t.texts {
		one := &t.texts[i]
		one.At, one.Text = at, c.values.Secrets.Scrub(one.Text)
		if err := c.whole.Write(one); err != nil {
			c.Run.Say("note: from here on the metrics are not kept as they came: %v; the journal goes on", outside.Sentence(err.Error()))
		}
	}
}

// Close ends what was opened.
func (c *Scrape) Close() {
	if c.whole != nil {
		if dropped, _ := c.whole.Close(); dropped > 0 { // what went wrong has been said
			c.Run.Say("note: %d scrapes are not in %s", dropped, journal.MetricsName)
		}
	}
	for _, m := range c.meters {
		for _, s := range m.sources {
			s.Close()
		}
		if m.log != nil {
			_ = m.log.Close() // it was only read
		}
	}
}

// specDecode is what speculative decoding did between two scrapes, on all servers
// together; nil where there is none.
func specDecode(before, after []target.Metrics) *journal.SpecDecode {
	var sum *journal.SpecDecode
	uncounted := false // a server that does not count drafts: their number is not known for all together
	for i := range after {
		a, ok := after[i].SpecDecode()
		b, hadOne := before[i].SpecDecode()
		if !ok || !hadOne {
			continue
		}
		if sum == nil {
			sum = &journal.SpecDecode{}
		}
		d := a.Since(b)
		if d.Drafts <= 0 && d.DraftTokens > 0 {
			uncounted = true
		}
		sum.Drafts += d.Drafts
		sum.Emitted += d.Emitted
		sum.DraftTokens += d.DraftTokens
		sum.Accepted += d.Accepted
		for len(sum.PerPosition) < len(d.PerPosition) {
			sum.PerPosition = append(sum.PerPosition, 0)
		}
		for k, n := range d.PerPosition {
			sum.PerPosition[k] += n
		}
	}
	if uncounted {
		sum.Drafts = 0
	}
	return sum
}
