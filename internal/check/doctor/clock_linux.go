package doctor

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// clockState asks the kernel, which whatever keeps the time (chrony, ntpd,
// timesyncd, PTP) has told.
func clockState() (ClockState, error) {
	var t unix.Timex
	state, err := unix.Adjtimex(&t)
	if err != nil {
		return ClockState{}, fmt.Errorf("adjtimex: %w", err)
	}
	const timeError = 5 // TIME_ERROR: the clock is not synchronised
	return ClockState{
		Synchronised: state != timeError && t.Status&unix.STA_UNSYNC == 0,
		MaxError:     time.Duration(t.Maxerror) * time.Microsecond,
	}, nil
}
