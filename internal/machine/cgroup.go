package machine

import (
	"errors"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

// Throttle counts the periods in which a control group had used up its CPU quota.
type Throttle struct{ Periods, Throttled int64 }

var errNoCgroup = errors.New("no control group for the CPU is mounted here")

// cgroups lists the folders of the control groups that this process belongs to, its own first, for each
// hierarchy that may hold a CPU quota.
func (m *Machine) cgroups() (v1, v2 []string, err error) {
	self, err := read(m, "self", m.proc.Self)
	if err != nil {
		return nil, nil, err
	}
	mounts, err := read(m, "self/mountinfo", self.MountInfo)
	if err != nil {
		return nil, nil, err
	}
	groups, err := read(m, "self/cgroup", self.Cgroups)
	if err != nil {
		return nil, nil, err
	}
	var path1, path2 string
	for _, g := range groups {
		switch {
		case g.HierarchyID == 0 && len(g.Controllers) == 0:
			path2 = g.Path
		case slices.Contains(g.Controllers, "cpu"):
			path1 = g.Path
		}
	}
	for _, mount := range mounts {
		if _, cpu := mount.SuperOptions["cpu"]; mount.FSType == "cgroup2" {
			v2 = append(v2, groupFolders(mount, path2)...)
		} else if mount.FSType == "cgroup" && cpu {
			v1 = append(v1, groupFolders(mount, path1)...)
		}
	}
	if v1 == nil && v2 == nil {
		return nil, nil, errNoCgroup
	}
	return v1, v2, nil
}

// groupFolders lists the group's own folder and those above it, up to the mount's: a quota binds all groups
// below it. Inside a container the group's path may be the one of the host; the mount's own folder is then
// the group's.
func groupFolders(mount *procfs.MountInfo, group string) []string {
	if rest, ok := strings.CutPrefix(group, mount.Root); ok && mount.Root != "/" {
		group = rest
	}
	var dirs []string
	for p := path.Clean("/" + group); ; p = path.Dir(p) {
		dirs = append(dirs, strings.TrimPrefix(path.Join(mount.MountPoint, p), "/"))
		if p == "/" {
			return dirs
		}
	}
}

// CPUQuota is the smallest number of processors that a control group allows, infinity without a quota. A
// folder without the file sets none: the topmost has none.
func (m *Machine) CPUQuota() (float64, error) {
	v1, v2, err := m.cgroups()
	if err != nil {
		return 0, err
	}
	least := math.Inf(1)
	for _, dir := range v2 {
		name := path.Join(dir, "cpu.max")
		b, err := m.Read(name)
		if err != nil {
			continue
		}
		n, err := parseCPUMax(b)
		if err != nil {
			return 0, malformed(name)
		}
		least = min(least, n)
	}
	for _, dir := range v1 {
		name := path.Join(dir, "cpu.cfs_quota_us")
		quota, err1 := m.Read(name)
		period, err2 := m.Read(path.Join(dir, "cpu.cfs_period_us"))
		if err1 != nil || err2 != nil {
			continue
		}
		n, err := processors(string(quota), string(period))
		if err != nil {
			return 0, malformed(name)
		}
		least = min(least, n)
	}
	return least, nil
}

// Throttled adds up the counters of the control groups. A group without a quota counts nothing.
func (m *Machine) Throttled() (Throttle, error) {
	v1, v2, err := m.cgroups()
	if err != nil {
		return Throttle{}, err
	}
	var sum Throttle
	for _, dir := range append(v2, v1...) {
		if b, err := m.Read(path.Join(dir, "cpu.stat")); err == nil {
			values := named(b)
			sum.Periods += values["nr_periods"]
			sum.Throttled += values["nr_throttled"]
		}
	}
	return sum, nil
}

// parseCPUMax reads version 2's "50000 100000" or "max 100000": a number of processors, or infinity.
func parseCPUMax(b []byte) (float64, error) {
	fields := strings.Fields(string(b))
	if len(fields) != 2 {
		return 0, ErrFormat
	}
	if fields[0] == "max" {
		return math.Inf(1), nil
	}
	return processors(fields[0], fields[1])
}

// processors divides a quota by its period.
func processors(quota, period string) (float64, error) {
	q, err1 := strconv.ParseInt(strings.TrimSpace(quota), 10, 64)
	p, err2 := strconv.ParseInt(strings.TrimSpace(period), 10, 64)
	switch {
	case err1 != nil || err2 != nil || p <= 0:
		return 0, ErrFormat
	case q <= 0: // version 1 writes -1 for none
		return math.Inf(1), nil
	}
	return float64(q) / float64(p), nil
}
