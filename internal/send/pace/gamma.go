package pace

// newGamma draws gaps from a gamma distribution with the mean of the rate and a
// coefficient of variation of 1/sqrt(burstiness): below 1 in clumps, above 1
// more even than Poisson.
func newGamma(s Spec) (Pace, error) {
	if err := s.checkRate(); err != nil {
		return nil, err
	}
	if err := s.checkBurstiness(); err != nil {
		return nil, err
	}
	if s.even() {
		return newConstant(s)
	}
	scale := 1 / (s.Rate * s.Burstiness)
	return rescaled(s, func() gapper {
		r := s.random()
		return func() float64 { return r.Gamma(s.Burstiness, scale) }
	}), nil
}
