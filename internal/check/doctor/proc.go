package doctor

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
)

// The formats of /proc and /sys. They are bytes from outside: what can't be read
// is an error, never a zero.

var errFormat = errors.New("it has a form that is not known here")

// parseInt reads a file that holds one number.
func parseInt(b []byte) (int64, error) {
	n, err := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64)
	if err != nil {
		return 0, errFormat
	}
	return n, nil
}

// cpuTimes are the ticks of all processors since boot.
type cpuTimes struct{ all, busy, steal int64 }

// parseStat reads the first line of /proc/stat: cpu user nice system idle iowait
// irq softirq steal …; what follows is counted in user and nice already.
func parseStat(b []byte) (cpuTimes, error) {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	fields := strings.Fields(string(line))
	if len(fields) < 9 || fields[0] != "cpu" {
		return cpuTimes{}, errFormat
	}
	var t cpuTimes
	for i, f := range fields[1:9] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil || n < 0 || n > math.MaxInt64/16 {
			return cpuTimes{}, errFormat
		}
		t.all += n
		if i != 3 && i != 4 { // idle, iowait
			t.busy += n
		}
	}
	t.steal, _ = strconv.ParseInt(fields[8], 10, 64) // read above
	return t, nil
}

// parseNamed reads lines of a name and a number, as meminfo ("Name: 12 kB"),
// vmstat and cpu.stat ("name 12") have them. Other lines are passed over.
func parseNamed(b []byte) map[string]int64 {
	values := map[string]int64{}
	for line := range strings.Lines(string(b)) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		if n, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
			values[strings.TrimSuffix(fields[0], ":")] = n
		}
	}
	return values
}

// parsePortRange reads "32768 60999".
func parsePortRange(b []byte) (low, high int, err error) {
	fields := strings.Fields(string(b))
	if len(fields) != 2 {
		return 0, 0, errFormat
	}
	low, err1 := strconv.Atoi(fields[0])
	high, err2 := strconv.Atoi(fields[1])
	if err1 != nil || err2 != nil || low < 0 || high < low || high > 65535 {
		return 0, 0, errFormat
	}
	return low, high, nil
}

// parseTimeWait finds "tw N" in the TCP line of /proc/net/sockstat.
func parseTimeWait(b []byte) (int64, error) {
	for line := range strings.Lines(string(b)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] != "TCP:" {
			continue
		}
		for i := 1; i+1 < len(fields); i += 2 {
			if fields[i] == "tw" {
				return parseInt([]byte(fields[i+1]))
			}
		}
	}
	return 0, errFormat
}

// parsePressure reads the share of the last 10 seconds, in percent, of the line
// "some avg10=1.23 avg60=…".
func parsePressure(b []byte) (float64, error) {
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "some avg10="); ok {
			first, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			v, err := strconv.ParseFloat(first, 64)
			if err != nil || !(v >= 0) {
				return 0, errFormat
			}
			return v, nil
		}
	}
	return 0, errFormat
}

// cgroupMount is a mounted hierarchy of control groups that may hold a CPU quota.
type cgroupMount struct {
	at, root string
	v2       bool
}

// parseCgroupMounts reads /proc/self/mountinfo:
// 31 23 0:28 root at options… - type source superoptions.
func parseCgroupMounts(b []byte) []cgroupMount {
	var mounts []cgroupMount
	for line := range strings.Lines(string(b)) {
		head, tail, ok := strings.Cut(line, " - ")
		h, t := strings.Fields(head), strings.Fields(tail)
		if !ok || len(h) < 5 || len(t) < 3 {
			continue
		}
		m := cgroupMount{at: h[4], root: h[3], v2: t[0] == "cgroup2"}
		if m.v2 || t[0] == "cgroup" && hasWord(t[2], "cpu") {
			mounts = append(mounts, m)
		}
	}
	return mounts
}

// parseCgroupPaths reads /proc/self/cgroup: "0::/path" for version 2,
// "3:cpu,cpuacct:/path" for version 1.
func parseCgroupPaths(b []byte) (v1, v2 string) {
	for line := range strings.Lines(string(b)) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		switch {
		case len(parts) < 3:
		case parts[0] == "0" && parts[1] == "":
			v2 = parts[2]
		case hasWord(parts[1], "cpu"):
			v1 = parts[2]
		}
	}
	return v1, v2
}

func hasWord(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if w == word {
			return true
		}
	}
	return false
}

// folders lists the group's own folder and those above it, up to the mount's:
// a quota binds whatever lies below it. Inside a container the path may be seen
// from outside; the mount's own folder is then the group's.
func (m cgroupMount) folders(group string) []string {
	if rest, ok := strings.CutPrefix(group, m.root); ok && m.root != "/" {
		group = rest
	}
	var dirs []string
	for p := path.Clean("/" + group); ; p = path.Dir(p) {
		dirs = append(dirs, strings.TrimPrefix(path.Join(m.at, p), "/"))
		if p == "/" {
			return dirs
		}
	}
}

// parseCPUMax reads version 2's "50000 100000" or "max 100000": a number of
// processors, or infinity.
func parseCPUMax(b []byte) (float64, error) {
	fields := strings.Fields(string(b))
	if len(fields) != 2 {
		return 0, errFormat
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
		return 0, errFormat
	case q <= 0: // version 1 writes -1 for none
		return math.Inf(1), nil
	}
	return float64(q) / float64(p), nil
}

// bytesText writes a size for people.
func bytesText(n int64) string {
	const gib = 1 << 30
	if n >= gib {
		return fmt.Sprintf("%.1f GiB", float64(n)/gib)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
