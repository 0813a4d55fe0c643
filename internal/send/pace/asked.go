package pace

import "time"

// Asked is how many requests a pace is to make due, and in what time.
type Asked struct {
	Requests float64 // may have a fraction
	Over     time.Duration
}

// Asked is what was asked for where a time ends the pace. Not ok: a number of requests ends
// it, nobody knows what does, or its times say nothing of a rate.
func (s Spec) Asked() (a Asked, ok bool) {
	switch own := s.Own.(type) {
	case *StagesOptions:
		a = asked(own.Stages)
	case *RampTimeOptions:
		a = asked(own.stages())
	case interface{ rate() float64 }:
		if s.counts(own.rate()) {
			return a, false
		}
		a = Asked{own.rate() * s.Duration.Seconds(), s.Duration}
	}
	return a, a.Over > 0 && a.Requests < mostAsked && (s.N == 0 || a.Requests <= float64(s.N))
}

// mostAsked is what a journal can hold: a rate that asks for more means as fast as can be.
const mostAsked = 1 << 50

func asked(stages []Stage) (a Asked) {
	for _, st := range stages {
		a.Requests += st.expected()
		a.Over += st.Length
	}
	return a
}

// counts says that the number of requests ends a pace of this rate, and not its time.
func (s Spec) counts(rate float64) bool {
	return s.N > 0 && (s.Duration <= 0 || float64(s.N)/rate <= s.Duration.Seconds())
}
