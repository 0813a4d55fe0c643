package recovery

import "math"

// trial is one request held against what was before.
type trial struct {
	at       int64 // where it stands
	until    int64 // when it was over; 0: what was sent after it tells
	bad, far bool  // worse than before; and far beyond it
	open     bool  // it was still bad when the time ended that is looked at
}

func isBad(t *trial) bool { return t.bad }
func isFar(t *trial) bool { return t.far }

// spell is a part of a list of trials in which more are bad than chance explains: from its first bad one to its last. It
// is open where nothing after it shows that it is over.
type spell struct {
	from, to int
	open     bool
}

// The levels that a scan looks for: the share of requests that are bad in a spell. A dense one has sharp ends, a thin one is
// found only where many requests say so.
var levels = []float64{0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002}

const (
	// doubt is how often a list of trials with no spell in it may seem to have one.
	doubt = 0.005
	// over is by how much the evidence of a spell must have fallen from its peak for it to be over: as if it were a hundred
	// times likelier that things are as before.
	over = 4.6
	// near is how long after a fault a spell begins with it.
	near = 2_000_000_000 // ns
)

// scan finds spells: CUSUM, the sum of the logarithms of how much likelier a trial is in a spell than before, at each level,
// the densest first; what lies in a spell is not looked at again. Where a spell begins at the fault itself little evidence is
// enough; later ones, which might begin anywhere, take more. Where bad ones come in clusters anyway, evidence counts less, and
// a later cluster needs to be far beyond those.
func scan(list []trial, n normality, bad func(*trial) bool) []spell {
	var used []float64
	for _, p := range levels {
		if p >= 2*n.share {
			used = append(used, p)
		}
	}
	inside := make([]bool, len(list))
	var out []spell
	for _, p := range used {
		up, down := math.Log(p/n.share), math.Log((1-p)/(1-n.share))
		needed := func(from int) float64 {
			later := min(2*math.Log(float64(from+1))+0.5, math.Log(float64(len(list))))
			if list[from].at > list[0].at+near {
				later *= n.stretch
			}
			return n.stretch * (math.Log(2*float64(len(used))/doubt) + later)
		}
		sum, peak, from, to := 0.0, 0.0, 0, 0
		end := func(open bool) {
			if peak > 0 && peak >= needed(from) {
				out = append(out, spell{from, to, open})
				for i := from; i <= to; i++ {
					inside[i] = true
				}
			}
			sum, peak = 0, 0
		}
		for i := range list {
			if inside[i] {
				continue
			}
			if !bad(&list[i]) {
				if sum += down; sum <= 0 || peak >= needed(from) && peak-sum > over*n.stretch {
					end(false)
				}
				continue
			}
			if sum == 0 {
				from = i
			}
			if sum += up; sum > peak {
				peak, to = sum, i
			}
		}
		end(peak-sum <= over*n.stretch)
	}
	return out
}
