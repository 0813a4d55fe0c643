package load

import (
	"context"
	"fmt"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// Sample sends requests again, one at a time with nothing else in flight, and writes
// them to the journal as samples: their texts are compared with those under load. It
// ends early when drain is closed or ctx ends.
func Sample(ctx context.Context, drain <-chan struct{}, cfg Config, again []*workload.Request) error {
	r := newRun(ctx, drain, cfg)
	defer r.cancel(nil)
	for _, w := range again {
		j, err := r.prepare(w)
		if err != nil {
			return err
		}
		if !r.acquire() {
			return nil
		}
		j.due = cfg.Clock.Now()
		j.id = fmt.Sprintf("%ssample-%d", cfg.IDPrefix, w.Index)
		r.start(j, func(record *journal.Request) {
			record.Warmup, record.Sample = true, true
			cfg.Journal.Append(journal.AppendRequest(nil, record))
		})
		r.inFlight.Wait()
	}
	return nil
}
