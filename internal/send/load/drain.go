package load

import "context"

// UntilDrain is a context that drain ends too, with a cause of its own, until stop is called.
func UntilDrain(ctx context.Context, drain <-chan struct{}, cause error) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-drain:
			cancel(cause)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}
