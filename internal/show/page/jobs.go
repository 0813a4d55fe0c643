package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/chartdata"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/chart"
)

// The bounds of the picture of jobs: a lane is as high as a line of text.
const (
	maxJobLanes = 60
	jobLane     = 18 // pixels
	jobFrame    = 100
)

// jobLanes is the first jobs in time: a lane for each branch, in it a bar for each turn and a thin line for each pause
// before one.
func jobLanes(t *chartdata.Run) *chart.Chart {
	parts := []*chart.Series{
		{Name: "tools and pauses", Dashed: true, Color: 7},
		{Name: "to the first token", Color: 1},
		{Name: "generating", Color: 3},
		{Name: "did not complete", Color: 8},
		{Name: "on the critical path", Dashed: true, Color: 2},
	}
	for _, s := range parts {
		s.Kind = chart.Spans
	}
	c := &chart.Chart{Title: "Jobs, turn by turn", Empty: "no turn has ended"}
	lanes, shown, left, first, last := 0, 0, 0, math.Inf(1), 0.0
	for i := range t.Jobs {
		j := &t.Jobs[i]
		if lanes+len(j.Branches) > maxJobLanes && lanes > 0 {
			break
		}
		shown++
		left += j.Left
		for k := range j.Branches[:min(len(j.Branches), maxJobLanes)] {
			lanes++
			y := float64(-lanes)
			c.Y.Ticks = append(c.Y.Ticks, chart.Tick{At: y, Label: laneName(j, k)})
			for n := range j.Branches[k].Turns {
				turn := &j.Branches[k].Turns[n]
				first, last = min(first, turn.From), max(last, turn.End)
				addTurn(parts, y, turn)
			}
		}
	}
	for _, s := range parts {
		if s.X = s.Low; len(s.Low) > 0 {
			c.Series = append(c.Series, *s)
		}
	}
	c.X, c.Y.Min, c.Y.Max = chart.Axis{Label: "seconds since the start", Unit: "s", Min: newFloat(min(first, last)), Max: newFloat(max(last, 0.1))}, newFloat(float64(-lanes)-0.7), newFloat(-0.3)
	c.Height = lanes*jobLane + jobFrame
	if rest := t.JobsTotal - shown; rest > 0 {
		c.Note = fmt.Sprintf("The first %d of %d jobs are shown.", shown, t.JobsTotal)
	}
	if left > 0 {
		c.Note += fmt.Sprintf(" %d later turns of them are left out.", left)
	}
	return c
}

// hitsOverTime is the share of the prompts that a prefix cache has, by the three who know.
func hitsOverTime(t *chartdata.Run, c *measure.CacheShare) *chart.Chart {
	series := []chart.Series{{Name: "by the plan or the recording"}, {Name: "by what was sent", Dashed: true}, {Name: "as the server says"}}
	of := func(h *measure.HitShares) []*float64 { return []*float64{h.Planned, h.Sent, h.Measured} }
	for i := range c.Course {
		slot := &c.Course[i]
		for k, v := range of(&slot.HitShares) {
			y := math.NaN()
			if v != nil {
				y = *v
			}
			series[k].X, series[k].Y = append(series[k].X, slot.From+slot.Width/2), append(series[k].Y, y)
		}
	}
	one := &chart.Chart{Title: "Prompts found in a prefix cache, by time of sending", Y: chart.Axis{Label: "share of tokens", Max: newFloat(1)}}
	for k, v := range of(&c.HitShares) {
		if v != nil {
			one.Series = append(one.Series, series[k])
		}
	}
	return onTime(t, one)[0]
}

// laneName is the job's for its root, and the kind for the others.
func laneName(j *chartdata.Job, branch int) string {
	b := &j.Branches[branch]
	if branch > 0 {
		return "↳ " + outside.Line(cmp.Or(b.Kind, b.Name, fmt.Sprintf("branch %d", branch)), mostName-10)
	}
	if j.Trace != "" {
		return fmt.Sprintf("%d: %s", j.Number, outside.Line(j.Trace, mostName-10))
	}
	return fmt.Sprintf("job %d", j.Number)
}

// addTurn draws one turn; parts are in the order of jobLanes.
func addTurn(parts []*chart.Series, y float64, t *chartdata.JobTurn) {
	hint := fmt.Sprintf("turn %d: due %s s, sent %s s later, ", t.Turn, short(t.Due), short(max(t.Sent-t.Due, 0)))
	if t.First >= 0 {
		hint += fmt.Sprintf("first token after %s s, ", short(t.First-t.Sent))
	}
	hint += fmt.Sprintf("end after %s s, %d tokens, %s", short(t.End-t.Sent), t.Tokens, t.Outcome)
	span := func(part int, low, high, at float64) {
		s := parts[part]
		s.Low, s.High, s.Y, s.Hints = append(s.Low, low), append(s.High, high), append(s.Y, at), append(s.Hints, hint)
	}
	if t.From < t.Due {
		s := parts[0]
		s.Low, s.High, s.Y = append(s.Low, t.From), append(s.High, t.Due), append(s.Y, y)
		s.Hints = append(s.Hints, fmt.Sprintf("pause of %s s before turn %d", short(t.Due-t.From), t.Turn))
	}
	switch {
	case !t.OK:
		span(3, t.Sent, t.End, y)
	case t.First < 0:
		span(2, t.Sent, t.End, y)
	default:
		span(1, t.Sent, t.First, y)
		span(2, t.First, t.End, y)
	}
	if t.Critical {
		s := parts[4]
		s.Low, s.High, s.Y = append(s.Low, t.From), append(s.High, t.End), append(s.Y, y-0.42)
		s.Hints = append(s.Hints, hint)
	}
}

// hasJobs says that there is more to be seen than single turns.
func hasJobs(t *chartdata.Run) bool {
	return slices.ContainsFunc(t.Jobs, func(j chartdata.Job) bool {
		return len(j.Branches) > 1 || len(j.Branches) == 1 && len(j.Branches[0].Turns) > 1
	})
}
