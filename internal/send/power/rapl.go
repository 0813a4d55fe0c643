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

// powercap is where Linux shows the energy counters of processors, Intel's and AMD's.
const powercap = "/sys/class/powercap"

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
	found, err := filepath.Glob(filepath.Join(r.root, "*rapl:*"))
	if err != nil {
		return nil, err
	}
	var packages []string
	for _, d := range found {
		name, err := os.ReadFile(filepath.Join(d, "name"))
		if err == nil && strings.HasPrefix(string(name), "package") {
			packages = append(packages, d)
		}
	}
	if len(packages) == 0 {
		return nil, fmt.Errorf("this machine shows no RAPL counters below %s", r.root)
	}
	return packages, nil
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
