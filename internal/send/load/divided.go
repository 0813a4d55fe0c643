package load

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"time"

	"github.com/inferometer/inferometer/internal/send/workload"
)

// Divided makes the requests of a run that several clients send, and sends nothing: visit
// sees each, with the client that owner names. The hashes are those of runs: of one client
// that sends all, and of each of several. Of a run without a number of requests it must
// not be asked.
func Divided(ctx context.Context, cfg Config, clients int, owner func(*workload.Request) int, visit func(p *Planned, client int)) (whole string, parts []string, err error) {
	m := newMaker(&cfg)
	all, of := sha256.New(), make([]hash.Hash, clients)
	for i := range of {
		of[i] = sha256.New()
	}
	err = m.planAll(func(w *workload.Request, due time.Duration, planned []*Planned) (more bool) {
		client, s := owner(w), m.listed(w, due, planned)
		s.sum(all)
		s.sum(of[client])
		for _, p := range planned {
			visit(p, client)
		}
		return ctx.Err() == nil
	})
	if err == nil && ctx.Err() != nil {
		err = fmt.Errorf("the workload: %w", ctx.Err())
	}
	if err != nil {
		return "", nil, err
	}
	for _, h := range of {
		parts = append(parts, hex.EncodeToString(h.Sum(nil)))
	}
	return hex.EncodeToString(all.Sum(nil)), parts, nil
}

// listed is what a run's hash holds of a request, or of a conversation as a whole.
func (m *maker) listed(w *workload.Request, due time.Duration, planned []*Planned) *sentBody {
	if m.closed {
		due = 0
	}
	if w.Talk != nil {
		return &sentBody{planned[0].Request.Index, int64(due), [][]byte{w.Talk.AppendPlan(nil)}}
	}
	return &sentBody{w.Index, int64(due), planned[0].summed}
}
