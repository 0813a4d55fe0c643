package pace

import (
	"math"

	"github.com/inferometer/inferometer/internal/compat/numpy"
)

// gapper gives the time from each request to the next.
type gapper func() float64

// summed adds gaps up and stretches the sums. The first request waits for the
// first gap, as in vLLM.
type summed struct {
	gap   gapper
	at    float64
	scale float64
}

func (s *summed) next() (float64, bool) {
	s.at += s.gap()
	return s.at * s.scale, true
}

// rescaled stretches n arrivals so that the last falls at n/rate exactly: then
// the offered rate is the one asked for, whatever the seed. It walks the gaps
// twice, first for their sum and then to give them, so nothing holds them all.
// Where the number of requests is not known nothing is stretched.
func rescaled(s Spec, rate float64, gaps func() gapper) Pace {
	p := &summed{gap: gaps(), scale: 1}
	if s.N > 0 {
		total, gap := 0.0, gaps()
		for range s.N {
			total += gap()
		}
		if total != 0 {
			p.scale = float64(s.N) / rate / total
		}
	}
	return clock{p}
}

// atRate is a process with random gaps at one rate. As many requests come as were asked
// for: of a given number the last falls at n/rate, as in vLLM; else a time has rate times
// its length.
func atRate(s Spec, rate, burstiness float64, gaps func(*numpy.RandomState) gapper) Pace {
	if s.counts(rate) {
		return rescaled(s, rate, func() gapper { return gaps(s.random()) })
	}
	stage, piece := Stage{s.Duration, rate, rate}, float64(largestPiece)
	if s.Duration <= 0 {
		stage.Length, piece = math.MaxInt64, endlessPiece
	}
	return clock{drawnStages(s, []Stage{stage}, burstiness, piece)}
}
