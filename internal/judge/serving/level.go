package serving

import (
	"math"
	"slices"
)

// Level is a gauge over the load.
type Level struct {
	Mean  float64 `json:"mean"` // over time: a value holds half way to its neighbours
	Max   float64 `json:"max"`  // of the values that were read: a peak between two is not seen
	Reads int     `json:"reads"`
	Above float64 `json:"share_above_0"` // share of the time in which it was above 0
}

// level is a gauge over what was read of it; nil: nothing was.
func level(at, values []float64) *Level {
	var t, v []float64
	for i := range values {
		if !math.IsNaN(values[i]) {
			t, v = append(t, at[i]), append(v, values[i])
		}
	}
	if len(v) == 0 {
		return nil
	}
	l := &Level{Max: slices.Max(v), Reads: len(v)}
	sum, above := 0.0, 0.0
	for i := range v {
		w := weight(t, i)
		sum += w
		l.Mean += w * v[i]
		if v[i] > 0 {
			above += w
		}
	}
	l.Mean, l.Above = l.Mean/sum, above/sum
	return l
}

// weight is the time for which a value stands. Of values that were read at one moment each
// counts as much.
func weight(at []float64, i int) float64 {
	if at[0] == at[len(at)-1] {
		return 1
	}
	return (at[min(i+1, len(at)-1)] - at[max(i-1, 0)]) / 2
}

// summed is a gauge over all servers: at each moment at which one of them said something the
// sum of what each said last. Nothing until each has, and nothing where one never does.
func summed(courses []Course, m Meaning) (at, values []float64) {
	type event struct {
		at, value float64
		of        int
	}
	var events []event
	for of := range courses {
		list := courses[of].Gauge[m]
		if list == nil {
			return nil, nil
		}
		for i, v := range list {
			if !math.IsNaN(v) {
				events = append(events, event{courses[of].At[i], v, of})
			}
		}
	}
	slices.SortStableFunc(events, func(a, b event) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	last, known := make([]float64, len(courses)), map[int]bool{}
	for _, e := range events {
		last[e.of], known[e.of] = e.value, true
		if len(known) < len(courses) {
			continue
		}
		sum := 0.0
		for _, v := range last {
			sum += v
		}
		at, values = append(at, e.at), append(values, sum)
	}
	return at, values
}
