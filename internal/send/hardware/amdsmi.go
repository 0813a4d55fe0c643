package hardware

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

var amdSMI = kind{
	name: "amd-smi", doc: "AMD's tool",
	open: func(w *world, _ string) source { return &amd{program: w.program("amd-smi")} },
	here: func(w *world) bool { return w.has("amd-smi") && w.hasAMD() },
}

// amd asks amd-smi. Its metrics have no names of boards; those are asked for once.
type amd struct {
	program *program
	names   map[string]string
}

func (a *amd) read(ctx context.Context) ([]journal.Device, error) {
	if a.names == nil {
		a.names = map[string]string{}
		if out, err := a.program.run(ctx, "static", "--asic", "--json"); err == nil {
			a.names = amdNames(out)
		}
	}
	out, err := a.program.run(ctx, "metric", "--json")
	if err != nil {
		return nil, err
	}
	list, err := parseAMD(out)
	for i := range list {
		list[i].Name = a.names[list[i].ID]
	}
	return bounded(list), err
}

// object is a part of amd-smi's answer.
type object map[string]any

// amdBoards reads a list, or an object that holds one as gpu_data (since ROCm 7). Python may
// have printed warnings before it.
func amdBoards(b []byte) ([]object, error) {
	text := string(b)
	if i := strings.IndexAny(text, "[{"); i > 0 {
		for !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "{") {
			_, after, ok := strings.Cut(text, "\n")
			if !ok {
				break
			}
			text = after
		}
	}
	var list []object
	err := json.Unmarshal([]byte(text), &list)
	if err != nil {
		var whole struct {
			GPUs []object `json:"gpu_data"`
		}
		if err = json.Unmarshal([]byte(text), &whole); err == nil {
			list = whole.GPUs
		}
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("amd-smi's answer can't be read%s", said(b))
	case len(list) == 0:
		return nil, errors.New("amd-smi shows no devices")
	}
	return list[:min(len(list), maxDevices)], nil
}

func parseAMD(b []byte) ([]journal.Device, error) {
	boards, err := amdBoards(b)
	if err != nil {
		return nil, err
	}
	var list []journal.Device
	for i, o := range boards {
		list = append(list, o.device(i))
	}
	return bounded(list), nil
}

func amdNames(b []byte) map[string]string {
	names := map[string]string{}
	boards, err := amdBoards(b)
	if err != nil {
		return names
	}
	for i, o := range boards {
		if name, ok := o.part("asic")["market_name"].(string); ok && name != "N/A" {
			names[o.id(i)] = name
		}
	}
	return names
}

func (o object) id(i int) string {
	if v := quantity(o["gpu"]); v != nil {
		i = int(*v)
	}
	return strconv.Itoa(i)
}

func (o object) part(name string) object {
	m, _ := o[name].(map[string]any)
	return m
}

// first is the first of these keys that holds a number.
func (o object) first(keys ...string) *float64 {
	for _, k := range keys {
		if v := quantity(o[k]); v != nil {
			return v
		}
	}
	return nil
}

func (o object) device(i int) journal.Device {
	power, clock, temperature := o.part("power"), o.part("clock"), o.part("temperature")
	memory, usage := o.part("mem_usage"), o.part("usage")
	const mebibyte = 1 << 20 // what amd-smi calls MB
	d := journal.Device{
		ID:           o.id(i),
		PowerW:       positive(power.first("socket_power", "current_socket_power", "average_socket_power")),
		PowerLimitW:  power.first("power_limit", "socket_power_limit"),
		EnergyJ:      positive(o.part("energy").first("total_energy_consumption")),
		TemperatureC: positive(temperature.first("hotspot", "junction", "edge")),
		Busy:         scaled(usage.first("gfx_activity", "gfx_usage"), 0.01),
		MemoryUsed:   scaled(memory.first("used_vram"), mebibyte), MemoryTotal: scaled(memory.first("total_vram"), mebibyte),
	}
	d.ClockMHz, d.MaxClockMHz = amdClock(clock, "gfx")
	d.MemoryClockMHz, _ = amdClock(clock, "mem")
	d.Throttle = amdThrottle(o)
	return d
}

// amdClock is the mean of a board's clocks of one kind: an MI300X has a gfx clock for each of
// its eight dies. It is "gfx" in old versions, "gfx_0" and so on in new ones.
func amdClock(clocks object, kind string) (now, most *float64) {
	sum, n := 0.0, 0.0
	for name := range clocks {
		if name != kind && !strings.HasPrefix(name, kind+"_") {
			continue
		}
		one := clocks.part(name)
		if v := one.first("clk", "cur_clk", "current"); v != nil {
			sum += *v
			n++
		}
		if v := one.first("max_clk", "max"); v != nil && (most == nil || *v > *most) {
			most = v
		}
	}
	if n > 0 {
		now = some(sum / n)
	}
	return now, most
}

// amdThrottle reads the violations (since ROCm 6.3, of MI300 and later), or else the one word
// of older ones, which has no reason with it.
func amdThrottle(o object) []string {
	var why []string
	for key, value := range o.part("throttle") {
		name, ok := strings.CutSuffix(key, "_violation_status")
		if word, _ := value.(string); ok && word == "ACTIVE" {
			if reason := amdReason(name); reason != "" {
				why = append(why, reason)
			}
		}
	}
	if word, _ := o.part("power")["throttle_status"].(string); len(why) == 0 && word == "THROTTLED" {
		why = append(why, byUnknown)
	}
	return why
}

// units are those of amd-smi, in ours.
var units = map[string]float64{"mW": 1e-3, "kW": 1e3, "mJ": 1e-3, "uJ": 1e-6, "kJ": 1e3, "GHz": 1e3, "GB": 1 << 10, "KB": 1.0 / (1 << 10)}

// quantity reads 10, "10 W" or {"value": 10, "unit": "W"}; N/A is nil.
func quantity(v any) *float64 {
	switch v := v.(type) {
	case float64:
		return &v
	case string:
		number, unit, _ := strings.Cut(strings.TrimSpace(v), " ")
		f, err := strconv.ParseFloat(number, 64)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return nil
		}
		return inUnit(f, unit)
	case map[string]any:
		if _, nested := v["value"].(map[string]any); nested {
			return nil
		}
		f := quantity(v["value"])
		unit, _ := v["unit"].(string)
		if f == nil {
			return nil
		}
		return inUnit(*f, unit)
	}
	return nil
}

func inUnit(f float64, unit string) *float64 {
	if by, ok := units[unit]; ok {
		f *= by
	}
	return &f
}
