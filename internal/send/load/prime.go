package load

import (
	"fmt"
	"io"
	"sync"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// prime sends the primers as a run of their own, whose records are kept until the journal has its first line. A turn that
// fails is no reason to leave out those behind it, unless it is a root's: what is measured would then find another
// cache than the one that it was to find.
func (r *run) prime() ([]journal.Request, error) {
	if len(r.cfg.Primers) == 0 {
		return nil, nil
	}
	cfg, how := r.cfg, *r.cfg.Conversations
	how.MaxOpen, how.MaxRequests, how.Finished, how.Failed, how.EndOnOverflow, how.AbortRatio = 0, 0, nil, GoOn, false, 0
	cfg.Conversations, cfg.Source, cfg.Schedule = &how, &listed{list: cfg.Primers}, primeSchedule(cfg.Schedule)
	cfg.Observers, cfg.Progress = Observers{}, nil
	progress := r.cfg.Progress
	for _, w := range cfg.Primers {
		progress.primers.Add(int64(len(w.Talk.Turns)))
	}
	defer progress.primers.Store(0)
	defer progress.primed.Store(0)
	p := newRun(r.ctx, r.drain, cfg)
	defer p.cancel(nil)
	p.maker.priming = true
	var mu sync.Mutex
	var records []journal.Request
	var failed error
	p.keep = func(record *journal.Request) {
		mu.Lock()
		defer mu.Unlock()
		records = append(records, record.Clone())
		progress.primed.Add(1)
		if failed == nil && record.Branch == 0 && !reachedCache(record.Outcome) {
			failed = fmt.Errorf("the primer of conversation %d failed, so the server's cache is not the one that the run is to begin with: %s: %s", record.Conversation, record.Outcome, record.Error)
			p.cancel(failed)
		}
	}
	d := newDispatcher(p)
	err := d.dispatch()
	p.flight.wait.Wait()
	d.result()
	switch {
	case err != nil:
		return nil, err
	case r.stopped() != nil:
		return nil, fmt.Errorf("stopped during the warm-up: %w", r.stopped())
	}
	return records, failed
}

// primeSchedule sends all that is due at once, in as many slots as the load has.
func primeSchedule(s Schedule) Schedule {
	closed, err := pace.New(pace.Spec{Name: pace.Closed})
	if err != nil {
		panic(err) // it has no options
	}
	return Schedule{Pace: closed, GoTimers: s.GoTimers, Keep: s.Keep, Concurrency: s.Concurrency, Timeout: s.Timeout, Control: s.Control}
}

// reachedCache says whether a server has computed a prompt to its end: one token was asked for, and a text may be without one.
func reachedCache(o journal.Outcome) bool {
	switch o {
	case journal.Complete, journal.Short, journal.Long, journal.Empty:
		return true
	}
	return false
}

// listed is a source of given requests.
type listed struct{ list []*workload.Request }

func (l *listed) Next() (*workload.Request, error) {
	if len(l.list) == 0 {
		return nil, io.EOF
	}
	w := l.list[0]
	l.list = l.list[1:]
	return w, nil
}
