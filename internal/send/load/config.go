package load

import (
	"context"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/hangup"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// Config is one run's load: what is sent, when, where to, what is kept of it and who watches.
type Config struct {
	Clock *wire.Clock
	Workload
	Schedule
	Destination
	Records
	Observers
}

// Workload is what is sent.
type Workload struct {
	Source  workload.Source
	Warmups []*workload.Request // sent before the clock starts; never measured
	// Primers are conversations that fill the server's cache before the clock starts, after the warm-ups. They are written down
	// as warm-ups. If a turn of a root fails, the run ends: branches that others have begun may fail.
	Primers []*workload.Request
	// Conversations is how they are sent; nil: the source has none.
	Conversations *Conversations
	Probe         *Probe        // sent beside the load; nil: none is
	Call          protocol.Call // what all calls share; Prompt and MaxTokens are each request's
	Query         bool          // the first of several texts is a query, and gets no answer of its own
	Pooling       bool          // an answer is one JSON value, without tokens
	IDPrefix      string        // a request's id is this and its index
	HangUp        *hangup.Plan  // which of the measured requests are ended on purpose; nil: none
}

// Schedule is when it is sent.
type Schedule struct {
	Pace  pace.Pace
	Timed bool // the due times are those of a trace
	// GoTimers makes the dispatcher's short waits end by Go's timers, for a test in virtual time, instead of the kernel's.
	GoTimers bool
	Keep     bool // Go's scheduler can spare a processor for the dispatcher, also while it sleeps

	Concurrency int // requests in flight at most; 0: no limit
	// SpawnRate makes the slots of Concurrency usable one after the other, so many a
	// second, the first at once; 0: all at once.
	SpawnRate float64
	// Batch sends so many at once and the next ones when all of them have ended; 0: each by itself.
	Batch int

	Timeout  time.Duration // of one request; 0: none
	Deadline time.Duration // of the whole run: what is in flight then is cancelled; 0: none
	Control  *Control      // may stop the pace for a while; may be nil
}

// Destination is where it is sent to, and how.
type Destination struct {
	Transport wire.Transport
	Protocol  *protocol.Backend
	URL       string
	// Targets are the URLs of several servers, in place of URL; Balance chooses one
	// for each measured request, and warm-ups go to one after the other.
	Targets []string
	Balance target.Balancer
	// Signs are where answers may say who served them.
	Signs stream.Signs
	// Trace is sent with each measured request, so that the server's spans hang under ours; the zero value: none is.
	Trace wire.Trace
}

// url is where the requests of a target go.
func (d *Destination) url(target int) string {
	if len(d.Targets) == 0 {
		return d.URL
	}
	return d.Targets[target]
}

// Records is what is kept of it.
type Records struct {
	Journal     *journal.Writer
	KeepPrompts bool // put prompts into the journal
	KeepTexts   bool // put generated texts into the journal
	// Secrets are taken out of what a server says: it may repeat what it was sent. May be nil.
	Secrets *outside.Secrets
	// CountTokens counts a text's tokens where the server gave no usage, and an
	// event's where it did not say how many tokens each holds; may be nil.
	CountTokens func(text string) (int, error)
	// CountPrompt counts a prompt's tokens where a likelihood is asked for, by a tokenizer of our
	// own: asking the server would be a load; may be nil.
	CountPrompt func(text string) (int, error)
	// Holds appends the times between two moments in which this process was held up; may be nil.
	Holds func(list []Hold, from, to int64) []Hold
}

// Hold is a time in which this process was due to run and did not.
type Hold struct{ From, To int64 }

// Observers are told what happens. Each may be nil.
type Observers struct {
	// WarmedUp is called when the warm-ups are over, before the clock starts.
	WarmedUp func()
	// Begin is called after that, and returns when the load is to begin; an error ends the run.
	Begin func(ctx context.Context) error
	// Started is called when the warm-ups are over and the clock has been set to
	// zero, before anything is written to the journal.
	Started func() error
	// Sending is called by the dispatcher before each measured request, with how many there
	// are with it. It must be quick. False: this one is not sent, nor any after it.
	Sending func(n int) bool
	// Reached is told the hash of each measured prompt that a server has taken, and the
	// index of its target, by many goroutines at once.
	Reached func(promptHash string, target int)

	Progress *Progress
	Meter    *live.Meter // counts latencies as they come
	Watch    Watch       // may end the run
}
