package pace

import "github.com/inferometer/inferometer/internal/compat/numpy"

var poisson = NewKind(Kind{Name: Poisson, Doc: "Exponential gaps: arrivals that know nothing of each other."}, newPoisson)

func newPoisson(s Spec, o *RateOptions) (Pace, error) {
	mean := 1 / o.Rate
	return atRate(s, o.Rate, 1, func(r *numpy.RandomState) gapper {
		return func() float64 { return mean * r.Exponential() }
	}), nil
}
