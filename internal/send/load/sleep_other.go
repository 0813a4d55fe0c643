//go:build !linux

package load

import "time"

func exactSleep(d time.Duration) { time.Sleep(d) }

func keptSleep(d time.Duration) { time.Sleep(d) }

func sharpen() (undo func()) { return func() {} }
