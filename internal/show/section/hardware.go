package section

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/hardware"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

func init() { Add(atHardware, devices) }

// devices are what they took and did: the devices of each kind, their clocks, and what a token
// took, and a table of all. Sources that told nothing have a line where they were asked for by name;
// auto is quiet.
func devices(run *Run) *Section {
	s := run.Result.Hardware
	if s == nil {
		return nil
	}
	facts := &table.Table{}
	for _, kind := range []string{hardware.GPU, hardware.CPU} {
		list := ofKind(s.Devices, kind)
		if len(list) == 0 {
			continue
		}
		label := map[string]string{hardware.GPU: "GPUs", hardware.CPU: "Processors"}[kind]
		facts.Fact(label, state(list))
		facts.Fact(label+", clocks", clocks(list))
	}
	facts.Fact("Energy of hardware", energy(s))
	for _, u := range s.Unknown {
		if u.Source != "auto" {
			facts.Fact("Hardware", u.Source+" told nothing: "+u.Reason)
		}
	}
	for _, n := range s.Notes {
		facts.Fact("Hardware", n)
	}
	return &Section{ID: "hardware", Title: "Hardware", Tables: []*table.Table{facts, deviceTable(s)}}
}

func deviceTable(s *hardware.Summary) *table.Table {
	w, mhz := number.Watts, number.Count
	t := &table.Table{Title: "Devices over the measured time", Except: table.OnConsole | table.InMarkdown, Columns: slices.Concat(
		table.Words("device", "name"), table.Numbers(w, "power, W", "most, W", "limit, W"), table.Numbers(number.Digits, "energy, J"), table.Words("by"),
		table.Numbers(mhz, "clock, MHz", "least", "could be"), table.Numbers(w, "hottest, °C"), table.Numbers(number.Points, "busy, %"), table.Numbers(number.Gibibytes, "memory, GiB"), table.Words("throttled"),
	)}
	for i := range s.Devices {
		d := &s.Devices[i]
		name, by := d.Source+" "+d.ID, d.EnergyBy
		if d.Agent != nil {
			name = fmt.Sprintf("agent %d, %s", *d.Agent+1, name)
		}
		switch {
		case d.Same != "":
			by = "the same as of " + d.Same
		case d.Idle():
			by = "idle"
		}
		t.Add(name, d.Name, d.PowerW, d.MaxPowerW, d.PowerLimitW, d.EnergyJ, by, d.ClockMHz, d.MinClockMHz, d.MaxClockMHz, d.MaxTempC, d.Busy, d.MaxMemoryBytes, throttled(d))
	}
	return t
}

// ofKind are the devices that one source tells of, each once.
func ofKind(all []hardware.Device, kind string) []*hardware.Device {
	var list []*hardware.Device
	for i := range all {
		if d := &all[i]; d.Kind == kind && d.Same == "" {
			list = append(list, d)
		}
	}
	return list
}

func state(list []*hardware.Device) string {
	var worked []*hardware.Device
	idle, idleWatts := 0, 0.0
	for _, d := range list {
		if d.Idle() {
			idle++
			if d.PowerW != nil {
				idleWatts += *d.PowerW
			}
			continue
		}
		worked = append(worked, d)
	}
	parts := []string{}
	if len(worked) > 0 {
		parts = append(parts, together(worked))
	}
	if idle > 0 {
		words := fmt.Sprintf("%d idle", idle)
		if idleWatts > 0 {
			words += fmt.Sprintf(" (%s W)", number.Watts(idleWatts))
		}
		parts = append(parts, words)
	}
	return strings.Join(parts, "; ")
}

// together is what devices that worked did: power adds up, of the rest it is the most.
func together(list []*hardware.Device) string {
	var words []string
	words = append(words, names(list))
	if mean, ok := sum(list, func(d *hardware.Device) *float64 { return d.PowerW }); ok {
		text := number.Watts(mean) + " W mean"
		if most, ok := sum(list, func(d *hardware.Device) *float64 { return d.MaxPowerW }); ok && len(list) == 1 {
			text += ", " + number.Watts(most) + " W at most"
		}
		if limit, ok := sum(list, func(d *hardware.Device) *float64 { return d.PowerLimitW }); ok {
			text += " of " + number.Watts(limit) + " W"
		}
		words = append(words, text)
	}
	if v := highest(list, func(d *hardware.Device) *float64 { return d.MaxTempC }); v != nil {
		words = append(words, number.Watts(*v)+" °C at most")
	}
	if v, ok := sum(list, func(d *hardware.Device) *float64 { return d.Busy }); ok {
		words = append(words, "busy "+number.Share(v/float64(len(list))))
	}
	if v := highest(list, func(d *hardware.Device) *float64 { return d.MaxMemoryBytes }); v != nil {
		text := "memory " + number.Bytes(*v)
		if total := highest(list, func(d *hardware.Device) *float64 { return d.MemoryBytes }); total != nil {
			text += " of " + number.Bytes(*total)
		}
		words = append(words, text)
	}
	return strings.Join(words, ", ")
}

