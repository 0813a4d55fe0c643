package handoff

import (
	"slices"

	"github.com/inferometer/inferometer/internal/stats"
)

// SecondGap is the gap between the first token and the second, beside the later ones of the same answers. Others call it the
// handoff; in vLLM, SGLang, llm-d and TensorRT-LLM the decode server sends the first token too, so the handoff is over by then.
// Its sign is kept: a mean of what was cut at 0 would be too large.
type SecondGap struct {
	Answers int
	Median  float64 // s
	Excess  float64 // median over answers of the second token's gap minus the median of the answer's later gaps
}

// SecondGapOf is over answers, each the gaps between its tokens in seconds; those with fewer than three are passed over.
func SecondGapOf(answers [][]float64) (g SecondGap, ok bool) {
	var all SecondGaps
	for _, gaps := range answers {
		all.Add(gaps)
	}
	return all.Result()
}

// SecondGaps takes in answers one by one. Its memory is bounded: of very many answers every second is kept, then every fourth and so on.
type SecondGaps struct {
	answers, every int // every 0 stands for 1
	second, excess []float64
	later          []float64 // used again for each answer
}

// maxSecondGaps is how many answers are kept at most.
const maxSecondGaps = 1 << 15

// Add takes in the gaps of an answer, in seconds; an answer with fewer than three is passed over.
func (a *SecondGaps) Add(gaps []float64) {
	if len(gaps) < 3 {
		return
	}
	a.every = max(a.every, 1)
	if a.answers++; (a.answers-1)%a.every != 0 {
		return
	}
	if len(a.second) == maxSecondGaps {
		a.second, a.excess, a.every = everySecond(a.second), everySecond(a.excess), 2*a.every
	}
	a.later = append(a.later[:0], gaps[1:]...)
	slices.Sort(a.later)
	a.second, a.excess = append(a.second, gaps[0]), append(a.excess, gaps[0]-stats.Median(a.later))
}

// everySecond keeps the first, the third and so on.
func everySecond(v []float64) []float64 {
	for i := range len(v) / 2 {
		v[i] = v[2*i]
	}
	return v[:len(v)/2]
}

// Result is over all answers so far; ok is false where there was none.
func (a *SecondGaps) Result() (g SecondGap, ok bool) {
	if len(a.second) == 0 {
		return g, false
	}
	return SecondGap{a.answers, medianOfAll(a.second), medianOfAll(a.excess)}, true
}

func medianOfAll(v []float64) float64 { return stats.Median(slices.Sorted(slices.Values(v))) }

// Bursts is how the gaps between tokens are while prompts are computed beside them, against when none is.
type Bursts struct {
	Quiet, Burst int // gaps
	// 50th and 99th percentiles, in seconds.
	QuietP50, QuietP99, BurstP50, BurstP99 float64
}

// BurstsOf needs a few of both.
func BurstsOf(quiet, burst []float64) (b Bursts, ok bool) {
	const few = 20
	if len(quiet) < few || len(burst) < few {
		return b, false
	}
	quiet, burst = slices.Sorted(slices.Values(quiet)), slices.Sorted(slices.Values(burst))
	return Bursts{
		len(quiet), len(burst),
		stats.Percentile(quiet, 50), stats.Percentile(quiet, 99), stats.Percentile(burst, 50), stats.Percentile(burst, 99),
	}, true
}
