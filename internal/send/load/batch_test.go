package load

import (
	"sync/atomic"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/workload/batches"
	"github.com/inferometer/inferometer/internal/sim"
)

// A batch begins when the one before it has ended, and what only prepares the
// server is a warm-up in the journal and counted nowhere.
func TestBatchesFollowEachOther(t *testing.T) {
	virtual(t, func(t *testing.T) {
		const size, count = 4, 3
		s := startSim(t, func(*sim.Config) {})
		source := batches.NewBatches(batches.BatchOptions{Size: size, Count: count, Prompt: 6, Output: 3, Depth: 8, IDs: 500, Seed: 1})
		cfg, read := setup(t, s, "vllm", closed(), source)
		cfg.Concurrency, cfg.Batch, cfg.Progress = size, size, &Progress{}
		res, err := Run(t.Context(), nil, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if res.Sent != size*count || res.PeakInFlight != size {
			t.Errorf("%d sent, %d at most in flight; want %d and %d", res.Sent, res.PeakInFlight, size*count, size)
		}
		if p := cfg.Progress.Snapshot(); p.Completed != size*count || p.Sent != size*count {
			t.Errorf("progress shows %+v", p)
		}
		records, _ := read()
		type span struct{ sent, end int64 }
		spans := make([]span, 2*count)
		for _, r := range records {
			group := r.Index / size
			if r.Outcome != journal.Complete || r.Warmup != (group%2 == 0) {
				t.Errorf("request %d: %s, warm-up %v", r.Index, r.Outcome, r.Warmup)
			}
			if want := []int{8, 14}[group%2]; r.UsagePrompt != want {
				t.Errorf("request %d: the server counts %d prompt tokens, want %d", r.Index, r.UsagePrompt, want)
			}
			if p := &spans[group]; p.sent == 0 {
				*p = span{r.Sent, r.End}
			} else {
				*p = span{min(p.sent, r.Sent), max(p.end, r.End)}
			}
		}
		for i := 1; i < len(spans); i++ {
			if spans[i].sent < spans[i-1].end {
				t.Errorf("batch %d began %d ns before batch %d had ended", i, spans[i-1].end-spans[i].sent, i-1)
			}
		}
	})
}

// Asked to stop, it sends no further batch.
func TestBatchesStop(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := startSim(t, func(*sim.Config) {})
		cfg, read := setup(t, s, "vllm", closed(), batches.NewBatches(batches.BatchOptions{Size: 2, Count: 1000, Prompt: 4, Output: 2, IDs: 500}))
		drain := make(chan struct{})
		cfg.Concurrency, cfg.Batch = 2, 2
		var n atomic.Int32
		cfg.Reached = func(string, int) {
			if n.Add(1) == 5 {
				close(drain)
			}
		}
		res, err := Run(t.Context(), drain, cfg)
		if err != nil {
			t.Fatal(err)
		}
		records, _ := read()
		if res.Interrupted != "signal" || res.Sent > 6 || len(records) != res.Sent {
			t.Errorf("interrupted %q, %d sent, %d in the journal", res.Interrupted, res.Sent, len(records))
		}
	})
}
