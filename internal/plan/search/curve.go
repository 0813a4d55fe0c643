package search

import "slices"

// CurvePoint is what was seen at one load, in the surest of its probes.
type CurvePoint struct {
	Observation
	Holds  bool    `json:"holds"`
	Probes int     `json:"probes"` // of this load
	Power  float64 `json:"power"`
}

// Curve is what was seen at each load, in the order of load. Of several probes of a
// load the longest is taken, of equal ones the last; one that is no evidence only where no other is.
func Curve(seen []Observation) []CurvePoint {
	var list []CurvePoint
	for i := range seen {
		o := &seen[i]
		at := slices.IndexFunc(list, func(p CurvePoint) bool { return p.X == o.X })
		switch {
		case at < 0:
			list = append(list, CurvePoint{Observation: *o})
			at = len(list) - 1
		case (o.Without() == "") == (list[at].Without() == "") && o.Seconds >= list[at].Seconds, list[at].Without() != "" && o.Without() == "":
			list[at].Observation = *o
		}
		list[at].Probes++
	}
	for i := range list {
		p := &list[i]
		p.Holds = p.Observation.Holds() && p.Without() == ""
		if p.Numbers.Latency > 0 {
			p.Power = p.Numbers.Output / p.Numbers.Latency
		}
	}
	slices.SortFunc(list, func(a, b CurvePoint) int {
		if a.X < b.X {
			return -1
		}
		return 1
	})
	return list
}

// Knee is the point of a curve where throughput against latency bends: the one with
// the highest power, output throughput / mean end-to-end latency (Kleinrock 1979).
// Below it more load buys more throughput than it costs in latency, share for share;
// above it less. Nil where nothing completed.
func Knee(curve []CurvePoint) *CurvePoint {
	return highest(curve, func(p *CurvePoint) float64 { return p.Power })
}

// Peak is the point with the most output tokens a second.
func Peak(curve []CurvePoint) *CurvePoint {
	return highest(curve, func(p *CurvePoint) float64 { return p.Numbers.Output })
}

// BestGoodput is the point with the most requests a second that kept the SLO's
// limits, each by itself; nil where the SLO has no such limit.
func BestGoodput(curve []CurvePoint) *CurvePoint {
	return highest(curve, func(p *CurvePoint) float64 {
		if p.Numbers.Goodput == nil {
			return 0
		}
		return *p.Numbers.Goodput
	})
}

// highest is the point with the most of something above nothing. A probe that was
// left early is none: its numbers are those of a server that was filling up. One that is no evidence is none either.
func highest(curve []CurvePoint, of func(*CurvePoint) float64) (best *CurvePoint) {
	for i := range curve {
		p := &curve[i]
		if p.GaveUp == "" && p.Without() == "" && of(p) > 0 && (best == nil || of(p) > of(best)) {
			best = p
		}
	}
	return best
}
