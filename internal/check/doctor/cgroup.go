package doctor

import (
	"errors"
	"fmt"
	"math"
	"path"
)

// throttle counts the periods in which a control group had used up its quota.
type throttle struct{ periods, throttled int64 }

var errNoCgroup = errors.New("no control group for the CPU is mounted here")

// cgroupFolders lists the folders of the control groups that this process lies
// in, its own first, for each hierarchy that may hold a quota.
func (m *machine) cgroupFolders() (v1, v2 []string, err error) {
	mountinfo, err := m.read("proc/self/mountinfo")
	if err != nil {
		return nil, nil, err
	}
	paths, err := m.read("proc/self/cgroup")
	if err != nil {
		return nil, nil, err
	}
	path1, path2 := parseCgroupPaths(paths)
	for _, mount := range parseCgroupMounts(mountinfo) {
		if mount.v2 {
			v2 = append(v2, mount.folders(path2)...)
		} else {
			v1 = append(v1, mount.folders(path1)...)
		}
	}
	if v1 == nil && v2 == nil {
		return nil, nil, errNoCgroup
	}
	return v1, v2, nil
}

// quota is the smallest number of processors that a group allows, infinity
// without a quota. A folder without the file sets none: the topmost has none.
func (m *machine) quota() (float64, error) {
	v1, v2, err := m.cgroupFolders()
	if err != nil {
		return 0, err
	}
	least := math.Inf(1)
	for _, dir := range v2 {
		b, err := m.read(path.Join(dir, "cpu.max"))
		if err != nil {
			continue
		}
		n, err := parseCPUMax(b)
		if err != nil {
			return 0, fmt.Errorf("/%s/cpu.max: %w", dir, err)
		}
		least = min(least, n)
	}
	for _, dir := range v1 {
		q, err1 := m.read(path.Join(dir, "cpu.cfs_quota_us"))
		p, err2 := m.read(path.Join(dir, "cpu.cfs_period_us"))
		if err1 != nil || err2 != nil {
			continue
		}
		n, err := processors(string(q), string(p))
		if err != nil {
			return 0, fmt.Errorf("/%s/cpu.cfs_quota_us: %w", dir, err)
		}
		least = min(least, n)
	}
	return least, nil
}

// throttled adds up the groups' counters. A group without a quota counts nothing.
func (m *machine) throttled() (throttle, error) {
	v1, v2, err := m.cgroupFolders()
	if err != nil {
		return throttle{}, err
	}
	var sum throttle
	for _, dir := range append(v2, v1...) {
		if b, err := m.read(path.Join(dir, "cpu.stat")); err == nil {
			values := parseNamed(b)
			sum.periods += values["nr_periods"]
			sum.throttled += values["nr_throttled"]
		}
	}
	return sum, nil
}
