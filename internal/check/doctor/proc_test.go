package doctor

import (
	"math"
	"slices"
	"testing"
)

func TestCgroupFolders(t *testing.T) {
	for _, c := range []struct {
		mount cgroupMount
		group string
		want  []string
	}{
		{cgroupMount{at: "/sys/fs/cgroup", root: "/"}, "/", []string{"sys/fs/cgroup"}},
		{cgroupMount{at: "/sys/fs/cgroup", root: "/"}, "/a/b", []string{"sys/fs/cgroup/a/b", "sys/fs/cgroup/a", "sys/fs/cgroup"}},
		{cgroupMount{at: "/sys/fs/cgroup/cpu", root: "/docker/x"}, "/docker/x", []string{"sys/fs/cgroup/cpu"}}, // seen from outside
		{cgroupMount{at: "/sys/fs/cgroup", root: "/"}, "/../../up", []string{"sys/fs/cgroup/up", "sys/fs/cgroup"}},
	} {
		if got := c.mount.folders(c.group); !slices.Equal(got, c.want) {
			t.Errorf("%+v %s: %v", c.mount, c.group, got)
		}
	}
}

func TestParseCPUMax(t *testing.T) {
	for text, want := range map[string]float64{"max 100000\n": math.Inf(1), "150000 100000\n": 1.5} {
		if got, err := parseCPUMax([]byte(text)); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "max", "1 0", "1 -5", "x 1", "1 2 3"} {
		if got, err := parseCPUMax([]byte(text)); err == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}

// Whatever lies in /proc, reading it neither fails badly nor gives a number that can't be.
func FuzzProc(f *testing.F) {
	for _, text := range goodTree() {
		f.Add([]byte(text))
	}
	f.Add([]byte("32 31 0:29 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"))
	f.Add([]byte("1:cpu,cpuacct:/docker/abc\n"))
	f.Add([]byte("9223372036854775807 1\n"))
	f.Add([]byte("some avg10=NaN"))
	f.Add([]byte("some avg10="))
	f.Add([]byte("TCP: tw"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := parseStat(b); err == nil && (s.all < s.busy || s.busy < s.steal || s.steal < 0) {
			t.Errorf("parseStat: %+v", s)
		}
		if low, high, err := parsePortRange(b); err == nil && (low < 0 || high < low || high > 65535) {
			t.Errorf("parsePortRange: %d to %d", low, high)
		}
		if v, err := parsePressure(b); err == nil && !(v >= 0) {
			t.Errorf("parsePressure: %v", v)
		}
		if v, err := parseCPUMax(b); err == nil && !(v > 0) {
			t.Errorf("parseCPUMax: %v", v)
		}
		_, _ = parseTimeWait(b)
		parseNamed(b)
		v1, v2 := parseCgroupPaths(b)
		for _, m := range append(parseCgroupMounts(b), cgroupMount{at: "/x", root: "/"}) {
			if len(m.folders(v1)) == 0 || len(m.folders(v2)) == 0 {
				t.Errorf("no folder for %+v", m)
			}
		}
	})
}
