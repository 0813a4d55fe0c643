package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/scrape"
	"github.com/inferometer/inferometer/internal/send/target"
)

// A server counts a request a moment after its last byte.
const (
	settleEvery = 100 * time.Millisecond
	settleTries = 20
)

// metered is a server whose metrics are read.
type metered struct {
	target  int
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

// scrape reads each server's metrics; nil where it told none.
func (r *Run) scrape(ctx context.Context) []*taken {
	all := make([]*taken, len(r.meters))
	var wait sync.WaitGroup
	for i, m := range r.meters {
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
func (r *Run) settled(ctx context.Context) []*taken {
	m := r.scrape(ctx)
	for range settleTries {
		if !slices.ContainsFunc(m, func(t *taken) bool { return t != nil }) {
			return m
		}
		time.Sleep(settleEvery)
		again := r.scrape(ctx)
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

// writeScrapes writes what was read before or after the load.
func (r *Run) writeScrapes(all []*taken, at int64, after bool) error {
	for i, t := range all {
		if t == nil {
			continue
		}
		line, dropped := r.totals(t.metrics)
		if len(dropped) > 0 {
			r.say("note: the metrics of %s hold values that are no numbers, which are left out: %s", r.URLs[i], strings.Join(dropped, ", "))
		}
		line.At, line.After, line.Target, line.Dropped = at, after, i, dropped
		r.keepTexts(t, at)
		if err := r.journal.Scrape(line); err != nil {
			return err
		}
		if !after {
			r.meters[i].now.begin(line.Counters)
		}
	}
	return nil
}

// keepTexts keeps a scrape as it came. That it can't is no reason to spoil a run.
func (r *Run) keepTexts(t *taken, at int64) {
	for i := range t.texts {
		one := &t.texts[i]
		one.At, one.Text = at, r.wire.Secrets.Scrub(one.Text)
		if err := r.whole.Write(one); err != nil {
			r.say("note: from here on the metrics are not kept as they came: %v; the journal goes on", outside.Sentence(err.Error()))
		}
	}
}

// closeScrapes ends what scraping has opened.
func (r *Run) closeScrapes() {
	if r.whole != nil {
		if dropped, _ := r.whole.Close(); dropped > 0 { // what went wrong has been said
			r.say("note: %d scrapes are not in %s", dropped, journal.MetricsName)
		}
	}
	for _, m := range r.meters {
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
