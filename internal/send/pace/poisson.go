package pace

// newPoisson draws exponential gaps: arrivals that know nothing of each other.
func newPoisson(s Spec) (Pace, error) {
	if err := s.checkRate(); err != nil {
		return nil, err
	}
	mean := 1 / s.Rate
	return rescaled(s, func() gapper {
		r := s.random()
		return func() float64 { return mean * r.Exponential() }
	}), nil
}
