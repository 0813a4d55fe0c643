package bench

import (
	"context"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/scrape"
)

// scraper reads the servers' metrics while they are loaded: of each one question at a time,
// on a connection of its own.
type scraper struct {
	cancel context.CancelFunc
	all    sync.WaitGroup
}

// startScraper is nil where nothing is to be read.
func (r *Run) startScraper() *scraper {
	ctx, cancel := context.WithCancel(context.Background())
	s := &scraper{cancel: cancel}
	if r.ScrapeEvery > 0 {
		for _, m := range r.meters {
			if !m.absent {
				s.all.Go(func() { r.watchMetrics(ctx, m) })
			}
		}
	}
	r.followLogs(ctx, s)
	return s
}

// Stop ends it, in the middle of an answer if need be. A nil scraper has nothing to end.
func (s *scraper) Stop() {
	if s != nil {
		s.cancel()
		s.all.Wait()
	}
}

// watchMetrics reads one server's metrics again and again.
func (r *Run) watchMetrics(ctx context.Context, m *metered) {
	patience := scrape.NewPatience(r.ScrapeEvery)
	tick := time.NewTicker(patience.Every())
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		begin := time.Now()
		t, err := m.read(ctx)
		if ctx.Err() != nil {
			return
		}
		bytes := 0
		if err == nil {
			r.writeDuring(m, t)
			bytes = t.bytes()
		}
		took := time.Since(begin)
		if patience.After(took, bytes, err != nil) {
			tick.Reset(patience.Every())
			r.sayLess(m, patience.Every(), took, bytes, err)
		}
	}
}

func (r *Run) writeDuring(m *metered, t *taken) {
	at := r.clock.Now()
	values := r.overTime(t.metrics)
	m.now.set(at, values)
	r.keepTexts(t, at)
	_ = r.journal.Scrape(&journal.Scrape{At: at, During: true, Target: m.target, Counters: values}) // it always marshals
}

// sayLess tells that a server is asked less often. It is no more than a note: the load goes on.
func (r *Run) sayLess(m *metered, every, took time.Duration, bytes int, err error) {
	if err != nil {
		r.say("note: the metrics can't be read (%s): they are asked for each %v from now on", r.wire.Secrets.Sentence(err.Error()), every)
		return
	}
	r.say("note: the metrics of %s take %v and %d KB: they are read each %v from now on, so that the load is not disturbed",
		m.sources[0].URL, took.Round(time.Millisecond), bytes/1000, every)
}
