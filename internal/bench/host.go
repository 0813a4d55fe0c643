package bench

import (
	"context"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/observe"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/spec/fault"
)

// Host is what a run needs of the process that it is part of. Nothing here changes
// what is measured.
type Host struct {
	prepare.Host        // finds things
	Version      string // for the journal, with the commit

	// Observers are told of the run, beside those that its Spec asks for.
	Observers []observe.Observer
	// Live is told how the run goes, twice a second, from the start of its preparation to its
	// end. Nil: latencies are not counted before the journal is read.
	Live *live.Feed
	// Control pauses the pace. Nil: nobody can.
	Control *load.Control
	// Begin is called when the warm-ups are over, and returns at the instant at which the
	// load begins; an error ends the run before it. Nil: at once.
	Begin func(ctx context.Context) error
	// Sending is told of each measured request before it is sent, by one goroutine; see
	// load.Config. Nil: nobody counts.
	Sending func(n int) bool
	// Do does faults to servers. Nil: nobody here has started any; commands are run all the same.
	Do fault.Doer
	// Drained says for the journal why the run was told to send no more; empty, or nil: its
	// user, or the leader of its fleet, wanted it.
	Drained func() string
	// Proven finds what the newest self-test proved for an engine. Nil: nothing.
	Proven func(engine string) *journal.Proven
}
