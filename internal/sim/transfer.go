package sim

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/inferometer/inferometer/internal/sim/engine"
	"github.com/inferometer/inferometer/internal/sim/handoff"
)

// transfers is what a server with a role has beside the others: the prompts that it keeps, or how it gets them.
type transfers struct {
	role     string
	shelf    *handoff.Shelf
	link     *handoff.Link
	deferred atomic.Int64 // requests that wait for a prompt
	failed   atomic.Uint64
	times    *histogram
	bytes    *histogram // in nanoseconds, as if they were
}

// Bounds are vLLM's.
var (
	transferBounds = []float64{.005, .01, .025, .05, .075, .1, .2, .3, .5, .75, 1, 5}
	byteBounds     = []float64{1 << 11, 1 << 13, 1 << 15, 1 << 17, 1 << 19, 1 << 21, 1 << 23, 1 << 25, 1 << 27, 1 << 29, 1 << 31, 1 << 33}
)

func newTransfers(cfg *Config) *transfers {
	inNs := make([]float64, len(byteBounds))
	for i, b := range byteBounds {
		inNs[i] = b / 1e9
	}
	return &transfers{
		role: cfg.Role, shelf: handoff.NewShelf(), link: handoff.NewLink(cfg.KV, cfg.Dial),
		times: newHistogram(transferBounds), bytes: newHistogram(inNs),
	}
}

// fetched is what came of getting a prompt from another server.
type fetched struct {
	handoff.Transfer
	hand    *handoff.Params // nil: it did not come
	problem string
}

// fetch gets a prompt that another server has. Where it can't be had an error says that the request can't be served, and
// none that it is computed here.
func (s *Server) fetch(ctx context.Context, hand *handoff.Params) (fetched, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	t := s.transfers
	t.deferred.Add(1)
	got, err := t.link.Fetch(ctx, hand)
	t.deferred.Add(-1)
	if err == nil {
		t.times.observe(time.Duration(got.Ended - got.Begun))
		t.bytes.observe(time.Duration(got.Bytes))
		return fetched{Transfer: got, hand: hand}, nil
	}
	if ctx.Err() == nil { // else nobody waits for it any more
		t.failed.Add(1)
		if s.cfg.KV.Recompute {
			return fetched{problem: err.Error()}, nil
		}
	}
	return fetched{problem: err.Error()}, err
}

// enter notes what came in a request's record and job.
func (f *fetched) enter(rec *Record, j *engine.Job, base time.Time) {
	rec.TransferError = f.problem
	if f.hand == nil {
		return
	}
	rec.TransferredTokens, rec.TransferredBytes, rec.TransferBegun, rec.TransferEnded = f.Tokens, f.Bytes, f.Begun, f.Ended
	j.Due = f.Due - base.UnixNano()
	if j.Transferred = true; f.hand.Parallel {
		j.Given = 1
	}
}

// keepPrompt keeps the prompt of a request that has ended for the server that will ask for it.
func (s *Server) keepPrompt(rec *Record) {
	if rec.hand == nil || !rec.hand.Keep {
		return
	}
	if rec.hand.ID == "" {
		rec.hand.ID = rec.ID
	}
	s.transfers.shelf.Put(rec.hand.ID, rec.PromptTokens)
}

// tellPrompt adds to an answer where its prompt is kept, where the client asked for that.
func (s *Server) tellPrompt(r *http.Request, rec *Record, answer []byte) []byte {
	if rec.hand == nil || !rec.hand.Keep || rec.hand.Parallel {
		return answer
	}
	at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return answer
	}
	size := max(s.cfg.Batch.BlockSize, 1)
	return handoff.Tell(answer, s.cfg.Name, rec.hand.ID, at, (rec.PromptTokens+size-1)/size)
}

// show writes the metrics of a server with a role.
func (t *transfers) show(p *promText, e *engine.State) {
	switch t.role {
	case handoff.Prefill:
		p.counter("nixl_num_kv_expired_reqs", "Prompts that nobody came for.", t.shelf.Expired())
	case handoff.Decode:
		p.counter("external_prefix_cache_queries", "Prompt tokens looked for on other servers.", e.External)
		p.counter("external_prefix_cache_hits", "Prompt tokens that came from other servers.", e.External)
		p.histogram("nixl_xfer_time_seconds", "Time of a transfer.", t.times)
		counts := make([]uint64, len(t.bytes.counts))
		for i := range counts {
			counts[i] = t.bytes.counts[i].Load()
		}
		p.buckets("nixl_bytes_transferred", "Bytes of a transfer.", byteBounds, counts, float64(t.bytes.sum.Load()))
		p.counter("nixl_num_failed_transfers", "Transfers that failed.", t.failed.Load())
	}
}
