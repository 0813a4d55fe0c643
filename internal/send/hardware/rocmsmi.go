package hardware

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

var rocmSMI = kind{
	name: "rocm-smi", doc: "AMD's older tool",
	open:    func(w *world, _ string) source { return &rocm{program: w.program("rocm-smi")} },
	here:    func(w *world) bool { return w.has("rocm-smi") && w.hasAMD() },
	instead: []string{"amd-smi"},
}

type rocm struct{ program *program }

func (r *rocm) read(ctx context.Context) ([]journal.Device, error) {
	out, err := r.program.run(ctx, "--showproductname", "--showpower", "--showmaxpower", "--showtemp", "--showuse", "--showclocks", "--showmeminfo", "vram", "--json")
	if err != nil {
		return nil, err
	}
	return parseROCm(out)
}

// parseROCm reads an object of cards, each an object of texts. Versions differ in the letters'
// size, in colons, and in what power is called.
func parseROCm(b []byte) ([]journal.Device, error) {
	text := string(b)
	if i := strings.IndexByte(text, '{'); i > 0 {
		text = text[i:] // warnings come first
	}
	var cards map[string]map[string]any
	if err := json.Unmarshal([]byte(text), &cards); err != nil {
		return nil, fmt.Errorf("rocm-smi's answer can't be read%s", said(b))
	}
	var list []journal.Device
	for name, card := range cards {
		if number, ok := strings.CutPrefix(name, "card"); ok && len(list) < maxDevices {
			list = append(list, rocmDevice(number, card))
		}
	}
	if len(list) == 0 {
		return nil, errors.New("rocm-smi shows no devices")
	}
	slices.SortFunc(list, func(a, b journal.Device) int {
		x, errX := strconv.Atoi(a.ID)
		y, errY := strconv.Atoi(b.ID)
		if errX != nil || errY != nil {
			return strings.Compare(a.ID, b.ID)
		}
		return x - y
	})
	return bounded(list), nil
}

func rocmDevice(id string, card map[string]any) journal.Device {
	texts := map[string]string{}
	for key, value := range card {
		if s, ok := value.(string); ok {
			texts[strings.TrimSuffix(strings.ToLower(key), ":")] = s
		}
	}
	get := func(keys ...string) *float64 {
		for _, k := range keys {
			if v := rocmNumber(texts[k]); v != nil {
				return v
			}
		}
		return nil
	}
	d := journal.Device{
		ID:          id,
		PowerW:      positive(get("current socket graphics package power (w)", "average graphics package power (w)")),
		PowerLimitW: get("max graphics package power (w)"),
		ClockMHz:    get("sclk clock speed"), MemoryClockMHz: get("mclk clock speed"),
		TemperatureC: positive(get("temperature (sensor junction) (c)", "temperature (sensor edge) (c)")),
		Busy:         scaled(get("gpu use (%)"), 0.01),
		MemoryUsed:   get("vram total used memory (b)"), MemoryTotal: get("vram total memory (b)"),
	}
	for _, key := range []string{"device name", "card series", "card model"} {
		if name := texts[key]; d.Name == "" && name != "N/A" && !strings.HasPrefix(name, "0x") {
			d.Name = name
		}
	}
	return d
}

// rocmNumber reads 36.0, (300Mhz) and 155.0W.
func rocmNumber(text string) *float64 {
	text = strings.TrimLeft(text, "( ")
	end := strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != '-' })
	if end >= 0 {
		text = text[:end]
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	return &v
}
