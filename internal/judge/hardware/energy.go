package hardware

import (
	"math"
	"slices"
)

// How the energy of a device is known.
const (
	ByCounter = "counter" // the device counts joules
	ByPower   = "power"   // its power, added up over the time between readings
)

const (
	// minCovered: energy that was measured for less of the time is not known.
	minCovered = 0.8
	// usualGap: two readings that are farther apart say nothing of the time between them, unless they are read as rarely.
	usualGap = 5
)

// energy is that of the measured time. Each stretch between two readings counts by the part of
// it that lies in that time; the stretches that can't be known (a gap, a counter that began
// anew) are taken to be like the others, if those cover most of the time.
func (t *track) energy(d *Device, end float64) {
	if t.stale {
		d.EnergyUnknown = "the source did not renew its values during the run"
		return
	}
	by, measure := ByPower, t.byPower
	if t.counts(end) {
		by, measure = ByCounter, t.byCounter
	}
	joules, covered := measure(end)
	switch {
	case !t.tells():
		return // it knows no power: nothing to explain
	case covered < minCovered*end:
		d.EnergyUnknown = "its power is known for less than 80 % of the time"
		return
	}
	watts := joules / covered
	total := watts * end
	d.EnergyJ, d.EnergyBy, d.PowerW = &total, by, &watts
}

// tells says that there is a power or a counter at all.
func (t *track) tells() bool {
	return slices.ContainsFunc(t.readings, func(r reading) bool { return r.PowerW != nil || r.EnergyJ != nil })
}

// counts says that the counter can be used: it moved in at least half of the stretches. One
// that is renewed more rarely than it is read says too little of a run's edges, where there is
// a power to go by.
func (t *track) counts(end float64) bool {
	stretches, moved, power := 0, 0, false
	var before *float64
	for _, r := range t.readings {
		power = power || r.PowerW != nil
		if r.EnergyJ == nil || r.at > end+usualGap {
			continue
		}
		if before != nil {
			stretches++
			if *r.EnergyJ != *before {
				moved++
			}
		}
		before = r.EnergyJ
	}
	if !power {
		return moved > 0
	}
	return moved > 0 && 2*moved >= stretches
}

// byCounter adds up what the counter grew. A counter that fell began anew, and by how much it
// grew before is not known.
func (t *track) byCounter(end float64) (joules, covered float64) {
	var last *reading
	for i := range t.readings {
		r := &t.readings[i]
		if r.EnergyJ == nil {
			continue
		}
		if last != nil && *r.EnergyJ >= *last.EnergyJ && r.at > last.at {
			part := overlap(last.at, r.at, end)
			joules += (*r.EnergyJ - *last.EnergyJ) * part / (r.at - last.at)
			covered += part
		}
		last = r
	}
	return joules, covered
}

// byPower takes power to change evenly between readings, and to be that of the first and the
// last one beyond them, for as long as a stretch may be.
func (t *track) byPower(end float64) (joules, covered float64) {
	gap := t.gap()
	var last *reading
	for i := range t.readings {
		r := &t.readings[i]
		if r.PowerW == nil {
			continue
		}
		switch {
		case last == nil:
			part := overlap(max(r.at-gap, 0), r.at, end)
			joules, covered = *r.PowerW*part, part
		case r.at > last.at && r.at-last.at <= gap:
			a, b := max(last.at, 0), min(r.at, end)
			if part := b - a; part > 0 {
				slope := (*r.PowerW - *last.PowerW) / (r.at - last.at)
				middle := *last.PowerW + slope*((a+b)/2-last.at)
				joules += middle * part
				covered += part
			}
		}
		last = r
	}
	if last != nil && last.at < end {
		part := min(end-max(last.at, 0), gap)
		joules += *last.PowerW * part
		covered += part
	}
	return joules, covered
}

// overlap is how much of a stretch lies in the measured time.
func overlap(a, b, end float64) float64 { return max(min(b, end)-max(a, 0), 0) }

// gap is the longest stretch that is believed: three times the usual one.
func (t *track) gap() float64 {
	var steps []float64
	for i := 1; i < len(t.readings); i++ {
		steps = append(steps, t.readings[i].at-t.readings[i-1].at)
	}
	if len(steps) == 0 {
		return usualGap
	}
	slices.Sort(steps)
	return max(usualGap, 3*steps[len(steps)/2])
}

