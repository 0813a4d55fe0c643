package main

import (
	"fmt"
	"math"
	"strings"
)

// most is how many means a series is divided into: neighbours then know less of each other than looks do.
const most = 24

// A trend is a line through a series, in its own unit.
type trend struct {
	Mean      float64
	Slope     float64 // an hour
	Low, High float64 // the slope's 95 % interval
	N         int
}

// fit draws the line through means of neighbours. Looks ten seconds apart are alike, and a line through them all
// would be surer than it may: the interval is that of the means, whose number is small.
func fit(seconds, values []float64) (trend, bool) {
	const least = 6
	n := min(len(values), most)
	if n < least {
		return trend{}, false
	}
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		from, to := i*len(values)/n, (i+1)*len(values)/n
		x[i], y[i] = mean(seconds[from:to])/3600, mean(values[from:to])
	}
	mx, my := mean(x), mean(y)
	var sxx, sxy float64
	for i := range x {
		sxx += (x[i] - mx) * (x[i] - mx)
		sxy += (x[i] - mx) * (y[i] - my)
	}
	if sxx == 0 {
		return trend{}, false
	}
	t := trend{Mean: my, Slope: sxy / sxx, N: n}
	var rest float64
	for i := range x {
		d := y[i] - my - t.Slope*(x[i]-mx)
		rest += d * d
	}
	half := student95(n-2) * math.Sqrt(rest/float64(n-2)/sxx)
	t.Low, t.High = t.Slope-half, t.Slope+half
	return t, true
}

// student95 is the two-sided 95 % point of Student's distribution: from a table's values where they differ, by
// the expansion of Cornish and Fisher.
func student95(freedom int) float64 {
	const z = 1.959964
	f := float64(freedom)
	return z + (z*z*z+z)/(4*f) + (5*math.Pow(z, 5)+16*z*z*z+3*z)/(96*f*f) + (3*math.Pow(z, 7)+19*math.Pow(z, 5)+17*z*z*z-15*z)/(384*f*f*f)
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// settled are the looks behind the warm-up at which nearly all streams were open, with the journal's bytes of each
// request since the look before. A machine that has no time for the client leaves streams unused: what is open and
// written then says nothing of what a request costs. left is how many were left out for that.
func settled(points []point) (list []point, left int) {
	if len(points) == 0 {
		return nil, 0
	}
	peak := 0.0
	for i := range points {
		peak = max(peak, points[i].InFlight)
	}
	from := points[0].Seconds + warmup*(points[len(points)-1].Seconds-points[0].Seconds)
	const nearly = 0.95
	for i := 1; i < len(points); i++ {
		p, before := points[i], &points[i-1]
		switch {
		case p.Seconds < from:
			continue
		case min(p.InFlight, before.InFlight) < nearly*peak || p.Ended-before.Ended < leastEnded:
			left++
			continue
		}
		p.JournalPerEach = (p.Journal - before.Journal) / (p.Ended - before.Ended)
		list = append(list, p)
	}
	return list, left
}

// leastEnded is how many requests a look must have behind it: bytes of a few are an accident.
const leastEnded = 50

// verdict is the table, and whether all is flat. A series fails if its interval lies above what it may grow by:
// then it is no noise. One whose interval is wider than the bound proves nothing and is said to be unknown.
func verdict(points []point) (string, bool) {
	var b strings.Builder
	list, left := settled(points)
	judged := 0.0
	seconds := make([]float64, len(list))
	for i := range list {
		seconds[i] = list[i].Seconds
	}
	if len(list) > 0 {
		last := list[len(list)-1]
		judged = last.Seconds - list[0].Seconds
		fmt.Fprintf(&b, "%.0f s, %.0f requests ended; judged: %d looks of the last %.0f s, without %d at which streams were unused\n", last.Seconds, last.Ended, len(list), judged, left)
	}
	fmt.Fprintf(&b, "%-32s %12s %12s %12s %26s %10s  %s\n", "", "first", "last", "mean", "change an hour (95 %)", "may be", "")
	ok := true
	for _, c := range bounds {
		values := make([]float64, len(list))
		for i := range list {
			values[i] = c.value(&list[i]) * c.scale
		}
		t, fitted := fit(seconds, values)
		if judged < c.least {
			fmt.Fprintf(&b, "%-32s %s\n", c.name, fmt.Sprintf("unknown: %.0f s are judged, and it needs %.0f", judged, c.least))
			ok = ok && len(list) > 0
			continue
		}
		if !fitted {
			fmt.Fprintf(&b, "%-32s %s\n", c.name, "unknown: too few looks")
			ok = false
			continue
		}
		may := c.share * math.Abs(t.Mean)
		word := "flat"
		switch {
		case t.Low > may:
			word, ok = "GROWS", false
		case t.High > may:
			word = "not shown to grow; the run is too short or too noisy to exclude it"
		}
		fmt.Fprintf(&b, "%-32s %12.1f %12.1f %12.1f %26s %10.2f  %s\n", c.name+unit(c.unit), values[0], values[len(values)-1], t.Mean, fmt.Sprintf("%+.2f (%+.2f to %+.2f)", t.Slope, t.Low, t.High), may, word)
	}
	return b.String(), ok
}

func unit(u string) string {
	if u == "" {
		return ""
	}
	return ", " + u
}
