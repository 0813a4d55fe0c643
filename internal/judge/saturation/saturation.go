// Package saturation finds the load from which on a server's throughput grows no more.
package saturation

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Load is a load that was tried, in requests at once or per second (+Inf: as fast as
// it goes), and what it gave.
type Load struct{ At, Throughput float64 }

// Saturation says whether more load would give more throughput. The rule: from the
// last load before it to the highest one tried, throughput grows by less than a
// tenth for each doubling of the load,
//
//	growth = (T/T₀)^(1/log₂(L/L₀)) − 1 < 0.1
//
// where L₀ is the highest load of at most two thirds of L: over a smaller step chance
// would decide.
type Saturation struct {
	Known     bool // there is such a step
	Saturated bool
	Growth    float64 // of throughput for each doubling of the load: 1 is twice as much
	From, To  Load
}

const (
	saturatedBelow = 0.1
	clearStep      = 1.5
)

// Of judges loads that differ in nothing else.
func Of(loads []Load) Saturation {
	loads = slices.DeleteFunc(slices.Clone(loads), func(l Load) bool {
		return !(l.At > 0 && l.Throughput > 0) || math.IsInf(l.Throughput, 0)
	})
	slices.SortStableFunc(loads, func(a, b Load) int {
		switch {
		case a.At < b.At:
			return -1
		case a.At > b.At:
			return 1
		}
		return 0
	})
	if len(loads) == 0 {
		return Saturation{}
	}
	top := loads[len(loads)-1]
	before := -1
	for i, l := range loads {
		if l.At < top.At && l.At <= top.At/clearStep {
			before = i
		}
	}
	if before < 0 {
		return Saturation{To: top}
	}
	s := Saturation{Known: true, From: loads[before], To: top}
	doublings := math.Log2(top.At / s.From.At)
	if math.IsInf(top.At, 0) {
		doublings = 1 // how many is not known: at least one
	}
	s.Growth = math.Pow(top.Throughput/s.From.Throughput, 1/doublings) - 1
	s.Saturated = s.Growth < saturatedBelow
	return s
}

// Title is what the highest throughput is called.
func (s *Saturation) Title() string {
	if s.Saturated {
		return "The most it can do"
	}
	return "The most measured"
}

// Words say why it is the most or not; unit is what the load is called.
func (s *Saturation) Words(unit string) string {
	load := func(v float64) string {
		if math.IsInf(v, 0) {
			return "inf"
		}
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	if !s.Known {
		return "whether more load would give more is not known: that takes a second load, of at most two thirds of the highest"
	}
	step := fmt.Sprintf("from %s %s to %s throughput ", unit, load(s.From.At), load(s.To.At))
	change := 100 * (s.To.Throughput/s.From.Throughput - 1)
	switch {
	case s.Saturated && change <= 0:
		step += "did not grow"
	case s.Saturated:
		step += fmt.Sprintf("grew by %.0f %% only", change)
	default:
		return "not saturated: " + step + fmt.Sprintf("still grew by %.0f %%", change)
	}
	return "saturated: " + step
}
