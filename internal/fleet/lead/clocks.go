package lead

import (
	"context"
	"fmt"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/fleet/message"
)

const (
	clockRounds = 8               // before the start, and after the end
	clockEvery  = 5 * time.Second // during the run
)

// measureClocks asks all agents what time it is, some times. One that does not answer is
// left to the watch.
func (l *leader) measureClocks(ctx context.Context, rounds int) error {
	l.each(func(a *agent) {
		for range rounds {
			if !l.measureClock(ctx, a) {
				return
			}
		}
	})
	return context.Cause(ctx)
}

func (l *leader) measureClock(ctx context.Context, a *agent) bool {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	sent := clock.Now()
	answer, err := l.bus.Ask(ctx, a.ID, &message.Ask{Kind: message.Clock})
	back := clock.Now()
	if err != nil || answer.Error != "" {
		return false
	}
	trip := back.Sub(sent)
	a.answered()
	a.mu.Lock()
	defer a.mu.Unlock()
	// The end by the monotonic clock: the wall clock may be set meanwhile.
	a.clock.Add(sent.UnixNano(), answer.Received, answer.Answered, sent.UnixNano()+int64(trip))
	if a.trip == 0 || trip < a.trip {
		a.trip = trip
	}
	return true
}

// offset is the agent's clock minus the leader's at an instant, and how wrong that may be.
func (a *agent) offset(at time.Time) (offset, wrong int64, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	offset, wrong, ok := a.clock.At(at.UnixNano())
	if !ok {
		return 0, 0, fmt.Errorf("the agent %s does not tell the time", a.title())
	}
	return offset, wrong, nil
}

// followClocks measures during the run, until ctx ends.
func (l *leader) followClocks(ctx context.Context) {
	tick := time.NewTicker(clockEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = l.measureClocks(ctx, 1) // the watch sees who is gone
		}
	}
}
