package doctor

import (
	"context"
	"net"
	"net/url"
	"runtime"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/machine"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// System is a view of this machine. Each part can be replaced by a test.
type System struct {
	Machine  *machine.Machine
	OS       string
	CPUs     int
	MaxProcs int // Go's processors
	// Concurrency is how many requests are to be on their way at a time.
	Concurrency int
	// ProxyEnv are the variables that name proxies, as NAME=value, without passwords.
	ProxyEnv []string
	// Proxy is what requests to the server that is to be measured go through; nil:
	// nothing. Asked says whether there is such a server.
	Proxy *url.URL
	Asked bool

	// NvidiaSMI asks for persistence mode and power limits; nil: nobody is asked.
	NvidiaSMI    func(ctx context.Context) (string, error)
	OpenFiles    func() (soft, hard uint64, err error)
	Clock        func() (ClockState, error)
	KernelStamps func() bool
	Lookup       func(ctx context.Context, host string) ([]string, error)
	// Pause passes between two readings of the machine's counters.
	Pause func(ctx context.Context)
}

// ClockState is what the kernel says of the system's clock.
type ClockState struct {
	Synchronised bool
	MaxError     time.Duration // as the kernel estimates it
}

// between is long enough for a share of one percent on two processors, which
// count in ticks of 10 ms.
const between = time.Second

// ThisSystem is the machine that the program runs on.
func ThisSystem() System {
	return System{
		Machine: machine.This(), OS: runtime.GOOS, CPUs: runtime.NumCPU(), MaxProcs: runtime.GOMAXPROCS(0),
		NvidiaSMI: askNvidiaSMI, OpenFiles: machine.OpenFileLimit, Clock: clockState, KernelStamps: kernelStamps, Lookup: net.DefaultResolver.LookupHost,
		Pause: func(ctx context.Context) {
			select {
			case <-ctx.Done():
			case <-time.After(between):
			}
		},
	}
}

// kernelStamps tries it, as a run does.
func kernelStamps() bool {
	t := wire.NewNetHTTP(wire.NetHTTPConfig{Clock: wire.NewClock(), KernelStamps: true})
	defer t.Close()
	return t.Stamps() == "kernel"
}

// examination is a system with two readings of its counters.
type examination struct {
	*System
	ctx         context.Context
	first, last counters
}

// counters grow; only the difference of two readings says what happens now.
type counters struct {
	cpu                       machine.CPUTimes
	swapped                   int64 // pages read back from swap
	throttle                  machine.Throttle
	noCPU, noSwap, noThrottle error // why a part could not be read
}

func (m *examination) counters() counters {
	var c counters
	c.cpu, c.noCPU = m.Machine.CPUTimes()
	c.swapped, c.noSwap = m.Machine.SwappedIn()
	c.throttle, c.noThrottle = m.Machine.Throttled()
	return c
}

// Examine checks the machine. skip reports which findings, by name, are left out.
func (s *System) Examine(ctx context.Context, skip func(name string) bool) []Finding {
	m := &examination{System: s, ctx: ctx}
	m.first = m.counters()
	if !allSkipped(skip, counting) {
		s.Pause(ctx)
	}
	m.last = m.counters()
	var findings []Finding
	for _, e := range machineTable() {
		if !skip(e.name) {
			findings = append(findings, e.finding(Machine, e.examine(m)))
		}
	}
	return findings
}

// counting are the findings that compare two readings of counters.
var counting = []string{"throttling", "load", "steal", "swap"}

func allSkipped(skip func(string) bool, names []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return !skip(n) })
}
