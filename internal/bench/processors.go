package bench

import (
	"runtime"

	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// spare is how many goroutines may wait inside a system call beside the event loop's
// threads: the dispatcher, and one that reads or writes a file.
const spare = 2

// spareProcessors gives Go's scheduler some processors more than it has chosen by
// the machine and its limits, and says how many. It comes right before the load: what counts its
// workers by the processors has done so.
// A thread that waits in a system call keeps its processor for up to 10 ms, and
// what is due meanwhile would wait for it (figures: docs/accuracy.md).
// undo takes them back: a command may have several runs.
func spareProcessors(t wire.Transport, h *prepare.Host) (spared int, undo func()) {
	loop, isLoop := t.(*wire.Loop)
	if !isLoop || h.Variable("GOMAXPROCS") != "" { // the user knows better
		return 0, func() {}
	}
	spared = loop.Threads() + spare
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + spared)
	loop.Keep(true)
	return spared, func() {
		loop.Keep(false)
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) - spared)
	}
}
