package hardware

import (
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
)

// What a device can have. Sources mark what they don't know by numbers beyond all reason
// (DCGM's blank is 2⁶³ − 16, amdgpu's 65535), which must not become a measurement.
const (
	maxWatts   = 20_000 // a rack's worth
	maxMHz     = 20_000
	minC       = -90
	maxC       = 300
	maxMemory  = 1 << 50
	maxJoules  = 1 << 50
	maxReasons = 16
)

// bounded drops what can't be, and devices of which nothing is left, and makes words from
// outside safe to keep.
func bounded(list []journal.Device) []journal.Device {
	if len(list) > maxDevices {
		list = list[:maxDevices]
	}
	for i := range list {
		d := &list[i]
		d.ID, d.Name = outside.Word(d.ID), outside.Word(d.Name)
		d.PowerW, d.PowerLimitW = within(d.PowerW, 0, maxWatts), within(positive(d.PowerLimitW), 0, maxWatts)
		d.EnergyJ = within(d.EnergyJ, 0, maxJoules)
		d.ClockMHz, d.MaxClockMHz = within(d.ClockMHz, 0, maxMHz), within(positive(d.MaxClockMHz), 0, maxMHz)
		d.MemoryClockMHz = within(d.MemoryClockMHz, 0, maxMHz)
		d.TemperatureC = within(d.TemperatureC, minC, maxC)
		d.MemoryUsed, d.MemoryTotal = within(d.MemoryUsed, 0, maxMemory), within(positive(d.MemoryTotal), 0, maxMemory)
		if d.Busy = within(d.Busy, 0, 1.05); d.Busy != nil {
			d.Busy = some(min(*d.Busy, 1))
		}
		slices.Sort(d.Throttle)
		d.Throttle = slices.Compact(d.Throttle)
		d.Throttle = d.Throttle[:min(len(d.Throttle), maxReasons)]
	}
	return slices.DeleteFunc(list, func(d journal.Device) bool { return silent(&d) })
}

// silent says that nothing is known of a device but its name.
func silent(d *journal.Device) bool {
	for _, v := range []*float64{d.PowerW, d.EnergyJ, d.ClockMHz, d.MemoryClockMHz, d.TemperatureC, d.Busy, d.MemoryUsed} {
		if v != nil {
			return false
		}
	}
	return len(d.Throttle) == 0
}

func within(v *float64, low, high float64) *float64 {
	if v == nil || math.IsNaN(*v) || *v < low || *v > high {
		return nil
	}
	return v
}
