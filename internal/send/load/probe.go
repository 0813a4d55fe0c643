package load

import (
	"context"
	"fmt"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// Probe is a small request that is sent again and again beside the load, outside of its slots, to see how the load
// holds up somebody who has nothing to do with it. As in vLLM's client there is one at a time, and after its end a pause.
type Probe struct {
	Request workload.Request
	Pause   time.Duration
}

// startProbe sends probes until stop is called, which waits for the one that is on its way. They have workers of their
// own, and the journal marks them: nothing of them is part of the load.
func startProbe(ctx context.Context, drain <-chan struct{}, cfg Config) (stop func()) {
	if cfg.Probe == nil {
		return func() {}
	}
	probe := cfg.Probe
	cfg.Concurrency, cfg.SpawnRate, cfg.Batch = 0, 0, 0
	cfg.Pace, cfg.Balance, cfg.Progress, cfg.Meter, cfg.Watch, cfg.Reached, cfg.Talks = nil, nil, nil, nil, nil, nil, nil
	r := newRun(ctx, drain, cfg)
	enough, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		defer r.cancel(nil)
		for i := 0; r.ctx.Err() == nil && r.unpaused() && r.probe(probe, i); i++ { // select may choose a pause that is over
			select {
			case <-time.After(probe.Pause):
			case <-enough:
				return
			case <-drain:
				return
			case <-r.ctx.Done():
				return
			}
		}
	}()
	return func() {
		close(enough)
		<-done
	}
}

// probe sends one and waits for its end. False: it can't be made.
func (r *run) probe(p *Probe, i int) bool {
	w := p.Request
	w.Index = i
	j, err := r.prepare(&w)
	if err != nil {
		return false // nor could the load's
	}
	j.warmup, j.due = true, r.cfg.Clock.Now()
	j.id = fmt.Sprintf("%sprobe-%d", r.cfg.IDPrefix, i)
	if n := len(r.cfg.Targets); n > 0 {
		j.target = i % n
	}
	r.start(j, func(record *journal.Request) {
		record.Warmup, record.Probe = true, true
		r.cfg.Journal.Append(journal.AppendRequest(nil, record))
	})
	r.inFlight.Wait()
	return true
}
