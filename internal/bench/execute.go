package bench

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/inferometer/inferometer/internal/bench/client"
	"github.com/inferometer/inferometer/internal/eval/sandbox"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/power"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/spec"
	"github.com/inferometer/inferometer/internal/usage"
)

// Run is one run, from its Spec to its journal.
type Run struct {
	*spec.Spec
	asked *spec.Spec // of the whole, where this is a share of it
	host  *Host
	wire  *spec.Wire

	clock     *wire.Clock
	target    *target.Target
	targets   []*target.Target // all of them; target is the first
	lists     []modelList      // what each says that it serves
	identity  []journal.Target // of each, where there are several
	balance   target.Balancer  // nil with one server
	transport wire.Transport
	protocol  *protocol.Backend

	modelID       string // for the result and the tokenizer
	sentModel     string // in the body
	oldLimit      bool   // the body says max_tokens too
	tokens        tokenizerChoice
	dataset       workload.Dataset
	datasetCommit string        // of the hub; empty: it came from elsewhere
	datasetFolder string        // that its files of the hub lie in
	conversations int           // of the dataset
	task          *journal.Task // what the dataset asks; nil: no questions
	earlier       *earlier      // parts of this run that were killed; nil: it is none that goes on
	pace          pace.Pace
	paceName      string

	trace   wire.Trace // see traceID
	folder  string
	journal *journal.Writer
	// unwritten says why the journal's file is not whole; the rest is in memory.
	unwritten  error
	inProgress func()       // ends the folder's mark; nil: there is none yet
	begun      bool         // the clock has started
	usage      client.Usage // of this process at that moment
	spared     int          // processors that Go's scheduler was given beyond those it has

	here       journal.Environment // read before the clock starts: nothing may come between that and the first request
	progress   *load.Progress
	live       *teller // nil: nobody is told how it goes
	sampler    *client.Sampler
	wakeups    *client.Wakeups             // nil: the load has not begun
	scraper    *scraper                    // nil: the servers are not asked during the load
	meters     []*metered                  // each server's metrics, where there are any
	before     []*taken                    // each server's counters before the warm-ups; nil where it has none
	names      *serving.Table              // which of them are kept
	whole      *journal.MetricsWriter      // keeps them as they came
	metricsMap []journal.MetricName        // what the user says of names
	watched    *atomic.Pointer[[]*metered] // meters, for other goroutines
	power      power.Spec
	meter      *power.Measurement // nil: power was not asked for
	devices    *devices           // what is asked of hardware; nil: the load has not begun
	// noDevices says why nothing is, where it was left to us.
	noDevices string
	beforeAt  time.Time
	seen      []*seenPrompts // of each server; nil: there is no state folder
	keeper    *keeper        // nil: no prompts are sent again
	saved     *savedTalks    // nil: no conversations are written
	proven    *journal.Proven
	profiled  *journal.Profile // nil: no profile was asked for
	sandbox   *sandbox.Sandbox // nil: no program is run
}

