package load

import (
	"context"
	"time"
)

// AwaitInstant returns at an instant of the wall clock, as exactly as a request is sent
// when it is due, or when ctx or stop ends: false. The clock is looked at again and
// again, since it may be set meanwhile.
func AwaitInstant(ctx context.Context, stop <-chan struct{}, at time.Time) bool {
	at = at.Round(0) // without Go's monotonic reading: others mean the wall clock
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		wait := time.Until(at)
		if wait <= shortWait {
			break
		}
		timer.Reset(min(wait-shortWait, time.Second))
		select {
		case <-timer.C:
		case <-stop:
			return false
		case <-ctx.Done():
			return false
		}
	}
	if wait := time.Until(at); wait > 0 {
		exactSleep(wait)
	}
	return true
}
