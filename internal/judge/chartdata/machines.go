package chartdata

import (
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
)

// ClientPoint is the client itself between two of its samples; of a fleet, the busiest agent.
type ClientPoint struct {
	At   float64 // seconds, the middle
	CPU  float64 // processors that it used
	Wait float64 // processors that it was ready to use and did not get; NaN: not told
}

// busiest are the samples of the agent that used its processors most; of a run of one
// client all are.
func busiest(samples []journal.Sample) []journal.Sample {
	first, used := map[int]int64{}, map[int]int64{}
	worst := 0
	for i := range samples {
		s := &samples[i]
		if _, known := first[s.Agent]; !known {
			first[s.Agent] = s.CPUNs
		}
		if used[s.Agent] = s.CPUNs - first[s.Agent]; used[s.Agent] > used[worst] {
			worst = s.Agent
		}
	}
	if len(first) < 2 {
		return samples
	}
	return slices.DeleteFunc(slices.Clone(samples), func(s journal.Sample) bool { return s.Agent != worst })
}

func clientPoints(samples []journal.Sample) []ClientPoint {
	samples = busiest(samples)
	var out []ClientPoint
	for i := 1; i < len(samples); i++ {
		a, b := &samples[i-1], &samples[i]
		took := float64(b.At - a.At)
		if took < 1e7 { // the last sample may follow at once: a rate over nothing is noise
			continue
		}
		p := ClientPoint{At: float64(a.At+b.At) / 2e9, CPU: float64(b.CPUNs-a.CPUNs) / took, Wait: math.NaN()}
		if a.WaitNs >= 0 && b.WaitNs >= 0 {
			p.Wait = float64(b.WaitNs-a.WaitNs) / took
		}
		out = append(out, p)
	}
	return thinned(out, MostPoints)
}

// thinned keeps at most so many, evenly.
func thinned[T any](list []T, most int) []T {
	every := (len(list)-1)/most + 1
	out := list[:0]
	for i := 0; i < len(list); i += every {
		out = append(out, list[i])
	}
	return out
}
