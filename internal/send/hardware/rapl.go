package hardware

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/machine"
)

var rapl = kind{
	name: PowerRAPL, doc: "the energy counters of Intel's and AMD's processors, which only root may read on most machines",
	open: func(w *world, _ string) source { return &energy{machine: w.machine} },
	here: func(w *world) bool {
		list, err := (&energy{machine: w.machine}).read(context.Background())
		return err == nil && len(list) > 0
	},
}

// powercap is where Linux shows the energy counters of processors, Intel's and AMD's.
const powercap = "/sys/class/powercap"

// energy reads the counters. They are in microjoules, and each begins anew at its end, some minutes at full power away;
// what is told counts on.
type energy struct {
	machine *machine.Machine
	model   string
	last    map[string]uint64
	joules  map[string]float64
}

func (e *energy) read(context.Context) ([]journal.Device, error) {
	zones, err := findZones(e.machine.Path(powercap))
	if err != nil {
		return nil, err
	}
	if e.last == nil {
		e.last, e.joules, e.model = map[string]uint64{}, map[string]float64{}, e.machine.CPUModel()
	}
	var list []journal.Device
	for _, z := range zones {
		now, err := readCounter(filepath.Join(z.folder, "energy_uj"))
		if err != nil {
			return nil, err
		}
		used := now // the first reading is the counter's own
		if before, known := e.last[z.folder]; known {
			if used, err = z.since(before, now); err != nil {
				return nil, err
			}
		}
		e.last[z.folder] = now
		e.joules[z.folder] += float64(used) * 1e-6
		d := journal.Device{ID: z.id(), EnergyJ: some(e.joules[z.folder])}
		if !isMemory(&d) {
			d.Name = e.model
		}
		list = append(list, d)
	}
	return bounded(list), nil
}

// zone is one counter: that of a package, or of the memory beside it (dram), which is in none.
type zone struct{ name, folder string }

const dram = "dram"

// isMemory says that a device of RAPL's is the memory beside a package.
func isMemory(d *journal.Device) bool { return strings.HasPrefix(d.ID, dram+"-") }

// id is package-0, or dram-0 for the memory beside it.
func (z zone) id() string {
	if z.name != dram {
		return z.name
	}
	parts := strings.Split(filepath.Base(z.folder), ":")
	return dram + "-" + parts[min(1, len(parts)-1)]
}

// since is how far the counter went, once over its end if need be.
func (z zone) since(before, now uint64) (uint64, error) {
	if now >= before {
		return now - before, nil
	}
	end, err := readCounter(filepath.Join(z.folder, "max_energy_range_uj"))
	return end - before + now + 1, err
}

// findZones are the packages below a powercap folder, and their memories. Their other parts (intel-rapl:0:0) are in
// them already, and the platform (psys) holds them all.
func findZones(root string) ([]zone, error) {
	found, err := filepath.Glob(filepath.Join(root, "*rapl:*"))
	if err != nil {
		return nil, err
	}
	var zones []zone
	packages := 0
	for _, folder := range found {
		b, err := os.ReadFile(filepath.Join(folder, "name"))
		name := strings.TrimSpace(string(b))
		switch {
		case err != nil:
		case strings.HasPrefix(name, "package"):
			packages++
			zones = append(zones, zone{name, folder})
		case name == dram:
			zones = append(zones, zone{name, folder})
		}
	}
	if packages == 0 {
		return nil, fmt.Errorf("this machine shows no RAPL counters below %s", root)
	}
	return zones, nil
}

func readCounter(path string) (uint64, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrPermission) {
		return 0, fmt.Errorf("%w: only root may read it; allow it with chmod a+r, or run as root", err)
	}
	if err != nil {
		return 0, fmt.Errorf("read RAPL: %w", err)
	}
	v, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read RAPL: %s holds no number: %w", path, err)
	}
	return v, nil
}
