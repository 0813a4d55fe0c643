package selftest

import (
	"fmt"
	"time"
)

// The limits beyond which the client fails. They are a choice: 10 ms is a fifth of a
// fast server's TTFT, and a tenth of the time between tokens is what people would
// report as a difference between two servers.
const (
	maxTTFT     = 10 * time.Millisecond // the p99 of the error
	maxGapShare = 0.10                  // the p99 of the error, of the time between tokens
	minRate     = 0.80                  // of the tokens asked for: with less it is another load
)

// Round is one run at a load. Errors are without their signs.
type Round struct {
	Requests   int     `json:"requests"` // complete ones
	Failed     int     `json:"failed"`
	TokensPerS float64 `json:"tokens_per_s"`
	TTFTMedian float64 `json:"ttft_error_median_ms"`
	TTFTP99    float64 `json:"ttft_error_p99_ms"`
	TTFTP999   float64 `json:"ttft_error_p999_ms"`
	ITLMedian  float64 `json:"itl_error_median_ms"`
	ITLP99     float64 `json:"itl_error_p99_ms"`
	ITLP999    float64 `json:"itl_error_p999_ms"`
	LagP99     float64 `json:"lag_p99_ms"`
	CPU        float64 `json:"cpu"`             // processors that the client kept busy
	Fails      string  `json:"fails,omitempty"` // why it is beyond a limit
}

// Round judges a run at this load.
func (l Load) Round(e *Errors) Round {
	r := Round{
		Requests: e.Requests, Failed: e.Failed,
		// A client that is late to send has fewer streams, a server that is late slower ones.
		TokensPerS: float64(min(l.Streams, e.PeakStreams)) * e.StreamRate,
		TTFTMedian: ms(e.TTFT.Median), TTFTP99: ms(e.TTFT.P99), TTFTP999: ms(e.TTFT.P999),
		ITLMedian: ms(e.Gap.Median), ITLP99: ms(e.Gap.P99), ITLP999: ms(e.Gap.P999),
		LagP99: ms(e.Lag.P99), CPU: e.CPU,
	}
	maxGap := maxGapShare * ms(l.ITL)
	switch {
	case e.Failed > 0:
		r.Fails = fmt.Sprintf("%d of %d requests failed", e.Failed, e.Failed+e.Requests)
	case r.TokensPerS < minRate*l.TokensPerS():
		r.Fails = fmt.Sprintf("%.0f tok/s came, of %.0f", r.TokensPerS, l.TokensPerS())
	case r.TTFTP99 > ms(maxTTFT):
		r.Fails = fmt.Sprintf("TTFT is off by %.1f ms, more than %g", r.TTFTP99, ms(maxTTFT))
	case r.ITLP99 > maxGap:
		r.Fails = fmt.Sprintf("inter-token times are off by %.2f ms, more than %g", r.ITLP99, maxGap)
	}
	return r
}

// Step is a load and its rounds.
type Step struct {
	Streams int     `json:"streams"`
	ITLMS   float64 `json:"itl_ms"`       // asked
	Asked   float64 `json:"tokens_per_s"` // asked
	Rounds  []Round `json:"rounds"`
	Fails   string  `json:"fails,omitempty"` // empty: the step is proven
}

// Step sums up the rounds of a load. It fails if most of them do: one round in
// which another program had the machine shows in the claim, not in the range.
func (l Load) Step(rounds []Round) Step {
	s := Step{Streams: l.Streams, ITLMS: ms(l.ITL), Asked: l.TokensPerS(), Rounds: rounds}
	failed := 0
	for _, r := range rounds {
		if r.Fails != "" {
			failed++
			s.Fails = r.Fails
		}
	}
	if 2*failed <= len(rounds) && len(rounds) > 0 {
		s.Fails = ""
	}
	return s
}

// Worst is the largest of a figure over the rounds.
func (s *Step) Worst(of func(*Round) float64) (v float64) {
	for i := range s.Rounds {
		v = max(v, of(&s.Rounds[i]))
	}
	return v
}

// Mean is the mean of a figure over the rounds.
func (s *Step) Mean(of func(*Round) float64) (v float64) {
	for i := range s.Rounds {
		v += of(&s.Rounds[i]) / float64(len(s.Rounds))
	}
	return v
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
