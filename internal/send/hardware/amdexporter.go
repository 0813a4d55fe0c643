package hardware

import (
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

var amdExporter = kind{
	name: "amd", url: true, doc: "AMD's device-metrics-exporter",
	open: func(w *world, url string) source { return &exporter{w.client, url, amdPage{}} },
}

// amdPage reads the metrics of AMD's exporter, with and without the prefix that it can be
// given. What a board or a guest does not tell is 0 there.
type amdPage struct{}

func (amdPage) of(lines []line) []journal.Device {
	clocks := map[string][]float64{} // a board has one for each of its dies
	list := boards(lines, func(l *line) (id, name string) {
		name, ok := strings.CutPrefix(strings.TrimPrefix(l.Name, "amd_"), "gpu_")
		id = l.Label("gpu_id")
		if p := l.Label("gpu_partition_id"); !ok || id == "" || p != "" && p != "0" {
			return "", ""
		}
		if kind := l.Label("clock_type"); kind != "" {
			name += " " + kind
			if name == amdSystemClock && len(clocks[id]) < 64 {
				clocks[id] = append(clocks[id], l.Value)
			}
		}
		return id, name
	})
	var out []journal.Device
	for _, b := range list {
		d := journal.Device{
			ID: b.id, Name: b.first.Label("card_series"),
			PowerW:   first(positive(b.get("package_power")), positive(b.get("average_package_power")), positive(b.get("power_usage"))),
			EnergyJ:  scaled(positive(b.get("energy_consumed")), 1e-6),
			ClockMHz: mean(clocks[b.id]), MaxClockMHz: b.get("max_clock GPU_CLOCK_TYPE_SYSTEM"), MemoryClockMHz: b.get("clock GPU_CLOCK_TYPE_MEMORY"),
			TemperatureC: first(positive(b.get("junction_temperature")), positive(b.get("edge_temperature"))),
			Busy:         scaled(b.get("gfx_activity"), 0.01),
		}
		if d.Name == "" {
			d.Name = b.first.Label("card_model")
		}
		unit := amdMemoryUnit(b.get("total_vram"))
		d.MemoryUsed, d.MemoryTotal = scaled(b.get("used_vram"), unit), scaled(b.get("total_vram"), unit)
		for name, v := range b.values {
			name, ok := strings.CutPrefix(name, "violation_")
			if !ok || !(v > 0) {
				continue
			}
			if name, ok = strings.CutSuffix(name, "_residency_percentage"); ok && amdReason(name) != "" {
				d.Throttle = append(d.Throttle, amdReason(name))
			}
		}
		out = append(out, d)
	}
	return out
}

const amdSystemClock = "clock GPU_CLOCK_TYPE_SYSTEM"

// amdMemoryUnit: early versions counted bytes, later ones mebibytes, by the same name.
func amdMemoryUnit(total *float64) float64 {
	if total != nil && *total > 1e8 {
		return 1
	}
	return 1 << 20
}

func mean(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return some(sum / float64(len(values)))
}
