package run

import (
	"context"
	"time"
)

// Stopped says whether the user has interrupted the run, once or twice.
func Stopped(ctx context.Context, drain <-chan struct{}) bool {
	select {
	case <-drain:
		return true
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

// cancelOn ends the context when drain is closed too: for what needs no draining.
func cancelOn(ctx context.Context, drain <-chan struct{}) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-drain:
			cancel(ErrInterrupted)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// pause waits between points; false: it was interrupted.
func pause(ctx context.Context, drain <-chan struct{}, span time.Duration) bool {
	if span <= 0 {
		return true
	}
	select {
	case <-time.After(span):
		return true
	case <-drain:
	case <-ctx.Done():
	}
	return false
}
