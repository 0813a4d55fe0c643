package load

import (
	"context"
	"fmt"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// beside sends a request that is not the pace's, under an id of its own; then gets its record. A warm-up or a probe has
// a number, by which they go to one server after the other; the number of others is -1.
func (r *run) beside(w *workload.Request, id string, number int, then func(*journal.Request)) error {
	j, err := r.maker.job(w)
	if err != nil {
		return err
	}
	j.id, j.due, j.warmup = r.cfg.IDPrefix+id, r.cfg.Clock.Now(), number >= 0
	if n := len(r.cfg.Targets); n > 0 && j.warmup {
		j.target = number % n
	}
	r.start(j, then)
	return nil
}

// warmUp sends the warm-up requests all at once, bounded by the concurrency, and
// keeps their records until the journal has its first line.
func (r *run) warmUp() ([]journal.Request, error) {
	records := make([]journal.Request, len(r.cfg.Warmups))
	for i, w := range r.cfg.Warmups {
		if !r.acquire() {
			break
		}
		if err := r.beside(w, fmt.Sprintf("warmup-%d", i), i, func(record *journal.Request) { records[i] = record.Clone() }); err != nil {
			return nil, err
		}
	}
	r.flight.wait.Wait()
	if err := r.stopped(); err != nil && len(records) > 0 {
		return nil, fmt.Errorf("stopped during the warm-up: %w", err)
	}
	return records, nil
}

// Try sends one request by itself and returns its record: the ready check.
func Try(ctx context.Context, cfg Config, w *workload.Request) (out journal.Request, err error) {
	r := newRun(ctx, nil, cfg)
	defer r.cancel(nil)
	r.acquire()
	err = r.beside(w, "ready", -1, func(record *journal.Request) { out = record.Clone() })
	r.flight.wait.Wait()
	return out, err
}

// Sample sends requests again, one at a time with nothing else in flight, and writes
// them to the journal as samples: their texts are compared with those under load. It
// ends early when drain is closed or ctx ends.
func Sample(ctx context.Context, drain <-chan struct{}, cfg Config, again []*workload.Request) error {
	r := newRun(ctx, drain, cfg)
	defer r.cancel(nil)
	for _, w := range again {
		if !r.acquire() {
			return nil
		}
		err := r.beside(w, fmt.Sprintf("sample-%d", w.Index), -1, func(record *journal.Request) {
			record.Warmup, record.Sample = true, true
			cfg.Journal.Append(journal.AppendRequest(nil, record))
		})
		if err != nil {
			return err
		}
		r.flight.wait.Wait()
	}
	return nil
}

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
	cfg.Concurrency, cfg.SpawnRate, cfg.Batch = 0, 0, 0
	cfg.Pace, cfg.Balance, cfg.Progress, cfg.Meter, cfg.Watch, cfg.Reached, cfg.Conversations = nil, nil, nil, nil, nil, nil, nil
	r := newRun(ctx, drain, cfg)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer r.cancel(nil)
		for i := 0; r.unpaused() && r.sending.Err() == nil && r.probe(i) == nil; i++ { // what can't be made: nor could the load's
			select {
			case <-time.After(cfg.Probe.Pause):
			case <-r.sending.Done():
			}
		}
	}()
	return func() {
		r.stopSending(errHalted)
		<-done
	}
}

// probe sends one and waits for its end.
func (r *run) probe(i int) error {
	w := r.cfg.Probe.Request
	w.Index = i
	defer r.flight.wait.Wait()
	return r.beside(&w, fmt.Sprintf("probe-%d", i), i, func(record *journal.Request) {
		record.Warmup, record.Probe = true, true
		r.cfg.Journal.Append(journal.AppendRequest(nil, record))
	})
}
