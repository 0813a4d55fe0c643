package chartdata

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

// The panels of what devices told.
const (
	PowerPanel       = "power"
	ClockPanel       = "clock"
	TemperaturePanel = "temperature"
)

// fewReadings are no course.
const fewReadings = 3

// Hardware are the courses of power, clock and temperature, one series for each device.
// Where a device counts energy and tells no power, it is the counter's rate.
func Hardware(lines []journal.Hardware) []ServerSeries {
	type key struct {
		agent      int
		source, id string
	}
	var order []key
	readings := map[key][]reading{}
	for i := range lines {
		for j := range lines[i].Devices {
			d := &lines[i].Devices[j]
			k := key{lines[i].Agent, lines[i].Source, d.ID}
			if readings[k] == nil {
				order = append(order, k)
			}
			readings[k] = append(readings[k], reading{float64(lines[i].At) / 1e9, d})
		}
	}
	fleet := slices.ContainsFunc(order, func(k key) bool { return k.agent > 0 })
	var out []ServerSeries
	for _, panel := range []string{PowerPanel, ClockPanel, TemperaturePanel} {
		for _, k := range order {
			name := k.source + " " + k.id
			if strings.HasPrefix(k.id, "package") || strings.HasPrefix(k.id, "dram") || strings.HasPrefix(k.id, "card") {
				name = k.id
			}
			if fleet {
				name = fmt.Sprintf("%s, agent %d", name, k.agent+1)
			}
			if s := hardwareSeries(name, panel, readings[k]); len(s.At) >= fewReadings {
				out = append(out, s)
			}
		}
	}
	return out
}

type reading struct {
	at float64
	*journal.Device
}

func hardwareSeries(name, panel string, list []reading) ServerSeries {
	s := ServerSeries{Name: name, Panel: panel}
	var before *reading
	for i := range list {
		r := &list[i]
		if r.at < 0 {
			continue
		}
		at, v := r.at, r.TemperatureC
		switch panel {
		case ClockPanel:
			v = r.ClockMHz
		case PowerPanel:
			v = r.PowerW
			if v == nil && r.EnergyJ != nil {
				if before != nil && r.at > before.at && *r.EnergyJ >= *before.EnergyJ {
					watts := (*r.EnergyJ - *before.EnergyJ) / (r.at - before.at)
					at, v = (r.at+before.at)/2, &watts
				}
				before = r
			}
		}
		if v != nil {
			s.At, s.Value = append(s.At, at), append(s.Value, *v)
		}
	}
	s.At, s.Value = thinned(s.At, MostPoints), thinned(s.Value, MostPoints)
	return s
}
