package search

import "math"

// edge is where the SLO seems to end.
type edge struct {
	x, low, high float64 // with its 95 % interval
	fitted       bool    // by a line; else it is only known to lie in between
	narrow       bool    // as narrow as asked for
}

// edge says what is known so far. The line counts where it crosses between the two
// loads that enclose the edge, or next to one whose side is not sure; else the middle
// of the two does.
func (s *Search) edge() edge {
	low, high := s.bounds()
	if high == nil { // the whole range holds
		return edge{x: low.x, low: low.x, high: math.Inf(1), narrow: true}
	}
	e := edge{x: math.Sqrt(low.x * high.x), low: low.x, high: high.x}
	tol := s.cfg.Tolerance
	if f, ok := fitLine(s.counted, math.Log(e.x), s.cfg.Short); ok {
		x := math.Exp(f.edge)
		least, most := low.x, high.x
		if low.side >= 0 {
			least *= 1 - tol
		}
		if high.side <= 0 {
			most *= 1 + tol
		}
		if x >= least && x <= most {
			e.x, e.fitted = x, true
			e.low, e.high = x*math.Exp(-f.half), x*math.Exp(f.half)
			e.narrow = f.near >= 3 && f.half <= tol
		}
	}
	if s.enclosed(low, high) {
		e.narrow = true
		if !e.fitted {
			e.x = low.x
		}
	}
	return e
}

// enclosed reports whether two loads are so close that no other need be tried, and
// each is on its side for sure or was tried for as long as the confirming run.
func (s *Search) enclosed(low, high *point) bool {
	sure := func(p *point, side int) bool { return p.side == side || s.tried(p.x) >= s.cfg.Long }
	return s.adjacent(low, high) && sure(low, -1) && sure(high, 1)
}

// confirm asks for long runs: one just below the edge, and where it fails lower ones,
// each twice as far down as the one before, until one holds.
func (s *Search) confirm(e edge) (Probe, bool) {
	held, failed, holds, fails := s.longRuns()
	tol := s.cfg.Tolerance
	x := e.x * (1 - tol/4)
	switch {
	case math.IsInf(e.high, 1): // the end of the range
		x = e.x
	case !e.narrow && s.stuck() != nil: // it will not be narrower: what has held
		low, _ := s.bounds()
		x = low.x
	case s.cfg.Integer:
		x = math.Floor(e.x)
	}
	switch {
	case s.settled(held, failed, e) || fails >= maxConfirms || holds >= maxConfirms:
		return Probe{}, false
	case held > 0 && failed < math.Inf(1):
		x = math.Sqrt(held * failed)
	case fails > 0:
		x = min(x, failed*(1-tol/4*math.Pow(2, float64(fails-1))))
		if s.cfg.Integer {
			x = min(math.Floor(x), failed-1)
		}
	}
	if x < s.least() {
		return Probe{}, false
	}
	return s.probe(x, s.cfg.Long, Confirm), true
}

// settled reports whether a long run has held with no room above it: another one has
// failed there, or the edge is next to it.
func (s *Search) settled(held, failed float64, e edge) bool {
	tol := s.cfg.Tolerance
	switch {
	case held == 0:
		return false
	case s.cfg.Integer && (failed-held <= 1 || held >= math.Floor(e.x)):
		return true
	}
	return failed <= held*(1+tol/2) || held >= e.x*(1-tol/2)
}

// longRuns are the highest load at which a long run held, the lowest above it at which
// one failed, and how many held and failed.
func (s *Search) longRuns() (held, failed float64, holds, fails int) {
	failed = math.Inf(1)
	for i := range s.counted {
		o := &s.counted[i]
		switch {
		case o.Purpose != Confirm:
		case o.Holds():
			held = max(held, o.X)
			holds++
		default:
			failed = min(failed, o.X)
			fails++
		}
	}
	if held > failed { // chance has failed the lower one
		failed = math.Inf(1)
	}
	return held, failed, holds, fails
}

