package job

import "slices"

// Idle adds up the time in which nothing was in flight. Requests come about in the order in which they ended, as a journal
// has them; what is kept are the stretches in which something was in flight.
type Idle struct {
	busy []stretch // apart from each other, in time
	sum  int64     // of the stretches that are not kept any more
}

type stretch struct{ from, to int64 }

// maxStretches bounds the memory: 16 MB. The older half is then only a sum, which no later request can have begun before.
const maxStretches = 1 << 20

// Add takes in a request.
func (d *Idle) Add(sent, end int64) {
	s := stretch{max(sent, 0), end}
	if s.to <= s.from {
		return
	}
	at := len(d.busy)
	for at > 0 && d.busy[at-1].to >= s.from {
		at--
	}
	last := at
	for last < len(d.busy) && d.busy[last].from <= s.to {
		s.from, s.to = min(s.from, d.busy[last].from), max(s.to, d.busy[last].to)
		last++
	}
	d.busy = slices.Replace(d.busy, at, last, s)
	if len(d.busy) >= maxStretches {
		old := d.busy[:len(d.busy)/2]
		for _, s := range old {
			d.sum += s.to - s.from
		}
		d.busy = slices.Delete(d.busy, 0, len(old))
	}
}

// Time is how much of the run, which took so long, had nothing in flight.
func (d *Idle) Time(run int64) int64 {
	idle := run - d.sum
	for _, s := range d.busy {
		idle -= min(s.to, run) - min(s.from, run)
	}
	return max(idle, 0)
}
