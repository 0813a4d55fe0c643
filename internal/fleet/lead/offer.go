package lead

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/fleet/seal"
	"github.com/inferometer/inferometer/internal/outside"
)

// putFiles stores what agents need, unless NATS has it.
func (l *leader) putFiles(ctx context.Context) error {
	for _, f := range l.plan.Files {
		put, err := l.bus.PutFile(ctx, f.Path, string(f.For))
		if err != nil {
			return fmt.Errorf("give agents the %s %s: %w", f.For, outside.Word(f.Name), err)
		}
		put.Name = f.Name
		l.kept.Files = append(l.kept.Files, put)
	}
	return nil
}

// offer gives each agent its share, all at a time.
func (l *leader) offer(ctx context.Context) error {
	secrets, err := l.plan.Spec.Secrets(&l.host.Environment)
	if err != nil {
		return err
	}
	if err := l.putFiles(ctx); err != nil {
		return err
	}
	l.kept.Spec = l.plan.Spec.Encode()
	if err := l.keep(ctx, offering); err != nil {
		return err
	}
	var mu sync.Mutex
	var failed error
	l.each(func(a *agent) {
		if err := l.offerTo(ctx, a, secrets); err != nil {
			mu.Lock()
			defer mu.Unlock()
			if failed == nil {
				failed = fmt.Errorf("the agent %s does not take part, and nothing was sent: %w", a.title(), err)
			}
		}
	})
	if failed != nil {
		return failed
	}
	return l.keep(ctx, ready)
}

func (l *leader) offerTo(ctx context.Context, a *agent, secrets map[string]string) error {
	ask := &message.Ask{
		Kind: message.Offer, Run: l.kept.Run, Spec: l.plan.Spec.ForAgent(a.share).Encode(), Files: l.kept.Files,
		Version: l.host.Version, Lease: int64(l.kept.Lease),
	}
	if len(secrets) > 0 {
		var err error
		if ask.Sealed, err = seal.Seal(a.key, l.kept.Run, a.ID, secrets); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	answer, err := l.bus.Ask(ctx, a.ID, ask)
	switch {
	case errors.Is(err, bus.ErrGone):
		return errors.New("it is gone")
	case err != nil:
		return err
	case answer.Error != "":
		return errors.New(answer.Error)
	}
	a.Nonce = answer.Nonce
	a.mu.Lock()
	a.contact = time.Now()
	a.mu.Unlock()
	if answer.Status != nil && answer.Status.Run == l.kept.Run {
		a.see(answer.Status)
	}
	return nil
}

// silentAfter is how long an agent may say nothing before it is asked: it tells of itself
// once a second.
const silentAfter = 3 * time.Second

// awaitReady waits until all agents are ready. However long they take, they tell of
// themselves; one that does not, or that fails, ends the run before it begins.
func (l *leader) awaitReady(ctx context.Context) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		left := 0
		for _, a := range l.agents {
			v := a.look()
			switch {
			case v.status.Phase == message.Failed:
				return fmt.Errorf("the agent %s could not get ready, and nothing was sent: %s", a.title(), v.status.Error)
			case v.status.Phase == message.Ready:
				continue
			case v.silent > l.kept.Lease:
				return fmt.Errorf("the agent %s has said nothing for %s, and nothing was sent", a.title(), v.silent.Round(time.Second))
			case v.silent > silentAfter:
				l.ask(ctx, a)
			}
			left++
		}
		if left == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case err := <-l.hold.lost:
			return err
		case <-tick.C:
		}
	}
}

// ask asks an agent how far it is, unless a question is on its way.
func (l *leader) ask(ctx context.Context, a *agent) {
	a.mu.Lock()
	busy := a.asking
	a.asking = true
	a.mu.Unlock()
	if busy {
		return
	}
	go func() {
		l.askNow(ctx, a)
		a.mu.Lock()
		a.asking = false
		a.mu.Unlock()
	}()
}

// askNow asks an agent how far it is. Of one that is not there NATS may know more.
func (l *leader) askNow(ctx context.Context, a *agent) {
	one, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	answer, err := l.bus.Ask(one, a.ID, &message.Ask{Kind: message.State, Run: l.kept.Run})
	if err == nil && answer.Status != nil && answer.Status.Run == l.kept.Run && answer.Status.Agent == a.ID {
		a.see(answer.Status)
		a.answered()
		return
	}
	if errors.Is(err, bus.ErrGone) {
		a.sawGone(l.bus.Since())
	}
	absent := errors.Is(err, bus.ErrGone) || err == nil
	a.mu.Lock()
	a.absent = absent
	a.mu.Unlock()
	if absent {
		l.recall(ctx, a)
	}
}
