package selftest

import (
	"syscall"
	"time"

	"github.com/inferometer/inferometer/internal/machine"
)

// othersWork is how long the processors have worked for other programs since the
// machine was started, without what was not waited for yet; -1: not told. Interrupts,
// of which a part is our own network traffic, are not in it.
func othersWork() time.Duration {
	times, err := machine.This().CPUTimes()
	if err != nil {
		return -1
	}
	all := times.Work
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) != nil {
			return -1
		}
		all -= time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return all
}
