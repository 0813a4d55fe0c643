package pace

import "time"

// bound ends a pace after a number of requests or a time.
type bound struct {
	Pace
	length time.Duration
	left   int
	finite bool
}

// Bound ends p after n requests and with the last one that is due within length,
// whichever comes first; zero means no such bound. The due times of a closed loop
// say nothing of time, so there load must mind the length itself (see Length).
func Bound(p Pace, length time.Duration, n int) Pace {
	if length <= 0 && n <= 0 {
		return p
	}
	return &bound{Pace: p, length: length, left: n, finite: n > 0}
}

// Next implements Pace.
func (b *bound) Next() (time.Duration, bool) {
	if b.finite && b.left == 0 {
		return 0, false
	}
	due, ok := b.Pace.Next()
	if !ok || b.length > 0 && due > b.length {
		b.finite, b.left = true, 0
		return 0, false
	}
	b.left--
	return due, true
}

// Unwrap gives the pace that is bounded.
func (b *bound) Unwrap() Pace { return b.Pace }

// Length is the time after which p sends nothing more, or 0 where it has no such
// bound.
func Length(p Pace) time.Duration {
	b, ok := find[*bound](p)
	if !ok {
		return 0
	}
	return b.length
}
