package journal

import "reflect"

// Hardware is what devices said of themselves at one moment: GPUs, processors, a whole
// machine; or why nothing can be asked. What a source does not tell is nil, never 0.
type Hardware struct {
	At      int64    `json:"at"`                        // when
	Agent   int      `json:"agent,omitempty" bound:"-"` // an index into Run.Fleet.Agents
	Source  string   `json:"source"`                    // nvidia-smi, dcgm, amd-smi, sysfs, rapl, node…
	Devices []Device `json:"devices,omitempty" max:"1024"`
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
	// Throttle is why the device runs slower than it could: power, thermal, …
	Throttle []string `json:"throttle,omitempty" max:"64"`
}

func (h *Hardware) clean() { cleanValue(reflect.ValueOf(h)) }

func (h *Hardware) check(agents int) error {
	b := checkFields(h)
	b.within("agent", int64(h.Agent), 0, int64(agents)-1)
	return b.err
}

// Price is what the servers cost, as --price-per-hour and --devices say.
type Price struct {
	PerHour float64 `json:"per_hour,omitempty"` // of one device; 0: not given
	Devices int     `json:"devices"`
	Power   string  `json:"power,omitempty"` // as --power says: a number, rapl, or prometheus
}

// Power is what the servers took over a run.
type Power struct {
	Source string  `json:"source"`
	Watts  float64 `json:"watts"`            // the mean, of all devices
	Reason string  `json:"reason,omitempty"` // why it is not known
}
