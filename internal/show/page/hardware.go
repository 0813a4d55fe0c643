package page

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/judge/chartdata"
	judge "github.com/inferometer/inferometer/internal/judge/hardware"
	"github.com/inferometer/inferometer/internal/show/chart"
	"github.com/inferometer/inferometer/internal/show/hardware"
)

// hardwareView is what devices told: a sentence for each kind, and a table of all.
type hardwareView struct {
	Lines []hardware.Line
	Table *table
}

func newHardwareView(id string, s *judge.Summary) *hardwareView {
	v := &hardwareView{Lines: hardware.Lines(s)}
	if s == nil || len(s.Devices) == 0 && len(v.Lines) == 0 {
		return nil
	}
	if len(s.Devices) > 0 {
		v.Table = hardwareTable(id+"-hardware", s)
	}
	return v
}

func hardwareTable(id string, s *judge.Summary) *table {
	t := &table{
		ID: id, Caption: "Devices over the measured time",
		Heads: heads("device", "name", "#power, W", "#most, W", "#limit, W", "#energy, J", "by", "#clock, MHz", "#least", "#could be", "#hottest, °C", "#busy, %", "#memory, GiB", "throttled"),
	}
	for i := range s.Devices {
		d := &s.Devices[i]
		name := d.Source + " " + d.ID
		if d.Agent != nil {
			name = fmt.Sprintf("agent %d, %s", *d.Agent+1, name)
		}
		by := d.EnergyBy
		switch {
		case d.Same != "":
			by = "the same as of " + d.Same
		case d.Idle():
			by = "idle"
		}
		t.Lines = append(t.Lines, []cell{
			words(name), words(d.Name), maybe(d.PowerW, 1), maybe(d.MaxPowerW, 1), maybe(d.PowerLimitW, 1), maybe(d.EnergyJ, 1), words(by),
			maybe(d.ClockMHz, 1), maybe(d.MinClockMHz, 1), maybe(d.MaxClockMHz, 1), maybe(d.MaxTempC, 1), maybe(d.Busy, 100), maybe(d.MaxMemoryBytes, 1.0/(1<<30)), words(hardware.Throttled(d)),
		})
	}
	return t
}

// maybe is a value that may not be known.
func maybe(v *float64, by float64) cell {
	if v == nil {
		return cell{Text: "–", Class: "num"}
	}
	return value(*v * by)
}

// hardwarePanels are those of what devices told.
var hardwarePanels = map[string]panel{
	chartdata.PowerPanel:       {"Power of devices", "W"},
	chartdata.ClockPanel:       {"Clocks of devices", "MHz"},
	chartdata.TemperaturePanel: {"Temperatures of devices", "°C"},
}

// hardwareCharts draw power, clocks and temperatures, a line for each device.
func hardwareCharts(t *chartdata.Run) []*chart.Chart { return panelCharts(t.Hardware, hardwarePanels) }
