package bench

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/bench/client"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/chartdata"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/target"
)

const (
	scrapeTimeout = 5 * time.Second // few servers have counters, and none should keep us waiting
	settleEvery   = 100 * time.Millisecond
	settleTries   = 20
)

// scrape reads each server's counters; nil where it has none.
func (r *Run) scrape(ctx context.Context) []target.Metrics {
	ctx, cancel := context.WithTimeout(ctx, scrapeTimeout)
	defer cancel()
	all := make([]target.Metrics, len(r.targets))
	eachTarget(r.targets, func(i int, t *target.Target) {
		if m, err := t.Metrics(ctx); err == nil {
			all[i] = m
		}
	})
	return all
}

// settled reads the counters after the load. A server counts a request a moment
// after its last byte: so it is asked again until two answers are the same.
func (r *Run) settled(ctx context.Context) []target.Metrics {
	m := r.scrape(ctx)
	for range settleTries {
		if !slices.ContainsFunc(m, func(m target.Metrics) bool { return m != nil }) {
			return m
		}
		time.Sleep(settleEvery)
		again := r.scrape(ctx)
		if slices.EqualFunc(m, again, func(a, b target.Metrics) bool { return maps.Equal(served(a), served(b)) }) {
			return again
		}
		m = again
	}
	return m
}

// served are the totals of what was served: others, such as the CPU time of the
// process, never settle.
func served(m target.Metrics) map[string]float64 {
	out := counters(m)
	maps.DeleteFunc(out, func(name string, _ float64) bool {
		return !strings.HasSuffix(name, "_total") || strings.HasPrefix(name, "process_") || strings.HasPrefix(name, "python_")
	})
	return out
}

// A server's metrics are bounded before they are kept.
const (
	mostCounters = 10_000
	mostDropped  = 10 // names of values that were dropped
)

// counters are the sums that the journal keeps of a scrape.
func counters(m target.Metrics) map[string]float64 {
	sums, _ := sumUp(m, (*target.Metric).Counts)
	return sums
}

// sumUp adds up over labels what is wanted. A value that can't be one is left out,
// and its name among the dropped.
func sumUp(m target.Metrics, wanted func(*target.Metric) bool) (sums map[string]float64, dropped []string) {
	sums = map[string]float64{}
	for i := range m {
		line := &m[i]
		if !wanted(line) || len(line.Name) > outside.MaxWord {
			continue
		}
		if !line.Sane() {
			if name := outside.Word(line.Name); len(dropped) < mostDropped && !slices.Contains(dropped, name) {
				dropped = append(dropped, name)
			}
			continue
		}
		if _, known := sums[line.Name]; known || len(sums) < mostCounters {
			sums[line.Name] += line.Value
		}
	}
	return sums, dropped
}

func (r *Run) writeScrapes(all []target.Metrics, at int64, after bool) error {
	for i, m := range all {
		if m == nil {
			continue
		}
		sums, dropped := sumUp(m, (*target.Metric).Counts)
		if len(dropped) > 0 {
			r.say("note: the metrics of %s hold values that are no numbers, which are left out: %s", r.URLs[i], strings.Join(dropped, ", "))
		}
		if err := r.journal.Scrape(&journal.Scrape{At: at, After: after, Target: i, Counters: sums, Dropped: dropped}); err != nil {
			return err
		}
	}
	return nil
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

// startScraper reads the server's metrics during the load, if asked to; nil
// otherwise. It is one small request at a time on a connection of its own.
func (r *Run) startScraper() *client.Sampler {
	if r.ScrapeEvery == 0 || r.before == nil {
		return nil
	}
	return client.StartSampler(r.ScrapeEvery, false, func() {
		ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
		defer cancel()
		for i, m := range r.scrape(ctx) {
			r.live.scraped(i, r.clock.Now(), m)
			if m != nil {
				_ = r.journal.Scrape(&journal.Scrape{At: r.clock.Now(), During: true, Target: i, Counters: drawn(m)}) // it always marshals
			}
		}
	})
}

// drawn are the metrics that a report draws, summed over labels; of a share, which
// can't be summed, the mean.
func drawn(m target.Metrics) map[string]float64 {
	lines := map[string]float64{}
	sums, _ := sumUp(m, func(line *target.Metric) bool {
		wanted := chartdata.Drawn(line.Name)
		if wanted && line.Sane() {
			lines[line.Name]++
		}
		return wanted
	})
	for name := range sums {
		if strings.Contains(name, "usage") {
			sums[name] /= lines[name]
		}
	}
	return sums
}
