package client

import (
	"os"
	"runtime"

	"github.com/inferometer/inferometer/internal/journal"
)

// Environment describes this machine. What the system doesn't tell is left out.
func Environment() journal.Environment {
	e := journal.Environment{
		OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), GoMaxProcs: runtime.GOMAXPROCS(0), Go: runtime.Version(),
		CPU: here().CPUModel(), FDLimit: FDLimit(), Kernel: kernel(),
	}
	e.Host, _ = os.Hostname()
	if m, err := here().Memory(); err == nil {
		e.MemoryBytes = m.Total
	}
	e.ClockSource, _ = here().Line("sys/devices/system/clocksource/clocksource0/current_clocksource")
	return e
}
