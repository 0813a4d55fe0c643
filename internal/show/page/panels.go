package page

import (
	"fmt"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/chartdata"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/chart"
)

// panel is how the series of one name are drawn: in one chart.
type panel struct{ title, unit string }

// serverPanels are those of the servers' own metrics.
var serverPanels = map[string]panel{
	"requests": {"The server's own count of requests", "requests"},
	"kv":       {"The server's KV cache in use", "share"},
	"tokens":   {"The server's own count of generated tokens", "tok/s"},

	"prompt":      {"The server's own count of prompt tokens", "tok/s"},
	"preemptions": {"The server's preemptions", "per second"},
	"hits":        {"The server's prefix cache", "share found"},
	"drafts":      {"The server's speculative decoding", "share accepted"},
}

// mostPanels bounds what somebody else's list of series can make of a page.
const mostPanels = 24

// serverCharts are the server's own metrics, where the run has read them on its way.
func serverCharts(t *chartdata.Run) []*chart.Chart {
	return onTime(t, panelCharts(t.Server, serverPanels)...)
}

// panelCharts draws series by their panels, in the order in which these come first. A
// panel that has no look is called by its own name.
func panelCharts(list []chartdata.ServerSeries, looks map[string]panel) []*chart.Chart {
	byPanel := map[string][]chartdata.ServerSeries{}
	var names []string
	for _, s := range list {
		if _, known := byPanel[s.Panel]; !known {
			names = append(names, s.Panel)
		}
		byPanel[s.Panel] = append(byPanel[s.Panel], s)
	}
	var out []*chart.Chart
	for _, name := range names[:min(len(names), mostPanels)] {
		look, ok := looks[name]
		if !ok {
			look.title = clip(name)
		}
		c := &chart.Chart{Title: look.title, Y: chart.Axis{Label: look.unit}}
		chosen := foremost(byPanel[name])
		for i, s := range chosen {
			c.Series = append(c.Series, chart.Series{Name: outside.Line(s.Name, mostSeriesName), X: s.At, Y: s.Value, Dashed: i%2 > 0})
		}
		if all := len(byPanel[name]); all > len(chosen) {
			c.Note = fmt.Sprintf("Drawn are the %d series with the highest means; %d others are left out.", len(chosen), all-len(chosen))
		}
		out = append(out, c)
	}
	if left := len(names) - mostPanels; left > 0 {
		c := out[len(out)-1]
		c.Note += fmt.Sprintf(" %d more kinds of series are not drawn.", left)
	}
	return out
}

// foremost are the series with the highest means, as many as can be told apart, in their order.
func foremost(list []chartdata.ServerSeries) []chartdata.ServerSeries {
	if len(list) <= mostSeries {
		return list
	}
	means, order := make([]float64, len(list)), make([]int, len(list))
	for i, s := range list {
		order[i] = i
		sum, n := 0.0, 0
		for _, v := range s.Value {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				sum, n = sum+v, n+1
			}
		}
		means[i] = sum / float64(max(n, 1))
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case means[a] > means[b]:
			return -1
		case means[a] < means[b]:
			return 1
		}
		return 0
	})
	chosen := order[:mostSeries]
	slices.Sort(chosen)
	out := make([]chartdata.ServerSeries, mostSeries)
	for i, k := range chosen {
		out[i] = list[k]
	}
	return out
}

// hardwarePanels are those of what devices told.
var hardwarePanels = map[string]panel{
	chartdata.PowerPanel:       {"Power of devices", "W"},
	chartdata.ClockPanel:       {"Clocks of devices", "MHz"},
	chartdata.TemperaturePanel: {"Temperatures of devices", "°C"},
}

// hardwareCharts draw power, clocks and temperatures, a line for each device.
func hardwareCharts(t *chartdata.Run) []*chart.Chart {
	return onTime(t, panelCharts(t.Hardware, hardwarePanels)...)
}
