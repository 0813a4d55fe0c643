package power

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Powercap is where Linux shows the energy counters of processors, Intel's and AMD's.
const Powercap = "/sys/class/powercap"

// rapl adds up the packages of all processors. A counter is in microjoules and begins
// anew at max_energy_range_uj: some minutes at full power, so it is read often.
type rapl struct {
	root    string
	last    map[string]uint64
	joules  float64
	seconds float64
}

func (r *rapl) every() time.Duration { return time.Second }

func (r *rapl) watts() (float64, bool) { return r.joules / r.seconds, r.seconds > 0 }

func (r *rapl) read(_ context.Context, seconds float64) error {
	domains, err := r.domains()
	if err != nil {
		return err
	}
	first := r.last == nil
	now := map[string]uint64{}
	for _, d := range domains {
		v, err := readCounter(filepath.Join(d, "energy_uj"))
		if err != nil {
			return err
		}
		now[d] = v
		if first {
			continue
		}
		used, err := since(r.last[d], v, filepath.Join(d, "max_energy_range_uj"))
		if err != nil {
			return err
		}
		r.joules += float64(used) / 1e6
	}
	r.last = now
	if !first {
		r.seconds += seconds
	}
	return nil
}

// since is how far a counter went, once over its end if need be.
func since(before, now uint64, rangeFile string) (uint64, error) {
	if now >= before {
		return now - before, nil
	}
	end, err := readCounter(rangeFile)
	if err != nil {
		return 0, err
	}
	return end - before + now + 1, nil
}

// domains are the packages. Their parts (intel-rapl:0:0) are in them already, and the
// platform (psys) holds them all.
func (r *rapl) domains() ([]string, error) {
	zones, err := Zones(r.root)
	if err != nil {
		return nil, err
	}
	var packages []string
	for _, z := range zones {
		if z.Name != "dram" { // what --power means by rapl has always been the packages
			packages = append(packages, z.Folder)
		}
	}
	return packages, nil
}

// Zone is one counter: that of a package, or of the memory beside it (dram), which is in none.
type Zone struct{ Name, Folder string }

// Zones are those below a powercap folder.
func Zones(root string) ([]Zone, error) {
	found, err := filepath.Glob(filepath.Join(root, "*rapl:*"))
	if err != nil {
		return nil, err
	}
	var zones []Zone
	packages := 0
	for _, d := range found {
		b, err := os.ReadFile(filepath.Join(d, "name"))
		name := strings.TrimSpace(string(b))
		switch {
		case err != nil:
		case strings.HasPrefix(name, "package"):
			packages++
			zones = append(zones, Zone{name, d})
		case name == "dram":
			zones = append(zones, Zone{name, d})
		}
	}
	if packages == 0 {
		return nil, fmt.Errorf("this machine shows no RAPL counters below %s", root)
	}
	return zones, nil
}

// Counter reads a zone, in microjoules.
func (z Zone) Counter() (uint64, error) { return readCounter(filepath.Join(z.Folder, "energy_uj")) }

// Since is how far a zone's counter went, once over its end if need be.
func (z Zone) Since(before, now uint64) (uint64, error) {
	return since(before, now, filepath.Join(z.Folder, "max_energy_range_uj"))
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
