package serve

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/inferometer/inferometer/internal/check/selftest"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/client"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/spec"
)

// ThisMachine is what a self-test's claim holds for. It is asked before the load
// begins, since that gives Go's scheduler spare processors.
func ThisMachine() selftest.Machine {
	e := client.Environment()
	return selftest.Machine{Host: e.Host, CPU: e.CPU, CPUs: e.CPUs, GoMaxProcs: e.GoMaxProcs}
}

// ResolvedEngine is what --engine means for plain HTTP on this system.
func ResolvedEngine(engine string) string {
	if engine == spec.EngineAuto && runtime.GOOS == "linux" {
		return spec.EngineLoop
	}
	if engine == spec.EngineAuto {
		return spec.EngineNetHTTP
	}
	return engine
}

// FindProven finds what the newest self-test proved for a run; nil: nothing.
// A result that can't be read proves nothing, and is no reason to stop a run.
func FindProven(h *prepare.Host, engine string) *journal.Proven {
	path, err := SelftestPath()
	if err != nil {
		return nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil // there was none
	}
	result, err := selftest.Decode(b)
	if err != nil {
		h.Note("note: %s: %v", path, err)
		return nil
	}
	return result.Proven(command.Version(), engine, ThisMachine())
}

// SelftestPath is where the result is kept.
func SelftestPath() (string, error) {
	state, err := (&prepare.Host{Environment: spec.Environment{Lookup: os.LookupEnv}}).State()
	if err != nil {
		return "", fmt.Errorf("%w; set XDG_STATE_HOME", err)
	}
	return filepath.Join(state, "inferometer", "selftest.json"), nil
}
