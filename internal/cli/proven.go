package cli

import (
	"os"
	"runtime"

	"github.com/inferometer/inferometer/internal/check/selftest"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// thisMachine is what a self-test's claim holds for. It is asked before the load
// begins, since that gives Go's scheduler spare processors.
func thisMachine() selftest.Machine {
	e := environment()
	return selftest.Machine{Host: e.Host, CPU: e.CPU, CPUs: e.CPUs, GoMaxProcs: e.GoMaxProcs}
}

// resolvedEngine is what --engine means for plain HTTP on this system.
func resolvedEngine(engine string) string {
	if engine == engineAuto && runtime.GOOS == "linux" {
		return engineLoop
	}
	if engine == engineAuto {
		return engineNetHTTP
	}
	return engine
}

// findProven finds what the newest self-test proved for this run; nil: nothing.
// A result that can't be read proves nothing, and is no reason to stop a run.
func (r *serveRun) findProven() *journal.Proven {
	path, err := selftestPath()
	if err != nil {
		return nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil // there was none
	}
	result, err := selftest.Decode(b)
	if err != nil {
		r.say("note: %s: %v", path, err)
		return nil
	}
	engine := engineNetHTTP
	if _, isLoop := r.transport.(*wire.Loop); isLoop {
		engine = engineLoop
	}
	return result.Proven(fullVersion(), engine, thisMachine())
}
