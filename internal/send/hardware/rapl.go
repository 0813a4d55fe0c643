package hardware

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/machine"
	"github.com/inferometer/inferometer/internal/send/power"
)

var rapl = kind{
	name: "rapl", doc: "the energy counters of Intel's and AMD's processors, which only root may read on most machines",
	open: func(w *world, _ string) source { return &energy{machine: w.machine} },
	here: func(w *world) bool {
		list, err := (&energy{machine: w.machine}).read(context.Background())
		return err == nil && len(list) > 0
	},
}

// energy reads the counters. Each begins anew at its end, some minutes at full power away; what
// is told counts on.
type energy struct {
	machine *machine.Machine
	model   string
	last    map[string]uint64
	joules  map[string]float64
}

func (e *energy) read(context.Context) ([]journal.Device, error) {
	root := e.machine.Path(power.Powercap)
	zones, err := power.Zones(root)
	if err != nil {
		return nil, err
	}
	if e.last == nil {
		e.last, e.joules, e.model = map[string]uint64{}, map[string]float64{}, e.machine.CPUModel()
	}
	var list []journal.Device
	for _, z := range zones {
		now, err := z.Counter()
		if err != nil {
			return nil, err
		}
		used := float64(now) // the first reading is the counter's own
		if before, known := e.last[z.Folder]; known {
			since, err := z.Since(before, now)
			if err != nil {
				return nil, err
			}
			used = float64(since)
		}
		e.last[z.Folder] = now
		e.joules[z.Folder] += used * 1e-6
		d := journal.Device{ID: zoneID(z), EnergyJ: some(e.joules[z.Folder])}
		if z.Name != "dram" {
			d.Name = e.model
		}
		list = append(list, d)
	}
	return bounded(list), nil
}

// zoneID is package-0, or dram-0 for the memory beside it.
func zoneID(z power.Zone) string {
	if z.Name != "dram" {
		return z.Name
	}
	parts := strings.Split(filepath.Base(z.Folder), ":")
	return "dram-" + parts[min(1, len(parts)-1)]
}