// line is log use = slope · (log x − edge), near the edge.
type line struct {
	edge, slope float64
	half        float64 // of the edge's 95 % interval
	near        float64 // how many observations it rests on
}

const (
	leastWidth = 0.12 // of the neighbourhood, in log x
	leastSlope = 0.15 // a flatter line crosses anywhere
	rounds     = 12
	manyFree   = 4 // degrees of freedom with which the scatter is believed
)

// fitLine fits a line to the observations near the edge: weighted least squares
// with the weights k/var, k a Gaussian in the distance from the edge, which is
// found anew from each fit. Short probes know less than their intervals say, since
// a queue that has only begun to grow is not in them: their variance is enlarged.
func fitLine(seen []Observation, start, short float64) (f line, ok bool) {
	var obs []sample
	for i := range seen {
		o := &seen[i]
		u, sd, sure := o.level()
		if b := o.Binding(); !sure && b != nil && *b.Use > 1 { // left early: some way over
			u, sd = math.Log(*b.Use), leftDeviation
			sure = true
		}
		if !sure || math.Abs(u) > usable {
			continue
		}
		young := 0.1 * min(short/max(o.Seconds, 1e-9), 1)
		obs = append(obs, sample{math.Log(o.X), u, sd*sd + young*young})
	}
	if len(obs) < 2 {
		return line{}, false
	}
	at := start
	for range rounds {
		if f, ok = fitAt(obs, at); !ok {
			return f, false
		}
		moved := f.edge - at
		at += max(min(moved, 0.3), -0.3)
		if math.Abs(moved) < 1e-4 {
			break
		}
	}
	return f, math.Abs(f.edge-at) < 0.01
}

// sample is one observation in the units of the fit.
type sample struct{ x, u, variance float64 }

// fitAt fits around a place.
func fitAt(obs []sample, at float64) (f line, ok bool) {
	width := neighbourhood(obs, at)
	var sw, sx, su float64
	weights := make([]float64, len(obs))
	for i, o := range obs {
		d := (o.x - at) / width
		k := math.Exp(-d * d / 2)
		f.near += k
		weights[i] = k / o.variance
		sw, sx, su = sw+weights[i], sx+weights[i]*o.x, su+weights[i]*o.u
	}
	mx, mu := sx/sw, su/sw
	var sxx, sxu float64
	for i, o := range obs {
		sxx += weights[i] * (o.x - mx) * (o.x - mx)
		sxu += weights[i] * (o.x - mx) * (o.u - mu)
	}
	if f.slope = sxu / sxx; sxx <= 0 || !(f.slope >= leastSlope) {
		return f, false
	}
	f.edge = mx - mu/f.slope
	// The fitted value at the edge is a sum of the u, each times l: its variance is
	// that of the sum, and more where the line does not go through the points. Where
	// many points lie closer to the line than they should, theirs was put too high.
	variance, misfit := 0.0, 0.0
	for i, o := range obs {
		l := weights[i] * (1/sw + (f.edge-mx)*(o.x-mx)/sxx)
		variance += l * l * o.variance
		r := o.u - mu - f.slope*(o.x-mx)
		misfit += weights[i] * r * r
	}
	if free := f.near - 2; free > 0 {
		least := 1.0
		if free >= manyFree {
			least = 0.3
		}
		variance *= max(misfit/free, least)
	}
	f.half = 1.96 * math.Sqrt(variance) / f.slope
	return f, true
}

// neighbourhood is wide enough to hold three observations.
func neighbourhood(obs []sample, at float64) float64 {
	var nearest [3]float64
	for i := range nearest {
		nearest[i] = math.Inf(1)
	}
	for _, o := range obs {
		d := math.Abs(o.x - at)
		for i := range nearest {
			if d < nearest[i] {
				d, nearest[i] = nearest[i], d
			}
		}
	}
	if math.IsInf(nearest[2], 1) {
		return max(leastWidth, nearest[1])
	}
	return max(leastWidth, nearest[2])
}
