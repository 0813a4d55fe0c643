package pace

import "time"

var closed = NewKind(Kind{Name: Closed, Doc: "A closed loop: each request when a slot is free. The burstiness only stands in the result."},
	func(Spec, *SpreadOptions) (Pace, error) { return closedLoop{}, nil })

// closedLoop is the pace of a closed loop: it never holds a request back. Load makes
// a request due at the moment when a slot is free for it.
type closedLoop struct{}

func (closedLoop) Next() (time.Duration, bool) { return 0, true }

// DueWhenFree says whether p belongs to a closed loop: its times mean nothing,
// a request is due when its slot is free.
func DueWhenFree(p Pace) bool {
	_, ok := find[closedLoop](p)
	return ok
}

// find looks for a T in p and in what p wraps.
func find[T any](p Pace) (T, bool) {
	for p != nil {
		if t, ok := p.(T); ok {
			return t, true
		}
		switch w := p.(type) {
		case clock:
			if t, ok := w.arrivals.(T); ok {
				return t, true
			}
			p = nil
		case interface{ Unwrap() Pace }:
			p = w.Unwrap()
		default:
			p = nil
		}
	}
	var none T
	return none, false
}
