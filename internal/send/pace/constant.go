package pace

// newConstant spaces requests evenly: infinite burstiness in vLLM's words.
func newConstant(s Spec) (Pace, error) {
	if err := s.checkRate(); err != nil {
		return nil, err
	}
	gap := 1 / s.Rate
	return rescaled(s, func() gapper { return func() float64 { return gap } }), nil
}
