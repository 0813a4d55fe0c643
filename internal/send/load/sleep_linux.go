package load

import (
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// exactSleep is for waits that are too short to be interrupted. The kernel wakes
// a sleeping thread within some 50 µs; Go's timers, which share a thread with
// whatever else runs, take several times that on a loaded machine.
func exactSleep(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &ts, &ts) == unix.EINTR {
	}
}

// keptSleep is exactSleep without telling Go's scheduler, which would take the processor
// away meanwhile: who is woken then waits until there is another one. The scheduler can
// still interrupt it, as it does to collect garbage: its signal ends the call.
func keptSleep(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	for {
		_, _, errno := unix.RawSyscall6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, 0,
			uintptr(unsafe.Pointer(&ts)), uintptr(unsafe.Pointer(&ts)), 0, 0)
		if errno != unix.EINTR {
			return
		}
	}
}

const (
	sharpSlack = 1                      // ns that a sleep may last longer than asked for; a thread has 50 µs
	shortSlice = 100 * time.Microsecond // of a processor at a time: who asks for less has its turn sooner
)

// sharpen makes the kernel wake this goroutine's thread as exactly as it can, which takes no
// privilege, until the function that it returns is called. What a kernel doesn't know
// it refuses, and the thread is woken as others are (figures: docs/accuracy.md).
func sharpen() (undo func()) {
	runtime.LockOSThread()
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, sharpSlack, 0, 0, 0)
	slice := func(length uint64) {
		attr, err := unix.SchedGetAttr(0, 0)
		if err == nil && attr.Policy == unix.SCHED_NORMAL {
			attr.Runtime = length
			_ = unix.SchedSetAttr(0, attr, 0)
		}
	}
	slice(uint64(shortSlice))
	return func() {
		slice(0)                                           // the kernel's own choice
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) // what the process began with
		runtime.UnlockOSThread()
	}
}
