package load

import (
	"time"

	"golang.org/x/sys/unix"
)

// exactSleep is for waits that are too short to be interrupted. The kernel wakes
// a sleeping thread within microseconds if it is told not to wait for others that are
// due in the next 50 µs, which it does by default to wake up less often; Go's timers,
// which share a thread with whatever else runs, take several times that on a loaded machine.
func exactSleep(d time.Duration) {
	// Of this thread, whichever it is: where the kernel refuses, the wait is less exact.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	ts := unix.NsecToTimespec(int64(d))
	for {
		err := unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &ts, &ts)
		if err != unix.EINTR {
			return
		}
	}
}
