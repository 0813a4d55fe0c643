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

// watchMetrics reads one server's metrics again and again. The first time is at once, so that warm-ups can be told from the load.
func (c *Scrape) watchMetrics(ctx context.Context, m *metered) {
	patience := scrape.NewPatience(c.every())
	if !c.waitTurn(ctx, m) {
		return
	}
	tick := time.NewTicker(patience.Every())
	defer tick.Stop()
	for first := true; ; first = false {
		if !first {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
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
		if err != nil && m.replica > 0 { // it may have been ended on purpose, and who comes back is to be seen at once
			c.sayGone(m, err)
			continue
		}
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
	if !c.many() { // what is kept whole of hundreds would cost more than the load
		c.keepTexts(t, at)
	}
	_ = c.Run.Journal.Scrape(&journal.Scrape{At: at, During: true, Target: m.target, Replica: m.replica, Counters: values}) // it always marshals
}

// manyReplicas are read in turns over the time between two scrapes.
const manyReplicas = 16

func (c *Scrape) many() bool { return len(c.replicas) > manyReplicas }

// every is the time between two scrapes of a server. All replicas together are read a hundred times a second at most, which
// costs some 7 % of a processor.
func (c *Scrape) every() time.Duration {
	const least = 10 * time.Millisecond
	return max(c.ScrapeEvery, time.Duration(len(c.replicas))*least)
}

// waitTurn spreads many replicas over the time between two scrapes, so that they are not all read at one moment. False: the run is over.
func (c *Scrape) waitTurn(ctx context.Context, m *metered) bool {
	if !c.many() || m.replica == 0 {
		return true
	}
	return clock.Pause(ctx, c.every()*time.Duration(m.replica-1)/time.Duration(len(c.replicas)))
}

// sayGone tells that a replica's metrics can't be read any more, once, and of a few replicas.
func (c *Scrape) sayGone(m *metered, err error) {
	const few = 3
	if m.silent {
		return
	}
	m.silent = true
	switch n := c.gone.Add(1); {
	case n <= few:
		c.Run.Say("note: the metrics of the replica %s can't be read: %s", c.replicas[m.replica-1].Name, c.values.Secrets.Sentence(err.Error()))
	case n == few+1:
		c.Run.Say("note: nor can those of other replicas")
	}
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
