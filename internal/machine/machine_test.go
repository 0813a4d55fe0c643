package machine

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"
)

// at writes files to a folder and gives a machine that has them.
func at(t testing.TB, files map[string]string) *Machine {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return At(root, "linux")
}

func TestCPUTimes(t *testing.T) {
	m := at(t, map[string]string{"proc/stat": "cpu  1000 20 500 8000 100 10 50 7 99 0\ncpu0 1 2 3 4 5 6 7 8 9 0\nintr 5 1 2\nctxt 1\n"})
	got, err := m.CPUTimes()
	const tick = 10 * time.Millisecond
	want := CPUTimes{Work: 1520 * tick, Interrupts: 60 * tick, Steal: 7 * tick, Idle: 8100 * tick}
	if err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if got.Busy() != 1587*tick || got.All() != 9687*tick {
		t.Errorf("busy %v of %v", got.Busy(), got.All())
	}
	for _, text := range []string{"", "cpu\n", "cpu0 1 2 3 4 5 6 7 8\n", "cpu  1 x 3\n", "cpu  -5 0 0 1 0 0 0 0\n", "cpu  1e300 0 0 1 0 0 0 0\n", "cpu  NaN 0 0 1 0 0 0 0\n"} {
		if got, err := at(t, map[string]string{"proc/stat": text}).CPUTimes(); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

// An error says which file, and why it could not be read.
func TestErrors(t *testing.T) {
	linux := at(t, map[string]string{"proc/x": ""})
	if _, err := linux.CPUTimes(); err == nil || err.Error() != "there is no /proc/stat here: file does not exist" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, err := At(t.TempDir(), "linux").Memory(); err == nil || err.Error() != "there is no /proc/meminfo here: file does not exist" {
		t.Errorf("without /proc: %v", err)
	}
	if _, err := At(t.TempDir(), "darwin").TimeWait(); err == nil || err.Error() != "darwin does not tell: this is read from Linux's /proc/net/sockstat" {
		t.Errorf("elsewhere: %v", err)
	}
	if _, err := at(t, map[string]string{"proc/vmstat/a": ""}).SwappedIn(); err == nil || !strings.HasPrefix(err.Error(), "/proc/vmstat can't be read: ") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := at(t, map[string]string{"proc/meminfo": "garbage"}).Memory(); err == nil || err.Error() != "/proc/meminfo: "+ErrFormat.Error() {
		t.Errorf("garbage: %v", err)
	}
}

func TestGroupFolders(t *testing.T) {
	for _, c := range []struct {
		at, root, group string
		want            []string
	}{
		{"/sys/fs/cgroup", "/", "/", []string{"sys/fs/cgroup"}},
		{"/sys/fs/cgroup", "/", "/a/b", []string{"sys/fs/cgroup/a/b", "sys/fs/cgroup/a", "sys/fs/cgroup"}},
		{"/sys/fs/cgroup/cpu", "/docker/x", "/docker/x", []string{"sys/fs/cgroup/cpu"}}, // seen from outside
		{"/sys/fs/cgroup", "/", "/../../up", []string{"sys/fs/cgroup/up", "sys/fs/cgroup"}},
	} {
		if got := groupFolders(&procfs.MountInfo{MountPoint: c.at, Root: c.root}, c.group); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v", c, got)
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

// This process, on a real kernel.
func TestThis(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc here")
	}
	m := This()
	before, err := m.OpenFiles()
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if after, err := m.OpenFiles(); err != nil || after != before+1 {
		t.Errorf("%d files, then %d, %v", before, after, err)
	}
	if _, err := m.ThreadWait(); err != nil {
		t.Error(err)
	}
	if c, err := m.CPUTimes(); err != nil || c.Work <= 0 {
		t.Errorf("%+v, %v", c, err)
	}
	if mem, err := m.Memory(); err != nil || mem.Total < 1<<20 {
		t.Errorf("%+v, %v", mem, err)
	}
}

func TestRealProcesses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc here")
	}
	m := This()
	mark := "INFEROMETER_TEST_MARK=" + filepath.Base(t.TempDir()) + t.Name()
	cmd := exec.Command("sleep", "600")
	cmd.Env = append(os.Environ(), mark)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill() }()
	found := func() bool {
		return slices.Contains(m.WithEnvironment(mark), Process{cmd.Process.Pid, "sleep"})
	}
	for end := time.Now().Add(time.Minute); !found(); time.Sleep(time.Millisecond) { // until it has become sleep
		if time.Now().After(end) {
			t.Fatal("the process was not found by its environment")
		}
	}
	first, err := m.StartTime(cmd.Process.Pid)
	if again, _ := m.StartTime(cmd.Process.Pid); err != nil || again != first || !strings.Contains(first, "/") {
		t.Errorf("started at %q, then at %q, %v", first, again, err)
	}
	if _, err := m.StartTime(1 << 30); err == nil {
		t.Error("a process that can't be has a start time")
	}
}

