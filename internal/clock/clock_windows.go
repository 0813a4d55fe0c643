// Package clock tells the time as exactly as the system can. Whatever measures asks it instead
// of package time: on Windows time.Now moves in steps of half a millisecond to 16 of them.
package clock

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	kernel32  = windows.NewLazySystemDLL("kernel32.dll")
	counter   = kernel32.NewProc("QueryPerformanceCounter")
	frequency = read(kernel32.NewProc("QueryPerformanceFrequency")) // a second; the same from boot to boot
	begin     = read(counter)
	base      = atBegin()
)

func read(p *windows.LazyProc) (n int64) {
	_, _, _ = syscall.SyscallN(p.Addr(), uintptr(unsafe.Pointer(&n))) // it never fails
	return n
}

// atBegin is the moment at which the counter was begin. Windows has a finer clock of the day than
// Go reads; the processes of one machine agree by it.
func atBegin() time.Time {
	now := time.Now()
	var day windows.Filetime
	windows.GetSystemTimePreciseAsFileTime(&day)
	return now.Add(time.Duration(day.Nanoseconds()-now.UnixNano()) - passed())
}

// passed is the time since begin.
func passed() time.Duration {
	n := read(counter) - begin
	return time.Duration(n/frequency)*time.Second + time.Duration(n%frequency*int64(time.Second)/frequency)
}

// Now is the time, with a monotonic reading. A difference to a reading of package time is off by
// as much as that is.
func Now() time.Time { return base.Add(passed()) }

// Since is the time that has passed.
func Since(t time.Time) time.Duration { return Now().Sub(t) }
