package cli

import (
	"context"
	"maps"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/target"
)

const (
	scrapeTimeout = 5 * time.Second // few servers have counters, and none should keep us waiting
	settleEvery   = 100 * time.Millisecond
	settleTries   = 20
)

// scrape reads the server's counters; nil where it has none.
func (r *serveRun) scrape(ctx context.Context) target.Metrics {
	ctx, cancel := context.WithTimeout(ctx, scrapeTimeout)
	defer cancel()
	m, err := r.target.Metrics(ctx)
	if err != nil {
		return nil
	}
	return m
}

// settled reads the counters after the load. A server counts a request a moment
// after its last byte: so it is asked again until two answers are the same.
func (r *serveRun) settled(ctx context.Context) target.Metrics {
	m := r.scrape(ctx)
	for range settleTries {
		if m == nil {
			return nil
		}
		time.Sleep(settleEvery)
		again := r.scrape(ctx)
		if maps.Equal(served(m), served(again)) {
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

// counters are the sums that the journal keeps of a scrape.
func counters(m target.Metrics) map[string]float64 {
	out := map[string]float64{}
	for i := range m {
		if m[i].Counts() {
			out[m[i].Name] += m[i].Value
		}
	}
	return out
}

func (r *serveRun) writeScrape(m target.Metrics, at int64, after bool) error {
	if m == nil {
		return nil
	}
	return r.journal.Scrape(&journal.Scrape{At: at, After: after, Counters: counters(m)})
}

// specDecode is what speculative decoding did between two scrapes; nil where there is none.
func specDecode(before, after target.Metrics) *journal.SpecDecode {
	a, ok := after.SpecDecode()
	b, hadOne := before.SpecDecode()
	if !ok || !hadOne {
		return nil
	}
	d := a.Since(b)
	return &journal.SpecDecode{Drafts: d.Drafts, DraftTokens: d.DraftTokens, Accepted: d.Accepted, PerPosition: d.PerPosition}
}
