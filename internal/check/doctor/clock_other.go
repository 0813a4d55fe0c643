//go:build !linux

package doctor

import (
	"errors"
	"runtime"
)

func clockState() (ClockState, error) {
	return ClockState{}, errors.New(runtime.GOOS + " is not asked: only Linux's adjtimex is known here")
}
