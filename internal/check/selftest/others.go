package selftest

import (
	"runtime"
	"time"
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
