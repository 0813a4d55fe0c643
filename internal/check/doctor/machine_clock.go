package doctor

import (
	"slices"
	"strings"
	"time"
)

// The clocks that can be read without a system call, and those that count so
// coarsely that inter-token times are lost in them.
var (
	quickClocks  = []string{"tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "timebase", "tod"}
	coarseClocks = []string{"jiffies", "refined-jiffies"}
)

const clockFolder = "sys/devices/system/clocksource/clocksource0/"

func clockSource(m *examination) result {
	name, err := m.Machine.Line(clockFolder + "current_clocksource")
	if err != nil {
		return unknown(err)
	}
	switch {
	case slices.Contains(quickClocks, name):
		return found(OK, "%s", name)
	case slices.Contains(coarseClocks, name):
		return found(Bad, "%s", name)
	}
	others, _ := m.Machine.Line(clockFolder + "available_clocksource") // only for the advice
	r := found(Warn, "%s (available: %s)", name, others)
	for _, quick := range quickClocks {
		if slices.Contains(strings.Fields(others), quick) {
			return r.mendBy("echo %s | sudo tee /%scurrent_clocksource", quick, clockFolder)
		}
	}
	return r
}

func timeKeeping(m *examination) result {
	c, err := m.Clock()
	if err != nil {
		return unknown(err)
	}
	if !c.Synchronised {
		return found(Note, "the clock is not synchronised")
	}
	return found(OK, "synchronised, to %v at worst", c.MaxError.Round(time.Microsecond))
}

func stamps(m *examination) result {
	if m.KernelStamps() {
		return found(OK, "the kernel stamps what it receives")
	}
	return found(Warn, "the kernel gives no receive times: event times are this process's own")
}
