package selftest

import (
	"runtime"
	"syscall"
	"time"

	"github.com/inferometer/inferometer/internal/machine"
)

// others watches how much of the processors other programs use.
type others struct {
	work  time.Duration // at the beginning; -1: not told
	began time.Time
}

func watchOthers() others { return others{othersWork(), time.Now()} }

// share is the share of all processors that others have used since; nil: not told.
func (o others) share() *float64 {
	over := time.Since(o.began)
	if o.work < 0 || over <= 0 {
		return nil
	}
	share := max(float64(othersWork()-o.work)/float64(over)/float64(runtime.NumCPU()), 0)
	return &share
}

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
