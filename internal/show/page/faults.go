package page

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/judge/chartdata"
	"github.com/inferometer/inferometer/internal/judge/recovery"
	"github.com/inferometer/inferometer/internal/show/chart"
	"github.com/inferometer/inferometer/internal/show/section"
)

// maxEvents is how many faults are drawn: more are a wall.
const maxEvents = 60

// faultEvents are the faults of a run on its time axis: the first of each episode is a band for as long as it was felt, the
// others are lines.
func faultEvents(r *recovery.Recovery) (list []chart.Event) {
	if r == nil {
		return nil
	}
	for i := range r.Episodes {
		e := &r.Episodes[i]
		for k := range e.Faults {
			f := &e.Faults[k]
			one := chart.Event{From: f.At, To: f.At, Label: section.FaultName(brief(f))}
			if k == 0 {
				for _, long := range []*float64{e.Seconds, e.AtLeast} {
					if long != nil {
						one.To = f.At + *long
					}
				}
				one.Hint = fmt.Sprintf("%s at %.2f s: recovered after: %s; requests lost: %d", section.FaultName(f), f.At, section.RecoveredWords(e), e.Lost)
			}
			if list = append(list, one); len(list) == maxEvents {
				return list
			}
		}
	}
	return list
}

// brief is a fault without its details, where it says whom it was done to: a chart has little room.
func brief(f *recovery.Fault) *recovery.Fault {
	short := *f
	if f.On != "" {
		short.Detail = ""
	}
	return &short
}

// failures are the requests that failed, per second, a line for each outcome.
func failures(t *chartdata.Run) *chart.Chart {
	c := &chart.Chart{Title: "Failures per second by outcome", Y: chart.Axis{Label: "req/s"}}
	for i, f := range t.Failures[:min(len(t.Failures), mostSeries)] {
		c.Series = append(c.Series, chart.Series{Name: string(f.Outcome), X: t.At, Y: f.PerSecond, Dashed: i%2 > 0})
	}
	return onTime(t, c)[0]
}
