package pace

import (
	"math"

	"github.com/inferometer/inferometer/internal/compat/numpy"
)

var gamma = NewKind(Kind{Name: Gamma, Doc: "Gamma gaps: below a burstiness of 1 in clumps, above it more even than Poisson."}, newGamma)

// SpreadOptions are those of a pace with random gaps. Those without gaps have it too:
// vLLM's result names the burstiness whatever the rate.
type SpreadOptions struct {
	Burstiness float64 `json:"burstiness" flag:"burstiness" default:"1" above:"0" help:"How even arrivals are: 1 is Poisson, below 1 comes in bursts, above is more even, inf is constant."`
}

func (o *SpreadOptions) even() bool { return math.IsInf(o.Burstiness, 1) }

// gapAt draws gaps at a rate that changes.
func (o *SpreadOptions) gapAt(s Spec) func(rate float64) float64 {
	if o.even() {
		return func(rate float64) float64 { return 1 / rate }
	}
	r := s.random()
	return func(rate float64) float64 { return r.Gamma(o.Burstiness, 1/(rate*o.Burstiness)) }
}

// GammaOptions shape the gamma pace.
type GammaOptions struct {
	RateOptions
	SpreadOptions
}

// newGamma draws gaps from a gamma distribution with the mean of the rate and a
// coefficient of variation of 1/sqrt(burstiness).
func newGamma(s Spec, o *GammaOptions) (Pace, error) {
	if o.even() {
		return newConstant(s, &o.RateOptions)
	}
	scale := 1 / (o.Rate * o.Burstiness)
	return atRate(s, o.Rate, o.Burstiness, func(r *numpy.RandomState) gapper {
		return func() float64 { return r.Gamma(o.Burstiness, scale) }
	}), nil
}
