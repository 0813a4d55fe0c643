//go:build !linux

package load

import "time"

func exactSleep(d time.Duration) { time.Sleep(d) }
