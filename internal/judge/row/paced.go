package row

import (
	"math"

	"github.com/inferometer/inferometer/internal/journal"
)

// Paced are the requests that a pace made due: all but the later turns of conversations.
type Paced struct {
	N    int64
	Last int64 // when the last was due
}

// Add takes in a measured request.
func (p *Paced) Add(q *journal.Request) {
	if len(q.After) == 0 {
		p.N++
		p.Last = max(p.Last, q.Due)
	}
}

// Rates are requests a second as they were asked for, and as their times were drawn. ok is
// false where no rate was asked for, no request came, a user stopped the pace for a while, or
// the run is one client's share of another.
func (p Paced) Rates(run *journal.Run, end *journal.End) (asked, drawn float64, ok bool) {
	o := &run.Options
	over := float64(p.Last)
	asked = o.RequestRate
	if w := o.Asked; w != nil && w.Over > 0 && w.Requests > 0 {
		asked = w.Requests / float64(w.Over) * 1e9
		if p.whole(o, end, over) {
			over = float64(w.Over)
		} else if o.RequestRate == 0 {
			return 0, 0, false // a part of stages has another rate than all of them
		}
	}
	if asked <= 0 || over <= 0 || p.N == 0 || run.Share != "" || end != nil && len(end.Pauses) > 0 {
		return 0, 0, false
	}
	return asked, float64(p.N) / over * 1e9, true
}

// whole says that the pace came to the end of its time: then the time after the last
// request counts too.
func (p Paced) whole(o *journal.Options, end *journal.End, last float64) bool {
	if end == nil || end.Interrupted != "" || end.Stopped != "" && end.Stopped != journal.BoundReached {
		return false
	}
	// So long a silence at the end is no chance: the dataset ended, or a limit of requests.
	silence := 20.0 // mean gaps
	if o.Burstiness > 0 && o.Burstiness < 1 {
		silence /= o.Burstiness
	}
	return float64(o.Asked.Over)-last < silence*float64(o.Asked.Over)/o.Asked.Requests
}

// OffNoticed is from which share on it is told that a drawn rate is not the asked one.
const OffNoticed = 0.01

// OffBy says how far the drawn rate is from the asked one, as a share of it. What one request
// makes is nothing.
func (p Paced) OffBy(asked, drawn float64) float64 {
	return max(math.Abs(drawn/asked-1)-1.5/float64(max(p.N, 1)), 0)
}
