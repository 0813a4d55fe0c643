package load

import (
	"time"

	"golang.org/x/sys/unix"
)

// exactSleep is for waits that are too short to be interrupted. The kernel wakes
// a sleeping thread within some 50 µs; Go's timers, which share a thread with
// whatever else runs, take several times that on a loaded machine.
func exactSleep(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	for {
		err := unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &ts, &ts)
		if err != unix.EINTR {
			return
		}
	}
}
