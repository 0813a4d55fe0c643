//go:build !windows

// Package clock tells the time as exactly as the system can. Whatever measures asks it instead
// of package time: on Windows time.Now moves in steps of half a millisecond to 16 of them.
package clock

import "time"

// Now is the time, with a monotonic reading.
func Now() time.Time { return time.Now() }

// Since is the time that has passed.
func Since(t time.Time) time.Duration { return time.Since(t) }