// exporters may keep values for longer than a run: dcgm-exporter does for 30 s.
var exporters = []string{"dcgm", "amd", "node"}

// fewReadings are too few to say that nothing moved.
const fewReadings = 4

// staleSources are exporters of which no value of any device changed.
func staleSources(tracks []*track) map[from]bool {
	moved, read := map[from]bool{}, map[from]int{}
	for _, t := range tracks {
		if !slices.Contains(exporters, base(t.key.source)) {
			continue
		}
		read[t.from] = max(read[t.from], len(t.readings))
		for i := 1; i < len(t.readings); i++ {
			if differs(t.readings[i-1], t.readings[i]) {
				moved[t.from] = true
			}
		}
	}
	stale := map[from]bool{}
	for f, n := range read {
		stale[f] = n >= fewReadings && !moved[f]
	}
	return stale
}

func differs(a, b reading) bool {
	pairs := [][2]*float64{{a.PowerW, b.PowerW}, {a.EnergyJ, b.EnergyJ}, {a.ClockMHz, b.ClockMHz}, {a.TemperatureC, b.TemperatureC}, {a.Busy, b.Busy}, {a.MemoryUsed, b.MemoryUsed}}
	return slices.ContainsFunc(pairs, func(p [2]*float64) bool {
		return (p[0] == nil) != (p[1] == nil) || p[0] != nil && *p[0] != *p[1]
	})
}

// Energy is that of several devices together, and what it is per piece of work.
type Energy struct {
	Of             string   `json:"of"` // gpu, cpu (with its memory), or all
	Devices        int      `json:"devices"`
	By             string   `json:"by"` // counter, power, or "counter and power"
	Joules         float64  `json:"joules"`
	Watts          float64  `json:"watts"`                // the mean
	IdleWatts      *float64 `json:"idle_watts,omitempty"` // of devices that did nothing, and are not in the rest
	PerOutputToken *float64 `json:"joules_per_output_token,omitempty"`
	PerRequest     *float64 `json:"joules_per_request,omitempty"`
	PerJob         *float64 `json:"joules_per_job,omitempty"`
	TokensPerJoule *float64 `json:"output_tokens_per_joule,omitempty"`
}

// energies are those of GPUs and of processors, and of both where both are known. Where the
// energy of a device that counts is not known, that of all is not either.
func energies(list []Device, w *Work) []Energy {
	var out []Energy
	gpus, someGPU := energyOf(list, w, GPU, GPU)
	cpus, someCPU := energyOf(list, w, CPU, CPU, Memory)
	if someGPU {
		out = append(out, gpus)
	}
	if someCPU {
		out = append(out, cpus)
	}
	if someGPU && someCPU {
		all, _ := energyOf(list, w, "all", GPU, CPU, Memory)
		out = append(out, all)
	}
	return out
}

func energyOf(list []Device, w *Work, name string, kinds ...string) (Energy, bool) {
	e := Energy{Of: name}
	idle := 0.0
	for i := range list {
		d := &list[i]
		switch {
		case !slices.Contains(kinds, d.Kind) || d.Same != "":
			continue
		case d.Idle() && d.PowerW != nil:
			idle += *d.PowerW
			continue
		case !d.counts():
			continue
		case d.EnergyJ == nil && d.Kind == GPU && (d.Worked != nil || d.EnergyUnknown != ""):
			return Energy{}, false // it worked, and took nobody knows how much
		case d.EnergyJ == nil: // its clocks alone are told
			continue
		}
		e.Devices++
		e.Joules += *d.EnergyJ
		switch e.By {
		case "", d.EnergyBy:
			e.By = d.EnergyBy
		default:
			e.By = ByCounter + " and " + ByPower
		}
	}
	if e.Devices == 0 {
		return Energy{}, false
	}
	e.Watts = e.Joules / w.Seconds
	if idle > 0 {
		e.IdleWatts = &idle
	}
	e.PerOutputToken, e.PerRequest, e.PerJob = per(e.Joules, w.Output), per(e.Joules, w.Requests), per(e.Joules, w.Jobs)
	if e.Joules > 0 && w.Output > 0 {
		v := float64(w.Output) / e.Joules
		e.TokensPerJoule = &v
	}
	return e, true
}

func per(joules float64, of int64) *float64 {
	if of <= 0 || math.IsNaN(joules) {
		return nil
	}
	v := joules / float64(of)
	return &v
}
