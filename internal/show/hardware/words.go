// Package hardware has the words for what devices took and did, for console, Markdown and page.
package hardware

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/hardware"
)

// Line is a label and what it says.
type Line struct{ Label, Words string }

// Lines are few: the devices of each kind, their clocks, and what a token took. Sources that
// told nothing have one where they were asked for by name; auto is quiet.
func Lines(s *hardware.Summary) []Line {
	if s == nil {
		return nil
	}
	var lines []Line
	for _, kind := range []string{hardware.GPU, hardware.CPU} {
		list := ofKind(s.Devices, kind)
		if len(list) == 0 {
			continue
		}
		label := map[string]string{hardware.GPU: "GPUs", hardware.CPU: "Processors"}[kind]
		lines = append(lines, Line{label + ":", state(list)})
		if words := clocks(list); words != "" {
			lines = append(lines, Line{label + ", clocks:", words})
		}
	}
	if words := Energy(s); words != "" {
		lines = append(lines, Line{"Energy of hardware:", words})
	}
	for _, u := range s.Unknown {
		if u.Source != "auto" {
			lines = append(lines, Line{"Hardware:", fmt.Sprintf("%s told nothing: %s", u.Source, u.Reason)})
		}
	}
	for _, n := range s.Notes {
		lines = append(lines, Line{"Hardware:", n})
	}
	return lines
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
			words += fmt.Sprintf(" (%s W)", figure(idleWatts))
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
		text := figure(mean) + " W mean"
		if most, ok := sum(list, func(d *hardware.Device) *float64 { return d.MaxPowerW }); ok && len(list) == 1 {
			text += ", " + figure(most) + " W at most"
		}
		if limit, ok := sum(list, func(d *hardware.Device) *float64 { return d.PowerLimitW }); ok {
			text += " of " + figure(limit) + " W"
		}
		words = append(words, text)
	}
	if v := most(list, func(d *hardware.Device) *float64 { return d.MaxTempC }); v != nil {
		words = append(words, figure(*v)+" °C at most")
	}
	if v, ok := sum(list, func(d *hardware.Device) *float64 { return d.Busy }); ok {
		words = append(words, fmt.Sprintf("busy %.0f %%", 100*v/float64(len(list))))
	}
	if v := most(list, func(d *hardware.Device) *float64 { return d.MaxMemoryBytes }); v != nil {
		text := fmt.Sprintf("memory %.1f GiB", *v/(1<<30))
		if total := most(list, func(d *hardware.Device) *float64 { return d.MemoryBytes }); total != nil {
			text += fmt.Sprintf(" of %.1f", *total/(1<<30))
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
	if v := most(list, func(d *hardware.Device) *float64 { return d.MaxClockMHz }); v != nil {
		text += fmt.Sprintf(", of %.0f", *v)
	}
	if words := Throttled(list...); words != "" {
		text += "; " + words
	}
	return text
}

// Throttled says for how long, and why; the most of any device.
func Throttled(list ...*hardware.Device) string {
	shares := map[string]float64{}
	for _, d := range list {
		for _, s := range d.Throttled {
			shares[s.Reason] = max(shares[s.Reason], s.Share)
		}
	}
	var parts []string
	for _, why := range slices.Sorted(maps.Keys(shares)) {
		parts = append(parts, fmt.Sprintf("%.0f %% of the time by %s", 100*shares[why], strings.ReplaceAll(why, "_", " ")))
	}
	if len(parts) == 0 {
		return ""
	}
	return "throttled " + strings.Join(parts, ", ")
}

// Energy is what a token took: of all devices, and of each kind where there are two.
func Energy(s *hardware.Summary) string {
	if len(s.Energy) == 0 {
		return ""
	}
	all := s.Energy[len(s.Energy)-1]
	var parts []string
	add := func(v *float64, unit string) {
		if v != nil {
			parts = append(parts, fmt.Sprintf("%.4g %s", *v, unit))
		}
	}
	add(all.PerOutputToken, "J per output token")
	add(all.PerRequest, "J per request")
	add(all.TokensPerJoule, "tokens per joule")
	if len(parts) == 0 {
		parts = append(parts, fmt.Sprintf("%.4g J, and no tokens", all.Joules))
	}
	how := []string{fmt.Sprintf("%s W, by %s", figure(all.Watts), all.By)}
	if len(s.Energy) > 1 {
		for _, e := range s.Energy[:len(s.Energy)-1] {
			how = append(how, fmt.Sprintf("%s %s W", strings.ToUpper(e.Of), figure(e.Watts)))
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

func most(list []*hardware.Device, of func(*hardware.Device) *float64) *float64 {
	var m *float64
	for _, d := range list {
		if v := of(d); v != nil && (m == nil || *v > *m) {
			m = v
		}
	}
	return m
}

func figure(v float64) string {
	if v >= 10 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.1f", v)
}
