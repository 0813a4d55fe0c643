package hardware

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

var nvidiaSMI = kind{
	name: "nvidia-smi", doc: "NVIDIA's tool",
	open: func(w *world, _ string) source { return &nvidia{program: w.program("nvidia-smi")} },
	here: func(w *world) bool { return w.has("nvidia-smi") },
}

// nvidia asks nvidia-smi for a table. A driver refuses the whole question for one column that
// it does not know, so that the reasons of throttling, which have an old name and a new one,
// are asked for by one name after the other.
type nvidia struct {
	program *program
	variant int // of nvidiaReasonColumns; those before it were refused
}

var nvidiaColumns = []string{
	"index", "uuid", "name", "power.draw", "enforced.power.limit", "clocks.current.sm", "clocks.max.sm", "clocks.current.memory",
	"temperature.gpu", "utilization.gpu", "memory.used", "memory.total",
}

var nvidiaReasonColumns = []string{"clocks_event_reasons.active", "clocks_throttle_reasons.active", ""}

func (n *nvidia) read(ctx context.Context) ([]journal.Device, error) {
	for {
		columns := nvidiaColumns
		if reason := nvidiaReasonColumns[n.variant]; reason != "" {
			columns = append(columns[:len(columns):len(columns)], reason)
		}
		out, err := n.program.run(ctx, "--query-gpu="+strings.Join(columns, ","), "--format=csv,nounits")
		if err != nil && n.variant+1 < len(nvidiaReasonColumns) && strings.Contains(string(out), "not a valid field") {
			n.variant++
			continue
		}
		if err != nil {
			return nil, err
		}
		return parseNvidia(string(out))
	}
}

// parseNvidia reads the table, with or without units.
func parseNvidia(text string) ([]journal.Device, error) {
	var header []string
	var list []journal.Device
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSpace(line), ", ")
		switch {
		case header == nil && len(cells) > 1:
			for _, c := range cells {
				name, _, _ := strings.Cut(strings.TrimSpace(c), " [")
				header = append(header, name)
			}
		case len(cells) == len(header) && len(list) < maxDevices:
			row := map[string]string{}
			for i, c := range cells {
				row[header[i]] = strings.TrimSpace(c)
			}
			list = append(list, nvidiaDevice(row))
		}
	}
	if len(list) == 0 {
		return nil, errors.New("nvidia-smi shows no devices" + said([]byte(text)))
	}
	return bounded(list), nil
}

func nvidiaDevice(row map[string]string) journal.Device {
	get := func(names ...string) *float64 {
		for _, name := range names {
			if v := nvidiaNumber(row[name]); v != nil {
				return v
			}
		}
		return nil
	}
	const mebibyte = 1 << 20
	d := journal.Device{
		ID: row["index"], Name: row["name"],
		PowerW: get("power.draw"), PowerLimitW: get("enforced.power.limit"),
		ClockMHz: get("clocks.current.sm", "clocks.sm"), MaxClockMHz: get("clocks.max.sm"), MemoryClockMHz: get("clocks.current.memory", "clocks.mem"),
		TemperatureC: get("temperature.gpu"), Busy: scaled(get("utilization.gpu"), 0.01),
		MemoryUsed: scaled(get("memory.used"), mebibyte), MemoryTotal: scaled(get("memory.total"), mebibyte),
	}
	if d.ID == "" {
		d.ID = row["uuid"]
	}
	d.Throttle = nvidiaThrottle(row)
	return d
}

// nvidiaThrottle reads the bits, or the columns that have one each.
func nvidiaThrottle(row map[string]string) []string {
	var bits uint64
	for _, prefix := range []string{"clocks_event_reasons.", "clocks_throttle_reasons."} {
		if v, err := strconv.ParseUint(row[prefix+"active"], 0, 64); err == nil {
			return nvidiaReasons(v)
		}
		for _, b := range nvidiaBits {
			if row[prefix+b.name] == "Active" {
				bits |= b.bit
			}
		}
	}
	return nvidiaReasons(bits)
}

// nvidiaNumber reads a cell. [N/A], [Not Supported], [Unknown Error] and the like are no numbers.
func nvidiaNumber(cell string) *float64 {
	number, _, _ := strings.Cut(cell, " ")
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return nil
	}
	return &v
}
