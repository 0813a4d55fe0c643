// Package lead runs a Spec by agents on other machines, in place of bench.Execute: it picks
// agents, gives each its share, starts all at one instant, watches, and makes one journal
// of theirs.
//
//	pick ─▶ offer ─▶ ready ─▶ start ─▶ watch and collect ─▶ merge
//
// What it knows stands in NATS too, so that another leader can take over; see takeover.go.
package lead

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/spec"
)

// leader leads one run.
type leader struct {
	id    string // of this process
	place string // of NATS, as the user would write it
	bus   courier
	host  *bench.Host
	plan  *prepare.Plan
	kept  state
	hold  *hold

	agents []*agent
	list   list
	folder folder
	pieces *collector
	began  time.Time // the instant of the start

	preparing  sync.Mutex
	back       chan struct{}  // NATS may have come back without its stores
	background sync.WaitGroup // of what watch does beside
}

// Execute runs a Spec that is resolved and valid by the agents of its fleet. drain and the
// end of ctx mean what they mean to bench.Execute.
func Execute(ctx context.Context, drain <-chan struct{}, s *spec.Spec, h *bench.Host) (*Done, error) {
	place, err := bus.ReadPlace(s.NATS)
	if err != nil {
		return nil, err
	}
	if err := s.TryResultDir(); err != nil {
		return nil, err
	}
	l, err := open(ctx, place, h)
	if err != nil {
		return nil, err
	}
	return l.execute(ctx, drain, s)
}

// execute leads a run from its Spec, or from where another leader left it, to its end.
func (l *leader) execute(ctx context.Context, drain <-chan struct{}, s *spec.Spec) (*Done, error) {
	defer l.Close()
	if run := unfinished(s.RunDir); run != "" {
		l.host.Say("%s holds the run %s, which has no result yet: this leader takes it over, as it was begun", s.RunDir, run)
		return l.takeOver(ctx, drain, run, s.RunDir)
	}
	l.kept = state{Run: newID("run-"), Version: l.host.Version, Lease: s.LeaseTime(), Wait: s.Patience()}
	if err := l.prepare(ctx, drain, s); err != nil {
		return nil, err
	}
	return l.runToEnd(ctx, drain)
}

func open(ctx context.Context, place bus.Place, h *bench.Host) (*leader, error) {
	l := newLeader(place, h)
	b, err := bus.Open(ctx, place, bus.Options{Name: l.id, Trouble: func(err error) {
		if err != nil {
			l.host.Warn("note: %v; the agents go on, for as long as their lease", err)
		} else {
			l.host.Say("the connection to NATS is back")
			l.lookAgain()
		}
	}})
	l.bus = b
	return l, err
}

// newLeader is one without a bus.
func newLeader(place bus.Place, h *bench.Host) *leader {
	return &leader{id: newID("leader-"), host: quietHost(h), place: place.Written(), back: make(chan struct{}, 1)}
}

// quietHost has functions where the host has none.
func quietHost(h *bench.Host) *bench.Host {
	own := *h
	silence := func(string, ...any) {}
	if own.Say == nil {
		own.Say = silence
	}
	if own.Warn == nil {
		own.Warn = silence
	}
	return &own
}

func (l *leader) Close() {
	if l.pieces != nil {
		l.pieces.stop()
	}
	if l.hold != nil {
		l.hold.stop()
	}
	if l.plan != nil {
		l.plan.Close()
	}
	if l.folder.done != nil { // nobody has the run
		l.folder.done()
	}
	l.bus.Close()
}

func newID(prefix string) string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return prefix + hex.EncodeToString(b[:])
}

// prepare does all that comes before the start. Nothing has been sent, so that the first
// Ctrl-C ends it, and whatever goes wrong gives up.
func (l *leader) prepare(ctx context.Context, drain <-chan struct{}, s *spec.Spec) (err error) {
	ctx, stop := load.UntilDrain(ctx, drain, prepare.ErrStopped)
	defer stop()
	defer func() {
		if err == nil {
			return
		}
		l.giveUp()
		if errors.Is(context.Cause(ctx), prepare.ErrStopped) {
			err = prepare.ErrStopped
		}
	}()
	if err := l.bus.Prepare(ctx); err != nil {
		return err
	}
	if l.plan, err = prepare.NewPlan(ctx, s, &l.host.Host); err != nil {
		return err
	}
	if err := l.pick(ctx); err != nil {
		return err
	}
	if err := l.makeFolder(s.RunDir); err != nil {
		return err
	}
	return l.getReady(ctx)
}

// getReady takes a run from its agents to their being ready.
func (l *leader) getReady(ctx context.Context) error {
	var err error
	if l.hold, err = takeHold(ctx, l.bus, l.kept.Run, l.id); err != nil {
		return err
	}
	listed := l.makeList(ctx)
	if err := l.watchStatuses(); err != nil {
		return err
	}
	if err := l.offer(ctx); err != nil {
		return err
	}
	if err := l.awaitReady(ctx); err != nil {
		return err
	}
	return <-listed
}

// runToEnd starts agents that are ready, and leads the run to its result.
func (l *leader) runToEnd(ctx context.Context, drain <-chan struct{}) (*Done, error) {
	before, stop := load.UntilDrain(ctx, drain, prepare.ErrStopped)
	err := l.measureClocks(before, clockRounds)
	if err == nil {
		err = l.start(before)
	}
	stop()
	if err != nil {
		l.giveUp()
		if before.Err() != nil && ctx.Err() == nil {
			err = prepare.ErrStopped
		}
		return nil, err
	}
	return l.follow(ctx, drain)
}

// follow watches a run that has begun, and ends it.
func (l *leader) follow(ctx context.Context, drain <-chan struct{}) (*Done, error) {
	if err := l.collect(context.WithoutCancel(ctx)); err != nil {
		return nil, fmt.Errorf("%w; the agents go on, and inferometer fleet attach %s takes the run over", err, l.kept.Run)
	}
	if err := l.watch(ctx, drain); err != nil {
		return nil, err
	}
	return l.finish(context.WithoutCancel(ctx))
}

// giveUp frees the agents of a run that does not begin, and removes what is kept of it.
func (l *leader) giveUp() {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	if len(l.agents) > 0 {
		l.each(func(a *agent) {
			for _, kind := range []message.Kind{message.Cancel, message.Forget} {
				_, _ = l.bus.Ask(ctx, a.ID, &message.Ask{Kind: kind, Run: l.kept.Run}) // one that is gone is free
			}
		})
		if any, err := l.bus.HasJournals(ctx, l.kept.Run); err == nil && !any {
			_ = l.bus.Drop(ctx, l.kept.Run) // NATS forgets it by itself after some days
		}
	}
	l.folder.remove()
}