// Whatever lies in /proc, reading it neither fails badly nor gives a number that can't be.
func FuzzFiles(f *testing.F) {
	for _, text := range []string{
		"cpu  1000 0 500 8000 100 0 50 0 0 0\ncpu0 500 0 250 4000 50 0 25 0 0 0\n", "0.10 0.20 0.30 1/100 4242\n",
		"some avg10=0.50 avg60=0.10 avg300=0.00 total=1\n", "some avg10=NaN avg60=0.10 avg300=0.00 total=1\n", "some avg10=",
		"MemTotal:       16000000 kB\nMemAvailable:   12000000 kB\n", "pswpin 7\npswpout 9\n", "TCP: inuse 1 orphan 0 tw 12 alloc 1 mem 68\n", "TCP: tw",
		"0::/box/inner\n", "1:cpu,cpuacct:/docker/abc\n", "31 23 0:28 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n",
		"32 31 0:29 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n", "max 100000\n", "9223372036854775807 1\n", "32768\t60999\n",
		"1 (a) b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22\n", "( b)", // procfs panics on the last
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		files := map[string]string{"sys/fs/cgroup/cpu.max": string(b), "sys/fs/cgroup/cpu.stat": string(b)}
		for _, name := range []string{
			"stat", "loadavg", "pressure/cpu", "meminfo", "vmstat", "net/sockstat", "cpuinfo", "1/cgroup", "1/mountinfo", "1/stat", "1/environ",
			"sys/net/ipv4/ip_local_port_range", "sys/net/core/somaxconn",
		} {
			files["proc/"+name] = string(b)
		}
		m := at(t, files)
		if err := os.Symlink("1", filepath.Join(m.root, "proc", "self")); err != nil {
			t.Fatal(err)
		}
		if c, err := m.CPUTimes(); err == nil && (c.All() < c.Busy() || c.Busy() < c.Steal || c.Steal < 0) {
			t.Errorf("CPUTimes: %+v", c)
		}
		if low, high, err := m.LocalPorts(); err == nil && (low < 0 || high < low || high > 65535) {
			t.Errorf("LocalPorts: %d to %d", low, high)
		}
		if v, err := m.CPUPressure(); err == nil && !(v >= 0) {
			t.Errorf("CPUPressure: %v", v)
		}
		if v, err := m.CPUQuota(); err == nil && !(v > 0) {
			t.Errorf("CPUQuota: %v", v)
		}
		if mem, err := m.Memory(); err == nil && mem.Total <= 0 {
			t.Errorf("Memory: %+v", mem)
		}
		_, _ = m.Throttled()
		_, _ = m.TimeWait()
		_, _ = m.LoadAverage()
		_, _ = m.SwappedIn()
		_, _ = m.StartTime(1)
		_ = m.CPUModel()
		_ = m.WithEnvironment("A=b")
	})
}
