// Package harness is what the benchmark mains share: flags, folders, simulators, processes with their cost, and the
// median of rounds that took turns.
package harness

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

// Binary is the flag that names the program to measure.
func Binary() *string {
	var path string
	BinaryVar(&path)
	return &path
}

// BinaryVar is Binary for a variable of the benchmark's own.
func BinaryVar(path *string) {
	flag.StringVar(path, "binary", filepath.Join("bin", "inferometer"), "the program to measure")
}

// Rounds is the flag that says how often each side has its turn.
func Rounds(n int) *int { return flag.Int("rounds", n, "interleaved rounds") }

// Main reads the flags and runs a benchmark. Its error is printed behind its name, and the exit code is 1.
func Main(name string, run func() error) {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, name+":", err)
		os.Exit(1)
	}
}

// Folder calls f with an empty folder, which is gone afterwards.
func Folder(f func(dir string) error) error {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return f(dir)
}

// Sim calls f with the address of a simulator in a process of its own.
func Sim(binary string, args []string, f func(url string) error) error {
	sim, err := subprocess.Start(binary, args...)
	if err != nil {
		return err
	}
	defer func() { _ = sim.Stop() }()
	return f(sim.URL)
}

// Cost is what a process took until its end.
type Cost struct {
	Wall, CPU time.Duration
	PeakMB    float64 // resident memory
}

// Run runs a command to its end. An error has what it printed.
func Run(name string, args ...string) (Cost, error) {
	cmd := exec.Command(name, args...)
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return Cost{}, fmt.Errorf("%s: %w\n%s", filepath.Base(name), err, out)
	}
	c := Cost{Wall: time.Since(began), CPU: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.PeakMB = float64(usage.Maxrss) / 1024
	}
	return c, nil
}

// ReadJSON reads a file such as a run's result.
func ReadJSON(path string, to any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, to)
}

// Median is the middle one of some values, of an even number the mean of the two; of none it is 0.
func Median[T ~int64 | ~float64](values []T) T {
	n := len(values)
	if n == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[n/2] + sorted[(n-1)/2]) / 2
}
