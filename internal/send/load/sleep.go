package load

import "time"

// ownThread gives the dispatcher of an open loop a thread that is woken exactly, where Go's
// scheduler can spare one. It ends with the function that it returns.
func (r *run) ownThread() (end func()) {
	if r.closed || !r.cfg.Keep {
		return func() {}
	}
	return sharpen()
}

// sleep is the dispatcher's.
func (r *run) sleep(d time.Duration) {
	switch {
	case r.cfg.GoTimers:
		time.Sleep(d)
	case r.cfg.Keep:
		keptSleep(d)
	default:
		exactSleep(d)
	}
}
