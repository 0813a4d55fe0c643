package client

import (
	"bufio"
	"os"
	"runtime"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

// Environment describes this machine. What the system doesn't tell is left out.
func Environment() journal.Environment {
	e := journal.Environment{
		OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), GoMaxProcs: runtime.GOMAXPROCS(0), Go: runtime.Version(),
		CPU: cpuModel(), FDLimit: FDLimit(), Kernel: kernel(), MemoryBytes: memoryBytes(),
	}
	e.Host, _ = os.Hostname()
	e.ClockSource = firstLine("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	return e
}

func cpuModel() string { return fieldOf("/proc/cpuinfo", "model name") }

func firstLine(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return line
}

// fieldOf finds the first `name : value` of a file of /proc.
func fieldOf(path, name string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		key, value, ok := strings.Cut(lines.Text(), ":")
		if ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
