package pace

// newRampTime raises or lowers the rate evenly over a time: a single stage.
func newRampTime(s Spec) (Pace, error) {
	s.Stages = []Stage{{Length: s.RampOver, From: s.RampStart, To: s.RampEnd}}
	return newStages(s)
}
