package page

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/judge/chartdata"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/chart"
)

// replicaCharts are the load and the time to the first token of each replica, over time.
func replicaCharts(t *chartdata.Run) []*chart.Chart {
	if len(t.Replicas) == 0 {
		return nil
	}
	load := &chart.Chart{Title: "Requests per second of each replica, by time of sending", Y: chart.Axis{Label: "req/s"}}
	ttft := &chart.Chart{Title: "Mean TTFT of each replica, by time of sending", Y: chart.Axis{Label: "ms"}}
	for i := range t.Replicas {
		s := &t.Replicas[i]
		name := outside.Line(s.Name, mostName)
		if s.Together > 0 {
			name = fmt.Sprintf("the other %d, mean", s.Together)
			load.Note = fmt.Sprintf("Drawn one by one are the %d replicas that differ most from the others.", len(t.Replicas)-1)
		}
		load.Series = append(load.Series, chart.Series{Name: name, X: t.At, Y: s.Sent, Dashed: i%2 > 0})
		ttft.Series = append(ttft.Series, chart.Series{Name: name, X: t.At, Y: s.TTFT, Dashed: i%2 > 0})
	}
	return onTime(t, load, ttft)
}
