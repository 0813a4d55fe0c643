package observe

import (
	"context"
	"time"

	"github.com/inferometer/inferometer/internal/foreign/serverlog"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/scrape"
	"github.com/inferometer/inferometer/internal/usage"
)

// logEvery is how often a log is looked at: so late may the time of a line be.
const logEvery = 250 * time.Millisecond

// openLogs opens the logs at their end. It comes before the load, so that a name that is wrong
// is known before anything is sent.
func (c *Scrape) openLogs() error {
	for i, path := range c.ServerLogs {
		log, err := scrape.Follow(path)
		if err != nil {
			return usage.Errorf("server-log", "can't be read: %v", err)
		}
		if !c.meters[i].absent && c.before[i] != nil {
			_ = log.Close() // it was only read
			c.Run.Say("note: %s has metrics, which say more than its log: --server-log %s is not read", c.meters[i].sources[0].URL, path)
			continue
		}
		c.meters[i].absent = true // one source of a server's state, or its course would jump between them
		c.meters[i].log = log
	}
	return nil
}

// followLog reads the log of a server without metrics while it is loaded, and once more at
// the end.
func (c *Scrape) followLog(ctx context.Context, m *metered) {
	state := serverlog.NewState()
	tick := time.NewTicker(logEvery)
	defer tick.Stop()
	for last := false; ; {
		told := false
		at := c.Run.Clock.Now()
		err := m.log.Read(func(line string) {
			if state.Line(line, float64(at)/1e9) {
				told = true
			}
		})
		if told {
			values := state.Values()
			m.now.set(at, values)
			_ = c.Run.Journal.Scrape(&journal.Scrape{At: at, During: true, Target: m.target, Counters: values}) // it always marshals
		}
		if err != nil && !m.silent {
			m.silent = true
			c.Run.Say("note: the server's log can't be read any more: %v", err)
		}
		if last {
			return
		}
		select {
		case <-ctx.Done():
			last = true
		case <-tick.C:
		}
	}
}
