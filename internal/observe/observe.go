// Package observe holds what watches a run while it goes on. Each observer is a file, and a line in the list that a
// run is made with; one that is not asked for is not in it.
package observe

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// Observer watches a run. Base has these methods for those who need not all of them.
type Observer interface {
	// Open comes before the warm-ups. An error ends the run, and nothing of it is left.
	Open(ctx context.Context, r *Run) error
	// Start comes when the load begins: the clock has just been set to zero, and the
	// journal has its first line.
	Start() error
	// Stop comes when the load is over, also where it failed or never began. What was seen
	// goes into the journal, or into its last line.
	Stop(ctx context.Context, end *journal.End) error
}

// Watcher is an observer that sees the record of each measured request when it has ended, by many
// goroutines at a time. It must be quick and keep nothing of it.
type Watcher interface{ Ended(*journal.Request) }

// Configurer is an observer that has a part in the load itself.
type Configurer interface{ Configure(*load.Config) }

// Finisher is an observer that has something to do after a load that went well, when all
// others have stopped. drain means that the user does not want to wait.
type Finisher interface {
	Finish(ctx context.Context, drain <-chan struct{}, end *journal.End) error
}

// Closer is an observer that has something to close at the very end, well or not.
type Closer interface{ Close() }

// Run is what an observer is given of a run.
type Run struct {
	Folder   string
	Clock    *wire.Clock
	Journal  *journal.Writer
	First    *journal.Run // the journal's first line; nil before the load begins
	Progress *load.Progress
	Total    int           // requests to come; 0: not known
	Length   time.Duration // of a run that ends by time; 0: not known
	Beside   func() string // what else there is to show of its progress; may be nil
	Targets  []*target.Target
	Model    string           // its name in the requests
	Secrets  *outside.Secrets // are in nothing that is written or said
	Say      func(format string, args ...any)
	Warn     func(format string, args ...any) // also where notes are not wanted

	// What the servers' metrics say, for those who are opened after their observer; nil: nothing.
	Before  []target.Metrics     // the warm-ups
	Servers func() []live.Server // now
}

// Base is an observer that does nothing but keep what it is given.
type Base struct {
	Run *Run // nil: it has not been opened
}

// Open implements Observer.
func (b *Base) Open(_ context.Context, r *Run) error {
	b.Run = r
	return nil
}

// Start implements Observer.
func (*Base) Start() error { return nil }

// Stop implements Observer.
func (*Base) Stop(context.Context, *journal.End) error { return nil }

// List is the observers of a run, in the order in which they are told.
type List []Observer

// Open opens them up to the first error.
func (l List) Open(ctx context.Context, r *Run) error {
	for _, o := range l {
		if err := o.Open(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// Configure gives them their parts in the load.
func (l List) Configure(cfg *load.Config) {
	for _, o := range l {
		if c, ok := o.(Configurer); ok {
			c.Configure(cfg)
		}
	}
}

// Start tells all that the load begins.
func (l List) Start() (err error) {
	for _, o := range l {
		err = errors.Join(err, o.Start())
	}
	return err
}

// Stop tells all that the load is over.
func (l List) Stop(ctx context.Context, end *journal.End) (err error) {
	for _, o := range l {
		err = errors.Join(err, o.Stop(ctx, end))
	}
	return err
}

// Finish lets them do what comes after the load, one after the other.
func (l List) Finish(ctx context.Context, drain <-chan struct{}, end *journal.End) (err error) {
	for _, o := range l {
		if f, ok := o.(Finisher); ok {
			err = errors.Join(err, f.Finish(ctx, drain, end))
		}
	}
	return err
}

// Close closes them, the last first.
func (l List) Close() {
	for _, o := range slices.Backward(l) {
		if c, ok := o.(Closer); ok {
			c.Close()
		}
	}
}

// Watch is a watch of the load by which they see what has ended, beside one that may end the
// run; nil: there is none, and nobody wants to see.
func (l List) Watch(ends load.Watch) load.Watch {
	w := watch{Watch: ends}
	for _, o := range l {
		if see, ok := o.(Watcher); ok {
			w.see = append(w.see, see)
		}
	}
	if len(w.see) == 0 {
		return ends
	}
	return &w
}

type watch struct {
	load.Watch // nil: nothing ends the run
	see        []Watcher
}

// Ended implements load.Watch.
func (w *watch) Ended(q *journal.Request) bool {
	for _, see := range w.see {
		see.Ended(q)
	}
	return w.Watch != nil && w.Watch.Ended(q)
}

// Judge implements load.Watch.
func (w *watch) Judge() string {
	if w.Watch == nil {
		return ""
	}
	return w.Watch.Judge()
}
