package journal

import (
	"reflect"
)

// Hardware is what devices said of themselves at one moment: GPUs, processors, a whole
// machine; or why nothing can be asked. What a source does not tell is nil, never 0.
type Hardware struct {
	At      int64    `json:"at"`
	Agent   int      `json:"agent,omitempty"` // an index into Run.Fleet.Agents
	Source  string   `json:"source"`          // nvidia-smi, dcgm, amd-smi, sysfs, rapl, node…
	Devices []Device `json:"devices,omitempty"`
	Reason  string   `json:"reason,omitempty"` // why there are no devices; said once
}

// Device is one of them.
type Device struct {
	ID             string   `json:"id"` // within its source: an index, a UUID, a zone
	Name           string   `json:"name,omitempty"`
	PowerW         *float64 `json:"power_w,omitempty"`
	PowerLimitW    *float64 `json:"power_limit_w,omitempty"`
	EnergyJ        *float64 `json:"energy_j,omitempty"` // a total that counts up
	ClockMHz       *float64 `json:"clock_mhz,omitempty"`
	MaxClockMHz    *float64 `json:"max_clock_mhz,omitempty"`
	MemoryClockMHz *float64 `json:"memory_clock_mhz,omitempty"`
	TemperatureC   *float64 `json:"temperature_c,omitempty"`
	Busy           *float64 `json:"busy,omitempty"` // 0 to 1
	MemoryUsed     *float64 `json:"memory_used,omitempty"`
	MemoryTotal    *float64 `json:"memory_total,omitempty"`
	// Throttle says why the device runs slower than it could: power, thermal, …
	Throttle []string `json:"throttle,omitempty"`
}

// mostDevices bounds one line; no machine has as many.
const mostDevices = 1024

func (h *Hardware) clean() { cleanValue(reflect.ValueOf(h)) }

func (h *Hardware) check(agents int) error {
	var b bounds
	b.time("at", h.At)
	b.within("agent", int64(h.Agent), 0, int64(agents)-1)
	b.within("devices", int64(len(h.Devices)), 0, mostDevices)
	for i := range h.Devices {
		d := &h.Devices[i]
		b.within("throttle", int64(len(d.Throttle)), 0, 64)
		for _, v := range []*float64{
			d.PowerW, d.PowerLimitW, d.EnergyJ, d.ClockMHz, d.MaxClockMHz, d.MemoryClockMHz,
			d.TemperatureC, d.Busy, d.MemoryUsed, d.MemoryTotal,
		} {
			if v != nil {
				b.number("a device's value", *v)
			}
		}
	}
	return b.err
}

// Move is for another clock's zero.
func (h *Hardware) Move(by int64) error {
	var b bounds
	b.time("at", h.At+by)
	h.At += by
	return b.err
}
