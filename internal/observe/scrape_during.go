package observe

import (
	"context"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/scrape"
)

// Start reads the servers' metrics and logs while they are loaded: of each one question at a time,
// on a connection of its own.
func (c *Scrape) Start() error {
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	for _, m := range c.meters {
		if c.ScrapeEvery > 0 && !m.absent {
			c.reading.Go(func() { c.watchMetrics(ctx, m) })
		}
		if m.log != nil {
			c.reading.Go(func() { c.followLog(ctx, m) })
		}
	}
	return c.write(c.before, -int64(clock.Since(c.beforeAt)), false)
}

// Stop ends that, in the middle of an answer if need be.
func (c *Scrape) Stop(context.Context, *journal.End) error {
	if c.cancel != nil {
		c.cancel()
		c.reading.Wait()
	}
	return nil
}

// watchMetrics reads one server's metrics again and again.
func (c *Scrape) watchMetrics(ctx context.Context, m *metered) {
	patience := scrape.NewPatience(c.ScrapeEvery)
	tick := time.NewTicker(patience.Every())
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		begin := clock.Now()
		t, err := m.read(ctx)
		if ctx.Err() != nil {
			return
		}
		bytes := 0
		if err == nil {
			c.writeDuring(m, t)
			bytes = t.bytes()
		}
		took := clock.Since(begin)
		if patience.After(took, bytes, err != nil) {
			tick.Reset(patience.Every())
			c.sayLess(m, patience.Every(), took, bytes, err)
		}
	}
}

func (c *Scrape) writeDuring(m *metered, t *taken) {
	at := c.Run.Clock.Now()
	values := c.overTime(t.metrics)
	m.now.set(at, values)
	c.keepTexts(t, at)
	_ = c.Run.Journal.Scrape(&journal.Scrape{At: at, During: true, Target: m.target, Counters: values}) // it always marshals
}

// sayLess tells that a server is asked less often. It is no more than a note: the load goes on.
func (c *Scrape) sayLess(m *metered, every, took time.Duration, bytes int, err error) {
	if err != nil {
		c.Run.Say("note: the metrics can't be read (%s): they are asked for each %v from now on", c.values.Secrets.Sentence(err.Error()), every)
		return
	}
	c.Run.Say("note: the metrics of %s take %v and %d KB: they are read each %v from now on, so that the load is not disturbed",
		m.sources[0].URL, took.Round(time.Millisecond), bytes/1000, every)
}