func names(list []*hardware.Device) string {
	count := map[string]int{}
	var order []string
	for _, d := range list {
		name := d.Name
		if name == "" {
			name = d.Source + " " + d.ID
		}
		if count[name]++; count[name] == 1 {
			order = append(order, name)
		}
	}
	const few = 3
	var parts []string
	for _, name := range order[:min(len(order), few)] {
		if count[name] > 1 {
			name = fmt.Sprintf("%d × %s", count[name], name)
		}
		parts = append(parts, name)
	}
	if len(order) > few {
		parts = append(parts, fmt.Sprintf("%d others", len(order)-few))
	}
	return strings.Join(parts, ", ")
}

// clocks are those of devices that worked: the mean of all, and the lowest of any.
func clocks(list []*hardware.Device) string {
	list = slices.DeleteFunc(slices.Clone(list), func(d *hardware.Device) bool { return d.Idle() || d.ClockMHz == nil })
	if len(list) == 0 {
		return ""
	}
	mean, _ := sum(list, func(d *hardware.Device) *float64 { return d.ClockMHz })
	text := fmt.Sprintf("%.0f MHz mean", mean/float64(len(list)))
	least := math.Inf(1)
	for _, d := range list {
		least = min(least, *d.MinClockMHz)
	}
	text += fmt.Sprintf(", %.0f at least", least)
	if v := highest(list, func(d *hardware.Device) *float64 { return d.MaxClockMHz }); v != nil {
		text += fmt.Sprintf(", of %.0f", *v)
	}
	if words := throttled(list...); words != "" {
		text += "; " + words
	}
	return text
}

// throttled says for how long, and why; the most of any device.
func throttled(list ...*hardware.Device) string {
	shares := map[string]float64{}
	for _, d := range list {
		for _, s := range d.Throttled {
			shares[s.Reason] = max(shares[s.Reason], s.Share)
		}
	}
	var parts []string
	for _, why := range slices.Sorted(maps.Keys(shares)) {
		parts = append(parts, number.Share(shares[why])+" of the time by "+strings.ReplaceAll(why, "_", " "))
	}
	if len(parts) == 0 {
		return ""
	}
	return "throttled " + strings.Join(parts, ", ")
}

// energy is what a token took: of all devices, and of each kind where there are two.
func energy(s *hardware.Summary) string {
	if len(s.Energy) == 0 {
		return ""
	}
	all := s.Energy[len(s.Energy)-1]
	var parts []string
	add := func(v *float64, unit string) {
		if v != nil {
			parts = append(parts, number.Digits(*v)+" "+unit)
		}
	}
	add(all.PerOutputToken, "J per output token")
	add(all.PerRequest, "J per request")
	add(all.PerJob, "J per job")
	add(all.TokensPerJoule, "tokens per joule")
	if len(parts) == 0 {
		parts = append(parts, number.Digits(all.Joules)+" J, and no tokens")
	}
	how := []string{fmt.Sprintf("%s W, by %s", number.Watts(all.Watts), all.By)}
	if len(s.Energy) > 1 {
		for _, e := range s.Energy[:len(s.Energy)-1] {
			how = append(how, fmt.Sprintf("%s %s W", strings.ToUpper(e.Of), number.Watts(e.Watts)))
		}
	}
	return strings.Join(parts, ", ") + " (" + strings.Join(how, "; ") + ")"
}

func sum(list []*hardware.Device, of func(*hardware.Device) *float64) (total float64, all bool) {
	for _, d := range list {
		v := of(d)
		if v == nil {
			return 0, false
		}
		total += *v
	}
	return total, len(list) > 0
}

func highest(list []*hardware.Device, of func(*hardware.Device) *float64) *float64 {
	var m *float64
	for _, d := range list {
		if v := of(d); v != nil && (m == nil || *v > *m) {
			m = v
		}
	}
	return m
}
