// Package load drives a workload at a pace: it waits for each request's due
// time and for a free slot, sends it, and writes what happened to the journal.
// It knows no protocol and no file format.
//
// One goroutine prepares requests ahead of time, one dispatches them, and each
// exchange runs in a goroutine of its own with buffers that are reused.
package load

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// Config is one run's load.
type Config struct {
	Clock   *wire.Clock
	Source  workload.Source
	Warmups []*workload.Request // sent before the clock starts; never measured
	Pace    pace.Pace
	Timed   bool // the due times are those of a trace
	// GoTimers makes the dispatcher's short waits end by Go's timers, for a test in virtual time, instead of the kernel's.
	GoTimers bool
	Keep     bool // Go's scheduler can spare a processor for the dispatcher, also while it sleeps

	Concurrency int // requests in flight at most; 0: no limit
	// SpawnRate makes the slots of Concurrency usable one after the other, so many a
	// second, the first at once; 0: all at once.
	SpawnRate float64
	// Batch sends so many at once and the next ones when all of them have ended; 0: each by itself.
	Batch int

	Transport wire.Transport
	Protocol  *protocol.Backend
	Pooling   bool          // an answer is one JSON value, without tokens
	Query     bool          // the first of several texts is a query, and gets no answer of its own
	Call      protocol.Call // what all calls share; Prompt and MaxTokens are each request's
	URL       string
	// Targets are the URLs of several servers, in place of URL; Balance chooses one
	// for each measured request, and warm-ups go to one after the other.
	Targets  []string
	Balance  target.Balancer
	IDPrefix string // a request's id is this and its index
	// Trace is sent with each measured request, so that the server's spans hang under ours; the zero value: none is.
	Trace wire.Trace

	Timeout  time.Duration // of one request; 0: none
	Deadline time.Duration // of the whole run: what is in flight then is cancelled; 0: none

	Journal     *journal.Writer
	KeepPrompts bool // put prompts into the journal
	KeepTexts   bool // put generated texts into the journal
	// Reached is told the hash of each measured prompt that a server has taken, and the
	// index of its target, by many goroutines at once; may be nil.
	Reached func(promptHash string, target int)
	// Secrets are taken out of what a server says: it may repeat what it was sent. May be nil.
	Secrets *outside.Secrets
	// CountTokens counts a text's tokens where the server gave no usage, and an
	// event's where it did not say how many tokens each holds; may be nil.
	CountTokens func(text string) (int, error)
	// CountPrompt counts a prompt's tokens where a likelihood is asked for, by a tokenizer of our
	// own: asking the server would be a load; may be nil.
	CountPrompt func(text string) (int, error)
	// Probe is sent beside the load; nil: none is.
	Probe *Probe
	// WarmedUp is called when the warm-ups are over, before the clock starts; may be nil.
	WarmedUp func()
	// Begin is called after that, and returns when the load is to begin; an error ends the
	// run. May be nil.
	Begin func(ctx context.Context) error
	// Sending is called by the dispatcher before each measured request, with how many there
	// are with it. It must be quick. False: this one is not sent, nor any after it, and
	// drain is closed. May be nil.
	Sending func(n int) bool
	// Started is called when the warm-ups are over and the clock has been set to
	// zero, before anything is written to the journal.
	Started func() error

	// Conversations is how they are sent; nil: the source has none.
	Conversations *Conversations

	// Holds appends the times between two moments in which this process was held up; may be nil.
	Holds func(room []Hold, from, to int64) []Hold

	Progress *Progress   // may be nil
	Meter    *live.Meter // counts latencies as they come; nil: nobody looks
	Watch    Watch       // may end the run; may be nil
	Control  *Control    // may stop the pace for a while; may be nil
}

// Hold is a time in which this process was due to run and did not.
type Hold struct{ From, To int64 }

// url is where the requests of a target go.
func (c *Config) url(target int) string {
	if len(c.Targets) == 0 {
		return c.URL
	}
	return c.Targets[target]
}

// Result is what the run itself knows when it is over; everything else is in the journal.
type Result struct {
	Sent         int
	PeakInFlight int
	WorkloadSHA  string
	Interrupted  string // why it stopped early, or empty
	Stopped      string // what Config.Watch ended it for, or empty
	RPSChanges   []journal.RPSChange
	Pauses       []journal.Pause
	End          int64 // when the last request had ended
}

// Run sends the workload. When drain is closed it sends no more and waits for
// what is in flight; when ctx ends it cancels that too. Both give a Result.
func Run(ctx context.Context, drain <-chan struct{}, cfg Config) (*Result, error) {
	return newRun(ctx, drain, cfg).execute(drain)
}

// execute is the run from its warm-ups to its last answer.
func (r *run) execute(drain <-chan struct{}) (*Result, error) {
	cfg := r.cfg
	defer r.cancel(nil)
	warmups, err := r.warmUp()
	if err != nil {
		return nil, err
	}
	if cfg.WarmedUp != nil {
		cfg.WarmedUp()
	}
	if cfg.Begin != nil {
		defer r.makeAhead()() // at the instant all that is left to do is to send
		if err := cfg.Begin(r.ctx); err != nil {
			return nil, err
		}
	}
	r.flight.peak, r.flight.last = 0, 0 // of the measured requests alone, and on their clock
	moved := cfg.Clock.Restart()
	cfg.Control.begin(cfg.Clock.Now)
	if cfg.Started != nil {
		if err := cfg.Started(); err != nil {
			return nil, err
		}
	}
	for i := range warmups {
		if err := warmups[i].Move(-moved); err != nil {
			return nil, err
		}
		cfg.Journal.Append(journal.AppendRequest(nil, &warmups[i]))
	}
	if cfg.Deadline > 0 {
		stop := time.AfterFunc(cfg.Deadline, func() { r.cancel(errDeadline) })
		defer stop.Stop()
	}
	r.watch.start(cfg.Watch, func() { r.stopSending(errHalted) })
	spawned := r.spawn()
	stopProbe := startProbe(r.ctx, drain, cfg)
	d := newDispatcher(r)
	err = d.dispatch()
	r.cfg.Progress.draining.Store(true)
	pauses := cfg.Control.end()
	spawned()
	r.flight.wait.Wait()
	stopProbe()
	r.watch.end()
	res := d.result()
	res.Pauses = pauses
	return res, err
}

// isEnd tells the end of a source from its failure.
func isEnd(err error) bool { return errors.Is(err, io.EOF) }
