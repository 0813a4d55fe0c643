package bench

import (
	"time"

	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/share"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// takeShare leaves of the run what this client sends. The Spec that is written down stays
// that of the whole, beside its share.
func (r *Run) takeShare() {
	r.asked = r.Spec
	if r.Share.Whole() {
		return
	}
	own := *r.Spec
	slots := own.Slots()
	fraction := float64(slots.Part(1_000_000)) / 1_000_000
	part := func(n *int) *int {
		if n == nil {
			return nil
		}
		some := max(own.Share.Part(*n), 1) // one without a slot has no request either
		return &some
	}
	own.MaxConcurrency, own.MaxConversations = part(own.MaxConcurrency), part(own.MaxConversations)
	own.SpawnRate *= fraction
	own.NumWarmups, own.IntegritySample, own.MaxRequests = own.Share.Part(own.NumWarmups), own.Share.Part(own.IntegritySample), own.Share.Part(own.MaxRequests)
	if own.Share.Index != 0 {
		own.ProbeRequestRate = 0
	}
	r.Spec = &own
	some := &shared{Dataset: r.dataset, inner: r.pace, owner: slots.Owner(), index: own.Share.Index}
	workload.Want(r.dataset, func(index int) bool { return some.owner.Of(index) == some.index })
	r.dataset, r.pace = some, (*sharedPace)(some)
}

// written is the Spec for the run's folder: what was left open is filled in, and what was
// divided is whole.
func (r *Run) written() []byte {
	s := *r.Spec
	a := r.asked
	s.MaxConcurrency, s.MaxConversations, s.SpawnRate = a.MaxConcurrency, a.MaxConversations, a.SpawnRate
	s.NumWarmups, s.IntegritySample, s.MaxRequests, s.ProbeRequestRate = a.NumWarmups, a.IntegritySample, a.MaxRequests, a.ProbeRequestRate
	return s.Encode()
}

// Unit is what a request is divided by: its index, or the number of its conversation, whose
// turns stay together.
func Unit(w *workload.Request) int {
	if w.Conversation > 0 {
		return w.Conversation - 1
	}
	return w.Index
}

// shared is a dataset of which one client's part is sent. As a pace it reads both until
// the next one of its own, and as a dataset it gives that one.
type shared struct {
	workload.Dataset
	inner pace.Pace
	owner *share.Owner
	index int
	ready *workload.Request
	err   error
}

// Next implements workload.Source.
func (s *shared) Next() (*workload.Request, error) { return s.ready, s.err }

// sharedPace is shared as a pace.
type sharedPace shared

// Next implements pace.Pace.
func (s *sharedPace) Next() (time.Duration, bool) {
	for {
		due, ok := s.inner.Next()
		if !ok {
			return 0, false
		}
		s.ready, s.err = s.Dataset.Next()
		if s.err != nil || s.owner.Of(Unit(s.ready)) == s.index {
			return due, true
		}
	}
}

// Unwrap shows what kind of pace it is.
func (s *sharedPace) Unwrap() pace.Pace { return s.inner }
