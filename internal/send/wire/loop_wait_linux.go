package wire

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// quietAfter is how long a loop that is busy waits without telling Go's scheduler.
const quietAfter = 20 * time.Millisecond

// wait sleeps until some connection is ready.
//
// A goroutine that waits in a system call loses its processor to Go's scheduler after some
// 20 µs, and gets one again when the call returns: at an event every 50 µs this costs a third
// as much again as the waiting and the reading (figures: docs/accuracy.md). So a loop with
// a processor to spare keeps it while events come. The scheduler can still interrupt it, as it
// does to collect garbage: its signal ends the call. After a quiet moment the loop waits as
// everyone does.
func (r *reader) wait() (int, error) {
	if r.keep.Load() {
		n, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(r.epoll), uintptr(unsafe.Pointer(&r.ready[0])),
			uintptr(len(r.ready)), uintptr(quietAfter.Milliseconds()), 0, 0)
		switch {
		case errno != 0:
			return 0, errno
		case n > 0:
			return int(n), nil
		}
	}
	return unix.EpollWait(r.epoll, r.ready, -1)
}