// Execute runs a Spec that is resolved and valid: it sends the load, and leaves the
// journal in the run's folder. A drain means to send no more and wait for what is in
// flight; the end of ctx cancels that too. The Run that it returns must be closed,
// after the result of its journal was written.
func Execute(ctx context.Context, drain <-chan struct{}, s *spec.Spec, h *Host) (*Run, error) {
	r := newRun(s, h)
	r.live = r.startTeller()
	err := r.execute(ctx, drain)
	r.live.stop(err)
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func newRun(s *spec.Spec, h *Host) *Run {
	own := *s // what is left open is filled in
	return &Run{Spec: &own, host: h, clock: wire.NewClock(), watched: &atomic.Pointer[[]*metered]{}}
}

// Folder is where the run is kept.
func (r *Run) Folder() string { return r.folder }

// SentModel is the model's name in the requests.
func (r *Run) SentModel() string { return r.sentModel }

// OldLimit says that the requests had to say max_tokens too.
func (r *Run) OldLimit() bool { return r.oldLimit }

// Unwritten says why the journal's file is not whole; nil: it is.
func (r *Run) Unwritten() error { return r.unwritten }

// Reopen reads the journal from its start, whole even where its file is not.
func (r *Run) Reopen() (*journal.Reader, error) { return r.journal.Reopen() }

// Close ends the folder's mark of a run in progress: from now on it may be pruned.
func (r *Run) Close() {
	if r.inProgress != nil {
		r.inProgress()
		r.inProgress = nil
	}
}

// execute does one thing after the other, up to the end of the journal; each step
// leaves its part in r.
func (r *Run) execute(ctx context.Context, drain <-chan struct{}) error {
	defer r.close()
	warmups, err := r.prepare(ctx, drain)
	if err != nil {
		return err
	}
	err = r.openMetrics(ctx)
	if r.beforeAt = time.Now(); err != nil {
		return r.abandon(err)
	}
	r.openSeen()
	if r.host.Proven != nil {
		r.proven = r.host.Proven(r.engine())
	}
	if r.saved, err = r.openSaved(); err != nil {
		return r.abandon(err)
	}
	r.progress = &load.Progress{}
	r.spareProcessors()
	r.here = r.machine()
	stopShowing := r.showProgress()
	cfg := r.loadConfig(warmups[:r.NumWarmups], r.progress)
	cfg.Probe, cfg.WarmedUp, cfg.Begin = r.probe(), func() { r.startProfile(ctx) }, r.host.Begin
	cfg.Sending, cfg.Meter, cfg.Control = r.host.Sending, r.live.counts(), r.host.Control
	r.live.sending(r)
	result, err := load.Run(ctx, drain, cfg)
	stopShowing()
	err = errors.Join(err, r.saved.close())
	r.sampler.Stop()
	r.wakeups.Stop()
	r.scraper.Stop()
	used := stopPower(r.meter)
	r.devices.stop()
	r.stopProfile(ctx)
	if err != nil {
		return r.abandon(err)
	}
	end := r.end(result)
	end.Power, end.Profile = used, r.profiled
	after := r.settled(context.WithoutCancel(ctx))
	end.SpecDecode = specDecode(metricsOf(r.before), metricsOf(after))
	err = errors.Join(r.writeScrapes(after, r.clock.Now(), true), r.sendAgain(ctx, drain, end.Interrupted != ""))
	err = errors.Join(err, r.runPrograms(ctx, drain, end), r.journal.End(end))
	r.unwritten = r.journal.Close()
	if err != nil {
		return errors.Join(err, r.unwritten)
	}
	return nil
}

// abandon closes the journal of a run that can't go on. One that never began
// leaves nothing behind; of another one the measured part can still be shown.
func (r *Run) abandon(why error) error {
	if err := r.journal.Close(); err != nil {
		return errors.Join(why, err)
	}
	if r.earlier != nil && !r.begun {
		return errors.Join(why, r.putBack())
	}
	if r.begun {
		return fmt.Errorf("%w; what was measured before is in %s: inferometer report shows it", why, r.folder)
	}
	_ = os.Remove(filepath.Join(r.folder, journal.FileName))
	_ = os.Remove(filepath.Join(r.folder, journal.SpecName))
	_ = os.Remove(filepath.Join(r.folder, journal.MetricsName))
	_ = os.Remove(r.folder) // stays if it holds anything of the user's
	return why
}

// ErrStopped is the end of a run that was stopped before it began.
var ErrStopped = errors.New("stopped before the first request was sent")

// prepare does all that comes before the load and returns the warm-ups. Nothing
// is in flight yet, so that the first Ctrl-C ends it.
func (r *Run) prepare(ctx context.Context, drain <-chan struct{}) (warmups []*workload.Request, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ready := make(chan struct{})
	defer close(ready)
	go func() {
		select {
		case <-drain:
			cancel(ErrStopped)
		case <-ready:
		}
	}()
	defer func() {
		if err != nil && context.Cause(ctx) == ErrStopped { // what failed for it is beside the point
			err = ErrStopped
		}
	}()
	if err := r.connect(ctx); err != nil {
		return nil, err
	}
	if err := r.askDialect(ctx); err != nil {
		return nil, err
	}
	if err := r.makeWorkload(ctx); err != nil {
		return nil, err
	}
	if err := r.takeUp(ctx); err != nil {
		return nil, err
	}
	if err := r.openSandbox(ctx); err != nil {
		return nil, err
	}
	if err := r.makePace(); err != nil {
		return nil, err
	}
	if err := r.showRehearsal(ctx); err != nil {
		return nil, err
	}
	r.takeShare()
	r.keepSome()
	if warmups, err = r.dataset.Warmups(max(r.NumWarmups, 1)); err != nil {
		return nil, fmt.Errorf("make warm-up prompts: %w", err)
	}
	for _, u := range r.urls() {
		if err := r.checkReady(ctx, u, warmups[0]); err != nil {
			return nil, err
		}
		if err := r.checkChoices(ctx, u); err != nil {
			return nil, err
		}
	}
	r.identify(ctx)
	return warmups, r.makeFolder()
}

func (r *Run) close() {
	if r.transport != nil {
		r.transport.Close()
	}
	if r.dataset != nil {
		_ = r.dataset.Close() // it was only read
	}
	r.scraper.Stop()
	r.closeScrapes()
	r.returnProcessors()
}

// say tells the user something beside the result.
func (r *Run) say(format string, args ...any) { r.host.say(format, args...) }

// showProgress starts the display of the user's process, if it has one.
func (r *Run) showProgress() (stop func()) {
	if r.host.Progress == nil {
		return func() {}
	}
	p := Progress{Progress: r.progress, Length: r.Length()}
	if !r.Unbounded {
		p.Total = r.dataset.Len()
	}
	return r.host.Progress(p)
}

// paced is how many times of its own the pace has to give: one for each request or conversation.
func (r *Run) paced() int {
	if r.Talks() {
		return r.conversations
	}
	return r.dataset.Len()
}

func (r *Run) makePace() error {
	p := r.PaceSpec(r.paced())
	p.Random = workload.NumPyState(r.dataset)
	if r.SelfTimed() {
		own := &ownTimes{Dataset: r.dataset}
		r.dataset, p.Times = own, (*ownPace)(own)
	}
	r.paceName = p.Name
	var err error
	if r.pace, err = pace.New(p); err != nil {
		return &usage.Error{Text: err.Error()}
	}
	return nil
}

func (r *Run) loadConfig(warmups []*workload.Request, p *load.Progress) load.Config {
	cfg := load.Config{
		Clock: r.clock, Source: r.dataset, Warmups: warmups, Pace: r.pace, Timed: r.SelfTimed(), Keep: r.spared > 0, GoTimers: r.host.Dial != nil,
		Transport: r.transport, Protocol: r.protocol, Pooling: r.API().Pooling, Query: r.API().Query, URL: r.urls()[0], IDPrefix: r.idPrefix(), Trace: r.sentTrace(),
		Call:    protocol.Call{Model: r.sentModel, OldLimit: r.oldLimit, IgnoreEOS: r.IgnoreEOS, NoStream: r.WholeAnswers(), Logprobs: r.Logprobs, Extra: append(spec.ObjectFields(r.DefaultBody), r.extraFields()...)},
		Timeout: r.RequestTimeout, Deadline: r.Deadline,
		Journal: r.journal, KeepPrompts: r.JournalTexts, KeepTexts: r.JournalTexts || r.SaveDetailed,
		Reached: r.reached, Secrets: r.wire.Secrets, CountTokens: r.tokens.count, Started: r.started, Progress: p,
		Holds: func(room []load.Hold, from, to int64) []load.Hold { return r.wakeups.Holds(room, from, to) },
	}
	if r.tokens.source == tokensByFile {
		cfg.CountPrompt = r.tokens.count
	}
	cfg.Watch = r.watch()
	if r.Talks() {
		cfg.Conversations = &load.Conversations{MaxOpen: spec.Deref(r.MaxConversations, 0), MaxRequests: r.MaxRequests, Header: r.sessionHeader()}
		if r.saved != nil {
			cfg.Conversations.Finished = r.finished
		}
	}
	if r.MaxConcurrency != nil {
		cfg.Concurrency = *r.MaxConcurrency
	}
	if r.Several() {
		cfg.Targets, cfg.Balance = r.urls(), r.balance
	}
	if r.keeper != nil {
		cfg.Source = r.keeper
	}
	cfg.Batch, cfg.SpawnRate = r.BatchSize, r.SpawnRate
	return cfg
}

func (r *Run) idPrefix() string {
	if r.RequestIDPrefix == "" {
		var b [4]byte
		_, _ = rand.Read(b[:]) // never fails
		r.RequestIDPrefix = "bench-" + hex.EncodeToString(b[:]) + "-"
	}
	return r.RequestIDPrefix
}

// sessionHeader is the header that tells conversations apart, unless the user gave one of
// that name.
func (r *Run) sessionHeader() string {
	if r.wire.Header.Get(r.SessionHeader) != "" {
		return ""
	}
	return r.SessionHeader
}
