package lead

import (
	"context"
	"time"
)

// lookAgain has the watch see whether NATS still has its stores.
func (l *leader) lookAgain() {
	select {
	case l.back <- struct{}{}:
	default:
	}
}

// prepareAgain makes NATS's stores again where it came back without them: what it had stored
// is gone. What belongs to the run is put there again; the agents' journals are got from the
// agents, which keep them.
func (l *leader) prepareAgain(ctx context.Context) {
	l.preparing.Lock() // one after the other
	defer l.preparing.Unlock()
	l.hold.looking.Store(true)
	defer l.hold.looking.Store(false)
	anew, err := l.tryPrepare(ctx)
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		l.host.Warn("\nwarning: the stores of NATS can't be used: %v; the agents keep their journals, and they are fetched from there", err)
		return
	case !anew:
		return
	}
	l.host.Warn("\nwarning: NATS has come back without what it had stored; what is missing here is fetched from the agents")
	l.hold.again()
	if err := l.keep(ctx, l.kept.Stage); err != nil {
		l.host.Warn("note: NATS does not keep how far the run is: %v", err)
	}
	for _, f := range l.plan.Files { // for a leader that takes over
		if _, err := l.bus.PutFile(ctx, f.Path, string(f.For)); err != nil {
			l.host.Warn("note: NATS does not keep the %s of the run: %v", f.For, err)
		}
	}
	if err := l.listen(context.WithoutCancel(ctx)); err != nil {
		l.host.Warn("note: what agents hand on to NATS from now on is not seen: %v; it is fetched from them at the end", err)
	}
}

// tryPrepare gives a server that has just come back some seconds.
func (l *leader) tryPrepare(ctx context.Context) (anew bool, err error) {
	for range 5 {
		one, cancel := context.WithTimeout(ctx, askTime)
		anew, err = l.bus.PrepareAgain(one)
		cancel()
		if err == nil {
			break
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(time.Second):
		}
	}
	return anew, err
}
