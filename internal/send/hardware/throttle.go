package hardware

// Why a device runs slower than it could. Sources have their own words and bits; these are ours.
const (
	byPower      = "power"       // its own power limit: usual under load
	byThermal    = "thermal"     // it is, or its memory or its voltage regulator is, too hot
	byPowerBrake = "power_brake" // the machine's power supply asks for it
	byHardware   = "hardware"    // a slowdown by the hardware, of which no more is told
	bySetting    = "setting"     // a lower clock was set
	bySync       = "sync"        // another device of its group is slower
	byUnknown    = "unspecified" // throttled, and no reason is told
)

// nvidiaBits are those of NVML's clocks event reasons. Idleness (bit 0) is no throttling.
var nvidiaBits = []struct {
	bit  uint64
	name string // of nvidia-smi's column
	why  string
}{
	{0x2, "applications_clocks_setting", bySetting},
	{0x4, "sw_power_cap", byPower},
	{0x8, "hw_slowdown", byHardware},
	{0x10, "sync_boost", bySync},
	{0x20, "sw_thermal_slowdown", byThermal},
	{0x40, "hw_thermal_slowdown", byThermal},
	{0x80, "hw_power_brake_slowdown", byPowerBrake},
	{0x100, "display_clocks_setting", bySetting},
}

// nvidiaReasons reads the bits. Hardware slowdown is set beside each of its two kinds, and
// says something by itself only where neither is.
func nvidiaReasons(bits uint64) []string {
	if bits&(0x40|0x80) != 0 {
		bits &^= 0x8
	}
	var why []string
	for _, b := range nvidiaBits {
		if bits&b.bit != 0 {
			why = append(why, b.why)
		}
	}
	return why
}

// amdReason is for the names of AMD's violations; empty: none of ours.
func amdReason(name string) string {
	switch name {
	case "ppt":
		return byPower
	case "prochot", "processor_hot", "socket_thermal", "vr_thermal", "hbm_thermal":
		return byThermal
	}
	return ""
}
