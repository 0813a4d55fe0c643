package doctor

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/machine"
)

// tree is a file system of texts.
type tree map[string]string

// machine writes the tree to a folder and gives a machine that has these files.
func (files tree) machine(t *testing.T, system string) *machine.Machine {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		// /proc/self is a link in the kernel's tree too.
		path := filepath.Join(root, strings.Replace(name, "proc/self/", "proc/1/", 1))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if len(files) > 0 {
		if err := os.Symlink("1", filepath.Join(root, "proc", "self")); err != nil {
			t.Fatal(err)
		}
	}
	return machine.At(root, system)
}

const (
	cpu0      = "sys/devices/system/cpu/cpu0/cpufreq/"
	cpu1      = "sys/devices/system/cpu/cpu1/cpufreq/"
	statFile  = "proc/stat"
	goodStat  = "cpu  1000 0 500 8000 100 0 50 0 0 0\ncpu0 500 0 250 4000 50 0 25 0 0 0\n"
	laterStat = "cpu  1005 0 502 8190 101 0 50 0 0 0\n"
)

// goodTree is a machine with nothing to mend: a container with a control group of
// version 2 and no quota.
func goodTree() tree {
	return tree{
		statFile:                                goodStat,
		"proc/loadavg":                          "0.10 0.20 0.30 1/100 4242\n",
		"proc/pressure/cpu":                     "some avg10=0.50 avg60=0.10 avg300=0.00 total=1\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
		"proc/meminfo":                          "MemTotal:       16000000 kB\nMemFree: 1 kB\nMemAvailable:   12000000 kB\nSwapTotal:       2000 kB\nSwapFree:        2000 kB\n",
		"proc/vmstat":                           "pswpin 7\npswpout 9\n",
		"proc/net/sockstat":                     "sockets: used 19\nTCP: inuse 1 orphan 0 tw 12 alloc 1 mem 68\nUDP: inuse 0 mem 0\n",
		"proc/self/cgroup":                      "0::/box/inner\n",
		"proc/self/mountinfo":                   "31 23 0:28 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n20 1 8:1 / / rw - ext4 /dev/sda1 rw\n",
		"sys/fs/cgroup/cpu.stat":                "usage_usec 100\n",
		"sys/fs/cgroup/box/x":                   "",
		cpu0 + "scaling_governor":               "performance\n",
		cpu1 + "scaling_governor":               "performance\n",
		cpu0 + "cpuinfo_max_freq":               "4000000\n",
		cpu0 + "scaling_max_freq":               "4000000\n",
		cpu0 + "scaling_cur_freq":               "3900000\n",
		cpuFolder + "cpufreq/boost":             "1\n",
		clockFolder + "current_clocksource":     "tsc\n",
		"sys/firmware/acpi/platform_profile":    "performance\n",
		"sys/devices/system/node/node0/cpulist": "0-3\n",
		clockFolder + "available_clocksource":   "tsc hpet acpi_pm \n",
		"proc/sys/net/ipv4/ip_local_port_range": "32768\t60999\n",
		"proc/sys/net/ipv4/tcp_tw_reuse":        "2\n",
		"proc/sys/net/core/somaxconn":           "4096\n",
		"sys/fs/cgroup/box/inner/cpu.max":       "max 100000\n",
		"sys/fs/cgroup/box/inner/cpu.stat":      "usage_usec 100\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n",
	}
}

// patient is a machine that a test makes ill.
type patient struct {
	System
	tree, later tree // later: what changes between the two readings
}

func newPatient(t *testing.T) *patient {
	p := &patient{tree: goodTree(), later: tree{statFile: laterStat}}
	p.System = System{
		OS: "linux", CPUs: 4, MaxProcs: 4, Concurrency: 1000,
		OpenFiles:    func() (uint64, uint64, error) { return 20000, 20000, nil },
		NvidiaSMI:    func(context.Context) (string, error) { return "0, Enabled, 700.00, 700.00\n", nil },
		Clock:        func() (ClockState, error) { return ClockState{true, 3 * time.Millisecond}, nil },
		KernelStamps: func() bool { return true },
		Lookup:       func(context.Context, string) ([]string, error) { return []string{"127.0.0.1", "::1"}, nil },
	}
	p.Pause = func(context.Context) {
		for name, text := range p.later {
			p.tree[name] = text
		}
		p.Machine = p.tree.machine(t, p.OS)
	}
	return p
}

