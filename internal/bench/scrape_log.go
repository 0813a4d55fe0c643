package bench

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
func (r *Run) openLogs() error {
	for i, path := range r.ServerLogs {
		log, err := scrape.Follow(path)
		if err != nil {
			return usage.Errorf("server-log", "can't be read: %v", err)
		}
		if !r.meters[i].absent && r.before[i] != nil {
			_ = log.Close() // it was only read
			r.say("note: %s has metrics, which say more than its log: --server-log %s is not read", r.meters[i].sources[0].URL, path)
			continue
		}
		r.meters[i].absent = true // one source of a server's state, or its course would jump between them
		r.meters[i].log = log
	}
	return nil
}

// followLogs reads the logs of servers without metrics while they are loaded, and once more at
// the end.
func (r *Run) followLogs(ctx context.Context, s *scraper) {
	for _, m := range r.meters {
		if m.log != nil {
			s.all.Go(func() { r.followLog(ctx, m) })
		}
	}
}

func (r *Run) followLog(ctx context.Context, m *metered) {
	state := serverlog.NewState()
	tick := time.NewTicker(logEvery)
	defer tick.Stop()
	for last := false; ; {
		told := false
		at := r.clock.Now()
		err := m.log.Read(func(line string) {
			if state.Line(line, float64(at)/1e9) {
				told = true
			}
		})
		if told {
			values := state.Values()
			m.now.set(at, values)
			_ = r.journal.Scrape(&journal.Scrape{At: at, During: true, Target: m.target, Counters: values}) // it always marshals
		}
		if err != nil && !m.silent {
			m.silent = true
			r.say("note: the server's log can't be read any more: %v", err)
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
