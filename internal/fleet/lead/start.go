package lead

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/message"
)

// startAhead is how far in the future the start lies, beside the ways of the messages.
const startAhead = 500 * time.Millisecond

// perAgent is what each message takes, on a leader that is busy.
const perAgent = 5 * time.Millisecond

// start has all agents begin at one instant. From the first message on requests may be
// sent: who has not got it by the instant does not take part, and the rest go on.
func (l *leader) start(ctx context.Context) error {
	worst := time.Duration(0)
	for i, a := range l.agents {
		offset, _, err := a.offset(time.Now())
		if err != nil {
			return fmt.Errorf("%w, and nothing was sent", err)
		}
		l.kept.Agents[i].Offset = &offset
		worst = max(worst, a.trip)
	}
	// Many messages go one after the other.
	ahead := startAhead + 2*worst + time.Duration(len(l.agents))*perAgent
	l.began = time.Now().Add(ahead)
	l.kept.Start = l.began.UnixNano()
	if err := l.keep(ctx, starting); err != nil {
		return err
	}
	if time.Until(l.began) < ahead/2 { // NATS took long to keep it
		l.began = time.Now().Add(ahead)
		l.kept.Start = l.began.UnixNano()
	}
	if failed := l.startAll(ctx); failed != nil {
		return failed
	}
	if ctx.Err() != nil && time.Until(l.began) > startAhead/4 {
		return context.Cause(ctx) // there is time to call all back
	}
	if err := l.keep(context.WithoutCancel(ctx), running); err != nil { // starting says enough
		l.host.Warn("note: NATS does not keep how far the run is: %v", err)
	}
	return nil
}

// startAll asks all agents. It is an error if none of them can have begun.
func (l *leader) startAll(ctx context.Context) error {
	var mu sync.Mutex
	maybe, failed := 0, error(nil)
	l.each(func(a *agent) {
		err := l.startOne(context.WithoutCancel(ctx), a) // half asked is not unasked
		mu.Lock()
		defer mu.Unlock()
		if err == nil || !errors.Is(err, errNotBegun) {
			maybe++
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", a.title(), err))
		}
	})
	switch {
	case maybe == 0:
		return fmt.Errorf("no agent begins, and nothing was sent: %w", failed)
	case failed != nil:
		l.host.Warn("warning: not all agents begin; what they do not send is in the result as unsent: %v", failed)
	}
	return nil
}

// errNotBegun is the error of an agent that certainly has not begun.
var errNotBegun = errors.New("it does not begin")

func (l *leader) startOne(ctx context.Context, a *agent) error {
	offset, _, err := a.offset(l.began)
	if err != nil {
		return err
	}
	if known := l.kept.Agents[a.index].Offset; known != nil {
		offset = *known // as it is kept
	}
	ctx, cancel := context.WithDeadline(ctx, l.began.Add(askTime))
	defer cancel()
	answer, err := l.bus.Ask(ctx, a.ID, &message.Ask{Kind: message.Start, Run: l.kept.Run, Nonce: a.Nonce, At: l.began.UnixNano() + offset})
	switch {
	case errors.Is(err, bus.ErrGone):
		return fmt.Errorf("%w: %w", errNotBegun, err)
	case err != nil:
		return err // it may have heard
	case answer.Error != "":
		return fmt.Errorf("%w: %s", errNotBegun, answer.Error)
	}
	return nil
}
