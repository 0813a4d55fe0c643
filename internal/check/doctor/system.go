package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/inferometer/inferometer/internal/send/wire"
)

// System is a view of this machine. Each part can be replaced by a test.
type System struct {
	FS       fs.FS // rooted at /
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
		FS: os.DirFS("/"), OS: runtime.GOOS, CPUs: runtime.NumCPU(), MaxProcs: runtime.GOMAXPROCS(0),
		OpenFiles: openFileLimit, Clock: clockState, KernelStamps: kernelStamps, Lookup: net.DefaultResolver.LookupHost,
		Pause: func(ctx context.Context) {
			select {
			case <-ctx.Done():
			case <-time.After(between):
			}
		},
	}
}

func openFileLimit() (soft, hard uint64, err error) {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 0, 0, fmt.Errorf("getrlimit: %w", err)
	}
	return uint64(l.Cur), uint64(l.Max), nil
}

// kernelStamps tries it, as a run does.
func kernelStamps() bool {
	t := wire.NewNetHTTP(wire.NetHTTPConfig{Clock: wire.NewClock(), KernelStamps: true})
	defer t.Close()
	return t.Stamps() == "kernel"
}

// machine is a system under examination.
type machine struct {
	*System
	ctx         context.Context
	first, last counters
}

// counters grow; only the difference of two readings says what happens now.
type counters struct {
	cpu                   cpuTimes
	swapped               int64 // pages read back from swap
	throttle              throttle
	noCPU, noSwap, noThrt error // why a part could not be read
}

func (m *machine) counters() counters {
	var c counters
	c.cpu, c.noCPU = m.cpuTimes()
	c.swapped, c.noSwap = m.swapped()
	c.throttle, c.noThrt = m.throttled()
	return c
}

// Examine looks at the machine. Findings whose names skip knows are not made.
func (s *System) Examine(ctx context.Context, skip func(name string) bool) []Finding {
	m := &machine{System: s, ctx: ctx}
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

// read reads a file; where it is absent on another system than Linux, the error says so.
func (m *machine) read(name string) ([]byte, error) {
	b, err := fs.ReadFile(m.FS, name)
	if err == nil {
		return b, nil
	}
	if m.OS != "linux" {
		return nil, fmt.Errorf("%s does not tell: this is read from Linux's /%s", m.OS, name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no /%s here: %w", name, fs.ErrNotExist)
	}
	return nil, fmt.Errorf("/%s can't be read: %w", name, errors.Unwrap(err))
}

// readAs reads a file and parses it.
func readAs[T any](m *machine, name string, parse func([]byte) (T, error)) (T, error) {
	b, err := m.read(name)
	if err != nil {
		var zero T
		return zero, err
	}
	v, err := parse(b)
	if err != nil {
		return v, fmt.Errorf("/%s: %w", name, err)
	}
	return v, nil
}
