package lead

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/bus"
)

// holdEvery is how often a leader tells that it lives.
const holdEvery = 2 * time.Second

// holdLost is how often it may fail to, before it may be replaced.
const holdLost = 4

// holder is where leaders write down that they live: the bus.
type holder interface {
	Hold(ctx context.Context, run, leader string, since uint64) (revision uint64, err error)
	Holder(ctx context.Context, run string) (leader string, revision uint64, err error)
	SameStores(ctx context.Context) bool
}

// hold says in NATS that this leader lives, so that no other takes its run.
type hold struct {
	bus      holder
	run, id  string
	revision uint64
	looking  atomic.Bool // whether NATS has lost what was written is being found out
	emptied  atomic.Bool // it has
	lost     chan error  // another leader has the run
	quit     context.CancelFunc
	done     chan struct{}
}

// takeHold begins to hold a run that nobody holds.
func takeHold(ctx context.Context, b holder, run, id string) (*hold, error) {
	h := &hold{bus: b, run: run, id: id, lost: make(chan error, 1), done: make(chan struct{})}
	_, since, err := b.Holder(ctx, run)
	if err != nil {
		return nil, err
	}
	if since > 0 {
		if since, err = h.awaitSilence(ctx, since); err != nil {
			return nil, err
		}
	}
	if h.revision, err = b.Hold(ctx, run, id, since); err != nil {
		return nil, fmt.Errorf("the run %s can't be led: %w", run, err)
	}
	ctx, h.quit = context.WithCancel(context.WithoutCancel(ctx))
	go h.keep(ctx)
	return h, nil
}

// awaitSilence waits long enough to see that the leader before does not tell of itself.
// The clocks of two leaders are not compared.
func (h *hold) awaitSilence(ctx context.Context, since uint64) (uint64, error) {
	tick := time.NewTicker(holdEvery / 2)
	defer tick.Stop()
	for deadline := time.Now().Add(holdLost * holdEvery); time.Now().Before(deadline); {
		select {
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		case <-tick.C:
		}
		leader, now, err := h.bus.Holder(ctx, h.run)
		if err != nil {
			return 0, err
		}
		if now != since {
			if now == 0 {
				return 0, nil
			}
			return 0, fmt.Errorf("the run %s has a leader that lives (%s): two can't lead it", h.run, leader)
		}
	}
	return since, nil
}

func (h *hold) keep(ctx context.Context) {
	defer close(h.done)
	tick := time.NewTicker(holdEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !h.renew(ctx) {
			h.lost <- fmt.Errorf("another leader has taken over the run %s: this one leaves it alone", h.run)
			return
		}
	}
}

// renew is false where another leader has written. While NATS is away nobody can.
func (h *hold) renew(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	if h.emptied.Swap(false) {
		h.revision = 0
	}
	revision, err := h.bus.Hold(ctx, h.run, h.id, h.revision)
	if err == nil {
		h.revision = revision
		return true
	}
	if !errors.Is(err, bus.ErrHeld) {
		return true // NATS does not answer
	}
	// It may be our own word, whose answer was lost.
	leader, revision, err := h.bus.Holder(ctx, h.run)
	if err != nil {
		return true
	}
	h.revision = revision
	if leader == "" && (h.looking.Load() || h.emptied.Load() || !h.bus.SameStores(ctx)) {
		return true // NATS has lost it: the watch looks after that
	}
	return leader == h.id
}

// again says that NATS has lost what was written: it is written anew, unless another leader
// was quicker.
func (h *hold) again() { h.emptied.Store(true) }

func (h *hold) stop() {
	h.quit()
	<-h.done
}