func (p *patient) examine(t *testing.T) map[string]Finding {
	t.Helper()
	p.Machine = p.tree.machine(t, p.OS)
	findings := map[string]Finding{}
	for _, f := range p.System.Examine(context.Background(), func(string) bool { return false }) {
		findings[f.Name] = f
	}
	return findings
}

func TestMachineInGoodHealth(t *testing.T) {
	for name, f := range newPatient(t).examine(t) {
		if f.Level != OK || f.Mend != "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// Each case makes a good machine ill in one way. Its name begins with the finding that must say so.
func TestMachine(t *testing.T) {
	limit := func(soft, hard uint64) func(*patient) {
		return func(p *patient) {
			p.OpenFiles = func() (uint64, uint64, error) { return soft, hard, nil }
		}
	}
	file := func(name, text string) func(*patient) { return func(p *patient) { p.tree[name] = text } }
	later := func(name, text string) func(*patient) { return func(p *patient) { p.later[name] = text } }
	cgroup1 := func(quota, stat string) func(*patient) {
		return func(p *patient) {
			p.tree["proc/self/cgroup"] = "9:name=systemd:/\n1:cpu,cpuacct:/docker/abc\n0::/\n"
			p.tree["proc/self/mountinfo"] = "32 31 0:29 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
			p.tree["sys/fs/cgroup/cpu/cpu.cfs_quota_us"] = quota
			p.tree["sys/fs/cgroup/cpu/cpu.cfs_period_us"] = "100000\n"
			p.tree["sys/fs/cgroup/cpu/cpu.stat"] = stat
		}
	}
	for name, c := range map[string]struct {
		ill    func(*patient)
		level  Level
		figure string // a regular expression
		mend   string
	}{
		"open_files/soft":      {limit(256, 4096), Bad, `^256 \(4096 at most\); 1000 requests at a time need 1064`, `^ulimit -n 1064$`},
		"open_files/hard":      {limit(256, 256), Bad, `^256`, `as root, LimitNOFILE=1064`},
		"open_files/unlimited": {limit(1<<63, 1<<63), OK, `.`, ``},
		"open_files/untold":    {func(p *patient) { p.OpenFiles = func() (uint64, uint64, error) { return 0, 0, errors.New("no") } }, Unknown, `^no$`, ``},
		"ports/few":            {file("proc/sys/net/ipv4/ip_local_port_range", "60000 60099\n"), Bad, `^100 ports`, `ip_local_port_range=`},
		"ports/tight":          {file("proc/sys/net/ipv4/ip_local_port_range", "60000 61499\n"), Warn, `^1500 ports`, `tcp_tw_reuse=1`},
		"ports/waiting":        {file("proc/net/sockstat", "TCP: inuse 1 orphan 0 tw 20000 alloc 1 mem 68\n"), Warn, `20000 in TIME_WAIT, tcp_tw_reuse 2; .* 470 connections`, `.`},
		"ports/broken":         {file("proc/sys/net/ipv4/ip_local_port_range", "nonsense\n"), Unknown, `not known here`, ``},
		"ports/untold":         {file("proc/net/sockstat", "UDP: inuse 1\n"), Unknown, `sockstat`, ``},
		"backlog/short":        {file("proc/sys/net/core/somaxconn", "128\n"), Warn, `somaxconn 128, and 1000`, `somaxconn=4096`},
		"governor/powersave":   {file(cpu1+"scaling_governor", "powersave\n"), Warn, `^performance, powersave$`, `cpupower`},
		"frequency/capped":     {file(cpu0+"scaling_max_freq", "2000000\n"), Warn, `at most 2.00 GHz of 4.00; turbo on`, `cap`},
		"frequency/broken":     {file(cpu0+"cpuinfo_max_freq", "fast\n"), Unknown, `cpuinfo_max_freq`, ``},
		"frequency/no_turbo":   {file(cpuFolder+"intel_pstate/no_turbo", "1\n"), OK, `turbo off`, ``},
		"clock_source/hpet":    {file(clockFolder+"current_clocksource", "hpet\n"), Warn, `^hpet \(available: tsc`, `^echo tsc \| sudo tee /sys`},
		"clock_source/no_tsc": {func(p *patient) {
			file(clockFolder+"current_clocksource", "acpi_pm\n")(p)
			file(clockFolder+"available_clocksource", "acpi_pm\n")(p)
		}, Warn, `^acpi_pm`, `tsc=reliable`},
		"clock_source/jiffies":  {file(clockFolder+"current_clocksource", "jiffies\n"), Bad, `^jiffies$`, `.`},
		"clock_source/arm":      {file(clockFolder+"current_clocksource", "arch_sys_counter\n"), OK, `.`, ``},
		"time_keeping/unsynced": {func(p *patient) { p.Clock = func() (ClockState, error) { return ClockState{}, nil } }, Note, `not synchronised`, `timedatectl`},
		"time_keeping/untold": {func(p *patient) {
			p.Clock = func() (ClockState, error) { return ClockState{}, errors.New("adjtimex: no") }
		}, Unknown, `adjtimex`, ``},
		"stamps/none":       {func(p *patient) { p.KernelStamps = func() bool { return false } }, Warn, `no receive times`, `SO_TIMESTAMPING`},
		"quota/v2":          {func(p *patient) { file("sys/fs/cgroup/box/inner/cpu.max", "250000 100000\n")(p); p.MaxProcs = 3 }, Note, `^2.50 of 4 processors; Go uses 3`, `CPU limit`},
		"quota/above":       {func(p *patient) { file("sys/fs/cgroup/box/cpu.max", "50000 100000\n")(p); p.MaxProcs = 2 }, Warn, `^0.50 of 4`, `.`},
		"quota/gomaxprocs":  {file("sys/fs/cgroup/box/inner/cpu.max", "250000 100000\n"), Warn, `Go uses 4`, `GOMAXPROCS`},
		"quota/wide":        {file("sys/fs/cgroup/box/inner/cpu.max", "900000 100000\n"), OK, `no quota below`, ``},
		"quota/broken":      {file("sys/fs/cgroup/box/inner/cpu.max", "half\n"), Unknown, `cpu.max`, ``},
		"quota/v1":          {func(p *patient) { cgroup1("150000\n", "nr_periods 9\nnr_throttled 0\n")(p); p.MaxProcs = 2 }, Note, `^1.50 of 4`, `.`},
		"quota/v1_none":     {cgroup1("-1\n", ""), OK, `no quota`, ``},
		"quota/unmounted":   {file("proc/self/mountinfo", "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"), Unknown, `no control group`, ``},
		"throttling/now":    {later("sys/fs/cgroup/box/inner/cpu.stat", "nr_periods 10\nnr_throttled 4\n"), Bad, `stopped 4 times`, `--cpus`},
		"throttling/before": {file("sys/fs/cgroup/box/inner/cpu.stat", "nr_periods 90\nnr_throttled 4\n"), Warn, `4 of 90 periods`, `.`},
		"throttling/v1":     {func(p *patient) { cgroup1("-1\n", "nr_periods 9\nnr_throttled 3\n")(p) }, Warn, `3 of 9`, `.`},
		"load/some":         {later(statFile, "cpu  1080 0 500 8120 100 0 50 0 0 0\n"), Warn, `^40 % of 4 processors busy`, `taskset`},
		"load/much":         {later(statFile, "cpu  1150 0 500 8050 100 0 50 0 0 0\n"), Bad, `^75 %`, `.`},
		"load/pressure":     {file("proc/pressure/cpu", "some avg10=55.00 avg60=0.10 avg300=0.00 total=1\n"), Bad, `waited for one in 55 %`, `.`},
		"load/no_pressure":  {file("proc/pressure/cpu", ""), OK, `is not told`, ``},
		"load/lost":         {later(statFile, ""), Unknown, `^/proc/stat: `, ``},
		"load/still":        {later(statFile, goodStat), Unknown, `did not move`, ``},
		"steal/some":        {later(statFile, "cpu  1000 0 500 8194 100 0 50 6 0 0\n"), Warn, `^3.0 % within a second`, `of its own`},
		"steal/much":        {later(statFile, "cpu  1000 0 500 8180 100 0 50 20 0 0\n"), Bad, `^10.0 %`, `.`},
		"steal/before": {func(p *patient) {
			file(statFile, "cpu  1000 0 500 8000 100 0 50 300 0 0\n")(p)
			later(statFile, "cpu  1000 0 500 8200 100 0 50 300 0 0\n")(p)
		}, Note, `^0.0 % within a second, 3.0 % since boot`, `.`},
		"memory/little": {file("proc/meminfo", "MemTotal: 16000000 kB\nMemAvailable: 900000 kB\n"), Warn, `^878 MiB available of 15.3 GiB`, `.`},
		"memory/none":   {file("proc/meminfo", "MemTotal: 16000000 kB\nMemAvailable: 90000 kB\n"), Bad, `^87 MiB`, `.`},
		"memory/broken": {file("proc/meminfo", "garbage"), Unknown, `meminfo`, ``},
		"swap/busy":     {later("proc/vmstat", "pswpin 107\n"), Bad, `^100 pages`, `swapoff`},
		"swap/used":     {file("proc/meminfo", "MemTotal: 16000000 kB\nMemAvailable: 12000000 kB\nSwapTotal: 2000000 kB\nSwapFree: 1000000 kB\n"), Note, `in swap, none came back`, `.`},
		"swap/untold":   {func(p *patient) { delete(p.tree, "proc/vmstat") }, Unknown, `^there is no /proc/vmstat here: file does not exist$`, ``},
		"proxy/maybe":   {func(p *patient) { p.ProxyEnv = []string{"HTTP_PROXY=http://p:3128"} }, Note, `HTTP_PROXY=http://p:3128`, `NO_PROXY`},
		"proxy/unused":  {func(p *patient) { p.ProxyEnv, p.Asked = []string{"HTTP_PROXY=http://p:3128"}, true }, OK, `not used`, ``},
		"proxy/used": {func(p *patient) {
			p.ProxyEnv, p.Asked, p.Proxy = []string{"HTTP_PROXY=http://p:3128"}, true, &url.URL{Scheme: "http", Host: "p:3128", User: url.UserPassword("u", "secret")}
		}, Warn, `go through http://u:xxxxx@p:3128`, `--proxy none`},
		"localhost/v6": {func(p *patient) {
			p.Lookup = func(context.Context, string) ([]string, error) { return []string{"::1", "127.0.0.1"}, nil }
		}, Note, `IPv6 first`, `127.0.0.1`},
		"localhost/absent": {func(p *patient) {
			p.Lookup = func(context.Context, string) ([]string, error) { return nil, errors.New("no such host") }
		}, Unknown, `no such host`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPatient(t)
			c.ill(p)
			which, _, _ := strings.Cut(name, "/")
			f := p.examine(t)[which]
			if f.Level != c.level || !regexp.MustCompile(c.figure).MatchString(f.Figure) {
				t.Errorf("%s: %s, want %s: %s", f.Level, f.Figure, c.level, c.figure)
			}
			if (c.mend == "") != (f.Mend == "") || !regexp.MustCompile(c.mend).MatchString(f.Mend) {
				t.Errorf("to mend: %q, want %q", f.Mend, c.mend)
			}
		})
	}
}

// Where nothing can be read nothing is left out, and each finding says why.
func TestMachineThatTellsNothing(t *testing.T) {
	for system, reason := range map[string]string{"linux": `no /|no cpufreq|no `, "darwin": `darwin does not tell`} {
		p := newPatient(t)
		p.tree, p.later, p.OS = tree{}, tree{}, system
		findings := p.examine(t)
		if len(findings) != len(machineTable()) {
			t.Errorf("%s: %d findings", system, len(findings))
		}
		for name, f := range findings {
			switch name {
			case "open_files", "time_keeping", "stamps", "proxy", "localhost", "gpu_power": // asked for otherwise
			default:
				if f.Level != Unknown || !regexp.MustCompile(reason).MatchString(f.Figure) {
					t.Errorf("%s: %s: %s: %s", system, name, f.Level, f.Figure)
				}
			}
		}
	}
}

// The real machine, whatever it is: every finding is made, none is empty.
func TestThisSystem(t *testing.T) {
	s := ThisSystem()
	s.Concurrency = 1
	s.Pause = func(context.Context) {}
	findings := s.Examine(context.Background(), func(name string) bool { return name == "localhost" })
	if len(findings) != len(machineTable())-1 {
		t.Errorf("%d findings", len(findings))
	}
	for _, f := range findings {
		if f.Figure == "" || f.Why == "" || f.Group != Machine {
			t.Errorf("%+v", f)
		}
	}
}
