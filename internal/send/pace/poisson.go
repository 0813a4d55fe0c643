package pace

var poisson = NewKind(Kind{Name: Poisson, Doc: "Exponential gaps: arrivals that know nothing of each other."}, newPoisson)

func newPoisson(s Spec, o *RateOptions) (Pace, error) {
	mean := 1 / o.Rate
	return rescaled(s, o.Rate, func() gapper {
		r := s.random()
		return func() float64 { return mean * r.Exponential() }
	}), nil
}
