package pace

var burst = NewKind(Kind{Name: Burst, Doc: "All at the start: an infinite rate. The burstiness only stands in the result."},
	func(Spec, *SpreadOptions) (Pace, error) { return clock{allAtOnce{}}, nil })

// allAtOnce makes every request due at the start.
type allAtOnce struct{}

func (allAtOnce) next() (float64, bool) { return 0, true }
