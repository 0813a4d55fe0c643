// Package handoff takes the time to the first token apart where prefill and decode are on different servers, by what a client
// can see: the same lengths of prompts, by turns to a prefill server alone and through the router.
//
//	prefill alone            queue and compute of the prefill server
//	router − prefill alone   router, transfer of the KV cache, admission by the decode server and its first step
//
// What is transferred grows with the prompt and the rest does not, so the slope of the difference over the length is the
// transfer, and what it is at length 0 is the rest. It is pure: it knows neither servers nor clocks.
package handoff

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/inferometer/inferometer/internal/stats"
)

// Sample is one prompt sent both ways: two prompts of the same length, neither of which was sent before. Times are in seconds.
type Sample struct {
	Tokens         int // of the prompt, as the server counted
	Alone, Through float64
}

// Difference is what the way through the router takes longer. It may be negative.
func (s *Sample) Difference() float64 { return s.Through - s.Alone }

// Length is the samples of one length of prompts.
type Length struct {
	Tokens         int // median
	Pairs          int
	Alone, Through float64 // medians
	Difference     Estimate
}

// Estimate is a number with its 95 % interval.
type Estimate struct{ Value, Low, High float64 }

// Split is the time to the first token taken apart.
type Split struct {
	Lengths []Length
	// PerToken is what a token of the prompt adds to the difference, in seconds: its transfer. Fixed is the difference at length 0.
	PerToken, Fixed Estimate
	Known           bool // there are two lengths or more
}

// Bandwidth is of the transfer, in bytes a second; ok is false where the slope can't be told from 0.
func (s *Split) Bandwidth(bytesPerToken float64) (e Estimate, ok bool) {
	if !s.Known || !(s.PerToken.Low > 0) || !(bytesPerToken > 0) {
		return Estimate{}, false
	}
	return Estimate{bytesPerToken / s.PerToken.Value, bytesPerToken / s.PerToken.High, bytesPerToken / s.PerToken.Low}, true
}

// Transfer is the time of the transfer of a prompt of so many tokens.
func (s *Split) Transfer(tokens int) Estimate {
	n := float64(tokens)
	return Estimate{s.PerToken.Value * n, s.PerToken.Low * n, s.PerToken.High * n}
}

// draws is how often the samples are drawn again for an interval.
const draws = 1000

// Of takes samples apart; groups are their lengths as they were asked for. The line is that of Theil and Sen, through the medians of
// all pairs: a request that something else held up does not move it. Intervals are by drawing samples again, within each length.
func Of(groups [][]Sample) *Split {
	groups = slices.DeleteFunc(slices.Clone(groups), func(g []Sample) bool { return len(g) == 0 })
	slices.SortStableFunc(groups, func(a, b []Sample) int { return cmp.Compare(a[0].Tokens, b[0].Tokens) })
	s := &Split{}
	all := newLines(groups)
	slopes, fixed := make([]float64, 0, draws), make([]float64, 0, draws)
	differences := make([][]float64, len(groups))
	random := rand.New(rand.NewPCG(1, 2)) // the same samples give the same interval
	for range draws {
		drawn := make([][]Sample, len(groups))
		for i, g := range groups {
			drawn[i] = make([]Sample, len(g))
			for k := range g {
				drawn[i][k] = g[random.IntN(len(g))]
			}
			differences[i] = append(differences[i], medianOf(drawn[i], (*Sample).Difference))
		}
		slope, at0 := newLines(drawn).line()
		slopes, fixed = append(slopes, slope), append(fixed, at0)
	}
	for i, g := range groups {
		s.Lengths = append(s.Lengths, Length{
			Tokens: int(medianOf(g, func(s *Sample) float64 { return float64(s.Tokens) })), Pairs: len(g),
			Alone: medianOf(g, func(s *Sample) float64 { return s.Alone }), Through: medianOf(g, func(s *Sample) float64 { return s.Through }),
			Difference: estimate(medianOf(g, (*Sample).Difference), differences[i]),
		})
	}
	if s.Known = len(groups) > 1 && groups[0][0].Tokens != groups[len(groups)-1][0].Tokens; s.Known {
		slope, at0 := all.line()
		s.PerToken, s.Fixed = estimate(slope, slopes), estimate(at0, fixed)
	}
	return s
}

func estimate(v float64, drawn []float64) Estimate {
	slices.Sort(drawn)
	return Estimate{v, stats.Percentile(drawn, 2.5), stats.Percentile(drawn, 97.5)}
}

func medianOf(g []Sample, of func(*Sample) float64) float64 {
	values := make([]float64, len(g))
	for i := range g {
		values[i] = of(&g[i])
	}
	slices.Sort(values)
	return stats.Median(values)
}

// lines are the medians of each length, by which a line is drawn.
type lines struct{ tokens, difference []float64 }

func newLines(groups [][]Sample) *lines {
	l := &lines{}
	for _, g := range groups {
		l.tokens = append(l.tokens, medianOf(g, func(s *Sample) float64 { return float64(s.Tokens) }))
		l.difference = append(l.difference, medianOf(g, (*Sample).Difference))
	}
	return l
}

// line is the median slope of all pairs of lengths, weighted by how far they lie apart, and what is left at 0.
func (l *lines) line() (slope, at0 float64) {
	type pair struct{ slope, weight float64 }
	var pairs []pair
	sum := 0.0
	for i := range l.tokens {
		for k := i + 1; k < len(l.tokens); k++ {
			if d := l.tokens[k] - l.tokens[i]; d != 0 {
				pairs = append(pairs, pair{(l.difference[k] - l.difference[i]) / d, math.Abs(d)})
				sum += math.Abs(d)
			}
		}
	}
	if len(pairs) == 0 {
		return math.NaN(), math.NaN()
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(a.slope, b.slope) })
	half := 0.0
	for _, p := range pairs {
		if half += p.weight; half >= sum/2 {
			slope = p.slope
			break
		}
	}
	rest := make([]float64, len(l.tokens))
	for i := range rest {
		rest[i] = l.difference[i] - slope*l.tokens[i]
	}
	slices.Sort(rest)
	return slope, stats.Median(rest)
}
