package hardware

import (
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

var dcgm = kind{
	name: "dcgm", url: true, doc: "NVIDIA's DCGM exporter",
	open: func(w *world, url string) source { return &exporter{w.client, url, dcgmPage{}} },
}

// dcgmPage reads DCGM's fields. It renews them every 30 s unless it is told otherwise (-c 1000).
type dcgmPage struct{}

func (dcgmPage) of(lines []line) []journal.Device {
	// Of a GPU that is divided (MIG) the whole has lines of its own; where it has none, as on
	// Kubernetes, its parts repeat what they share, and come second.
	const part = "part of "
	list := boards(lines, func(l *line) (id, name string) {
		name, ok := strings.CutPrefix(l.Name, "DCGM_FI_")
		if !ok || l.Label("gpu") == "" {
			return "", ""
		}
		if l.Label("GPU_I_ID") != "" {
			name = part + name
		}
		return l.Label("gpu"), name
	})
	var out []journal.Device
	for _, b := range list {
		shared := func(names ...string) *float64 {
			all := names
			for _, n := range names {
				all = append(all[:len(all):len(all)], part+n)
			}
			return b.get(all...)
		}
		const mebibyte, milli, percent = 1 << 20, 1e-3, 0.01
		d := journal.Device{
			ID: b.id, Name: b.first.Label("modelName"),
			PowerW: shared("DEV_POWER_USAGE"), PowerLimitW: shared("DEV_ENFORCED_POWER_LIMIT", "DEV_POWER_MGMT_LIMIT"),
			EnergyJ:  scaled(positive(shared("DEV_TOTAL_ENERGY_CONSUMPTION")), milli),
			ClockMHz: shared("DEV_SM_CLOCK"), MaxClockMHz: shared("DEV_MAX_SM_CLOCK"), MemoryClockMHz: shared("DEV_MEM_CLOCK"),
			TemperatureC: shared("DEV_GPU_TEMP"),
			Busy:         first(within(scaled(b.get("DEV_GPU_UTIL"), percent), 0, 1.05), b.get("PROF_GR_ENGINE_ACTIVE")),
			MemoryUsed:   scaled(b.get("DEV_FB_USED"), mebibyte), MemoryTotal: scaled(b.get("DEV_FB_TOTAL"), mebibyte),
		}
		if used, free := b.get("DEV_FB_USED"), b.get("DEV_FB_FREE"); d.MemoryTotal == nil && used != nil && free != nil {
			d.MemoryTotal = some((*used + *free) * mebibyte)
		}
		if bits := shared("DEV_CLOCKS_EVENT_REASONS", "DEV_CLOCK_THROTTLE_REASONS"); bits != nil && *bits >= 0 && *bits < 1<<32 {
			d.Throttle = nvidiaReasons(uint64(*bits))
		}
		out = append(out, d)
	}
	return out
}
