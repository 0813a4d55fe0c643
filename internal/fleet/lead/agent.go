package lead

import (
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/clock"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/send/share"
)

// askTime bounds a question to an agent, or to NATS.
const askTime = 5 * time.Second

// member is what is kept of an agent for another leader.
type member struct {
	ID      string            `json:"id"`
	Name    string            `json:"name"`
	Version string            `json:"version"`
	Address string            `json:"address,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
	CPUs    int               `json:"cpus"`
	Weight  int               `json:"weight"`
	Nonce   string            `json:"nonce,omitempty"`     // for its start; it is good once
	Offset  *int64            `json:"offset_ns,omitempty"` // its clock minus the leader's, by which the start was given
}

// agent is one that takes part.
type agent struct {
	member
	index int
	key   []byte // public
	share share.Share

	mu      sync.Mutex
	clock   clock.Estimator
	trip    time.Duration   // the shortest way there and back
	status  *message.Status // the last one
	contact time.Time       // when it was heard of last
	asking  bool            // a question is on its way
	absent  bool            // nothing is listening by its id
	dead    bool            // for certain: see sure.go
	doubt   bool            // whether what is heard comes from a connection that it still has
	told    bool            // that it is silent
	stuck   bool            // that it can't hand on its journal was told

	settling bool      // what is missing of its journal is being got
	settleAt time.Time // not before
	before   *ended    // what a leader before knew of its end; nil: nothing
}

// title is what people call it.
func (a *agent) title() string {
	if a.Name == "" {
		return a.ID
	}
	return a.Name
}

// see takes in a status, unless a newer one is known.
func (a *agent) see(s *message.Status) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.contact.IsZero() && time.Since(a.contact) > goneWithin {
		a.doubt = true
	}
	a.contact, a.absent, a.dead = time.Now(), false, false
	if a.status != nil && s.Number <= a.status.Number {
		return
	}
	a.status = s
}

// view is an agent at one moment.
type view struct {
	status  message.Status // zero: none
	silent  time.Duration
	contact time.Time
	absent  bool
	dead    bool
}

func (a *agent) look() view {
	a.mu.Lock()
	defer a.mu.Unlock()
	v := view{contact: a.contact, absent: a.absent, dead: a.dead}
	if a.status != nil {
		v.status = *a.status
	}
	if !a.contact.IsZero() {
		v.silent = time.Since(a.contact)
	}
	return v
}

// over says that it sends no more, and has told so.
func (v *view) over() bool {
	return v.status.Phase == message.Ended || v.status.Phase == message.Failed
}

// begun says that it may have sent something.
func (v *view) begun() bool {
	switch v.status.Phase {
	case message.Running, message.Draining, message.Ended:
		return true
	}
	return v.status.Sent > 0
}

// each does something with all agents at a time, within bounds.
func (l *leader) each(do func(*agent)) {
	const atOnce = 256
	var all sync.WaitGroup
	room := make(chan struct{}, atOnce)
	for _, a := range l.agents {
		room <- struct{}{}
		all.Go(func() {
			defer func() { <-room }()
			do(a)
		})
	}
	all.Wait()
}
