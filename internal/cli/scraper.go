package cli

import (
	"context"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/timeline"
	"github.com/inferometer/inferometer/internal/send/target"
)

// leastScrape is how often a server may be asked: more would be a load of its own.
const leastScrape = 100 * time.Millisecond

// startScraper reads the server's metrics during the load, if asked to; nil
// otherwise. It is one small request at a time on a connection of its own.
func (r *serveRun) startScraper() *sampler {
	if r.ScrapeEvery == 0 || r.before == nil {
		return nil
	}
	return startSampler(r.ScrapeEvery, func() {
		ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
		defer cancel()
		for i, m := range r.scrape(ctx) {
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
		wanted := timeline.Drawn(line.Name)
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
