package cli

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/power"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// serveRun is one run of bench serve, from its flags to its result.
type serveRun struct {
	*serveOptions
	streams
	args []string // the command line, secrets replaced

	clock     *wire.Clock
	server    string   // the base URL without its user and password: those are in header
	servers   []string // all of them; server is the first
	header    http.Header
	target    *target.Target
	targets   []*target.Target // all of them; target is the first
	lists     []modelList      // what each says that it serves
	identity  []journal.Target // of each, where there are several
	balance   target.Balancer  // nil with one server
	transport wire.Transport
	protocol  wire.Protocol

	modelID   string // for the result and the tokenizer
	sentModel string // in the body
	oldLimit  bool   // the body says max_tokens too
	tokens    tokenizerChoice
	dataset   workload.Dataset
	made      workload.Dataset // the command's own; nil: what the dataset flags say
	batch     int              // requests sent together; 0: each by itself
	own       []wire.Field     // what the command puts into each body, below the user's
	pace      pace.Pace
	paceName  string

	folder  string
	journal *journal.Writer
	// unwritten says why the journal's file is not whole; the rest is in memory.
	unwritten  error
	inProgress func() // ends the folder's mark; nil: there is none yet
	begun      bool   // the clock has started
	usage      usage  // of this process at that moment
	spared     int    // processors that Go's scheduler was given beyond those it has

	progress *load.Progress
	sampler  *sampler
	wakeups  *wakeups           // nil: the kernel tells when bytes arrived
	scraper  *sampler           // nil: the servers are not asked during the load
	before   []target.Metrics   // each server's counters before the warm-ups
	meter    *power.Measurement // nil: power was not asked for
	beforeAt time.Time
	seen     []*seenPrompts // of each server; nil: there is no state folder
	keeper   *keeper        // nil: no prompts are sent again
	proven   *journal.Proven
	judged   *slo.Judgement // nil: no SLO was given
}

func benchServe(ctx context.Context, s streams, args []string) error {
	set, o := serveFlags()
	if done, err := parse(s, set, args); done || err != nil {
		return err
	}
	if err := o.validate(set); err != nil {
		return err
	}
	r := &serveRun{serveOptions: o, streams: s, clock: wire.NewClock()}
	r.args = append([]string{"inferometer", "bench", "serve"}, set.Redacted(args)...)
	for _, note := range o.notes(set) {
		r.say("note: %s", note)
	}
	ctx, drain, stop := interrupts(ctx, s.err)
	defer stop()
	stopProfile, err := startProfile(o.CPUProfile)
	if err != nil {
		return err
	}
	defer stopProfile()
	return r.run(ctx, drain)
}

func (r *serveRun) run(ctx context.Context, drain <-chan struct{}) error {
	defer r.leaveFolder()
	if err := r.execute(ctx, drain); err != nil {
		return err
	}
	return r.report()
}

// execute does one thing after the other, up to the end of the journal; each step
// leaves its part in r.
func (r *serveRun) execute(ctx context.Context, drain <-chan struct{}) error {
	defer r.close()
	warmups, err := r.prepare(ctx, drain)
	if err != nil {
		return err
	}
	r.before, r.beforeAt = r.scrape(ctx), time.Now()
	r.openSeen()
	r.proven = r.findProven()
	r.progress = &load.Progress{}
	r.spareProcessors()
	show := r.showProgress(r.progress)
	result, err := load.Run(ctx, drain, r.loadConfig(warmups[:r.NumWarmups], r.progress))
	show.stop()
	r.sampler.stop()
	r.wakeups.stop()
	r.scraper.stop()
	used := stopPower(r.meter)
	if err != nil {
		return r.abandon(err)
	}
	end := r.end(result)
	end.Power = used
	after := r.settled(context.WithoutCancel(ctx))
	end.SpecDecode = specDecode(r.before, after)
	err = errors.Join(r.writeScrapes(after, r.clock.Now(), true), r.sendAgain(ctx, drain, end.Interrupted != ""))
	err = errors.Join(err, r.journal.End(end))
	r.unwritten = r.journal.Close()
	if err != nil {
		return errors.Join(err, r.unwritten)
	}
	return nil
}

// abandon closes the journal of a run that can't go on. One that never began
// leaves nothing behind; of another one the measured part can still be shown.
func (r *serveRun) abandon(why error) error {
	if err := r.journal.Close(); err != nil {
		return errors.Join(why, err)
	}
	if r.begun {
		return fmt.Errorf("%w; what was measured before is in %s: inferometer report shows it", why, r.folder)
	}
	_ = os.Remove(filepath.Join(r.folder, journal.FileName))
	_ = os.Remove(r.folder) // stays if it holds anything of the user's
	return why
}

// errStopped is the end of a run that was stopped before it began.
var errStopped = errors.New("stopped before the first request was sent")

// prepare does all that comes before the load and returns the warm-ups. Nothing
// is in flight yet, so that the first Ctrl-C ends it.
func (r *serveRun) prepare(ctx context.Context, drain <-chan struct{}) (warmups []*workload.Request, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ready := make(chan struct{})
	defer close(ready)
	go func() {
		select {
		case <-drain:
			cancel(errStopped)
		case <-ready:
		}
	}()
	defer func() {
		if err != nil && context.Cause(ctx) == errStopped { // what failed for it is beside the point
			err = errStopped
		}
	}()
	if err := r.connect(ctx); err != nil {
		return nil, err
	}
	r.askDialect(ctx)
	if err := r.makeWorkload(ctx); err != nil {
		return nil, err
	}
	if err := r.makePace(); err != nil {
		return nil, err
	}
	r.keepSome()
	if warmups, err = r.dataset.Warmups(max(r.NumWarmups, 1)); err != nil {
		return nil, fmt.Errorf("make warm-up prompts: %w", err)
	}
	for _, u := range r.urls() {
		if err := r.checkReady(ctx, u, warmups[0]); err != nil {
			return nil, err
		}
	}
	r.identify(ctx)
	return warmups, r.makeFolder()
}

func (r *serveRun) close() {
	if r.transport != nil {
		r.transport.Close()
	}
	if r.dataset != nil {
		_ = r.dataset.Close() // it was only read
	}
	r.returnProcessors()
}

// say tells the user something beside the result.
func (r *serveRun) say(format string, args ...any) {
	if !r.Quiet {
		fmt.Fprintf(r.err, format+"\n", args...)
	}
}

// connect makes the transport, makes sure that somebody answers, and learns the model's name.
func (r *serveRun) connect(ctx context.Context) error {
	protocol, err := wire.ForBackend(r.Backend)
	if err != nil {
		return &argv.UsageError{Text: err.Error()}
	}
	r.protocol = protocol
	proxy, err := r.proxyFunc()
	if err != nil {
		return err
	}
	r.header = r.headers(r.findTargets())
	if r.balance, err = r.balancer(); err != nil {
		return err
	}
	if r.transport, err = r.makeTransport(proxy); err != nil {
		return err
	}
	client := r.client(proxy)
	for _, s := range r.servers {
		r.targets = append(r.targets, &target.Target{Base: s, Header: r.header, Client: client})
	}
	r.target = r.targets[0]
	r.awaitServer(ctx)
	return r.preflight(ctx)
}

// url is where requests go, without a login.
func (r *serveRun) url() string { return r.server + r.Endpoint }

// manyConnections is kept open where nothing bounds the requests in flight.
const manyConnections = 1 << 16

// connections is how many connections to keep: as many as may be in use at once.
func (r *serveRun) connections() int {
	switch {
	case r.MaxConcurrency != nil:
		return *r.MaxConcurrency
	case r.NumPrompts > 0:
		return r.NumPrompts
	}
	return manyConnections
}

func (r *serveRun) makePace() error {
	spec := pace.Spec{
		N: r.dataset.Len(), Rate: r.RequestRate, Burstiness: r.Burstiness, Seed: uint64(r.Seed),
		Random: workload.NumPyState(r.dataset), Concurrent: r.MaxConcurrency != nil,
		Stages: r.Stages, Duration: r.sendFor(),
	}
	if r.Unbounded || r.batch > 0 { // batches end with their source, which has unmeasured requests too
		spec.N = 0
	}
	if r.RampUpStrategy != "" {
		spec.RampStrategy, spec.RampStart, spec.RampEnd = r.RampUpStrategy, float64(*r.RampUpStartRPS), float64(*r.RampUpEndRPS)
	}
	if r.RampRate != nil {
		spec.Name, spec.RampStart, spec.RampEnd, spec.RampOver = pace.RampTime, r.RampRate.From, r.RampRate.To, r.RampDuration
	}
	if spec.Name == "" {
		spec.Name = spec.Choose()
	}
	r.paceName = spec.Name
	var err error
	r.pace, err = pace.New(spec)
	if err != nil {
		return &argv.UsageError{Text: err.Error()}
	}
	return nil
}

func (r *serveRun) loadConfig(warmups []*workload.Request, p *load.Progress) load.Config {
	cfg := load.Config{
		Clock: r.clock, Source: r.dataset, Warmups: warmups, Pace: r.pace,
		Transport: r.transport, Protocol: r.protocol, URL: r.url(), IDPrefix: r.idPrefix(),
		Call:    wire.Call{Model: r.sentModel, OldLimit: r.oldLimit, IgnoreEOS: r.IgnoreEOS, Logprobs: r.Logprobs, Extra: append(slices.Clip(r.own), r.extraFields()...)},
		Timeout: r.RequestTimeout, Deadline: r.Deadline,
		Journal: r.journal, KeepPrompts: r.JournalTexts, KeepTexts: r.JournalTexts || r.SaveDetailed,
		Reached: r.reached, Secrets: r.secrets(), CountTokens: r.tokens.count, Started: r.started, Progress: p,
	}
	cfg.Watch = r.watch()
	if r.MaxConcurrency != nil {
		cfg.Concurrency = *r.MaxConcurrency
	}
	if r.several() {
		cfg.Targets, cfg.Balance = r.urls(), r.balance
	}
	if r.keeper != nil {
		cfg.Source = r.keeper
	}
	cfg.Batch, cfg.SpawnRate = r.batch, orZero(r.SpawnRate)
	return cfg
}

func (r *serveRun) idPrefix() string {
	if r.RequestIDPrefix == "" {
		var b [4]byte
		_, _ = rand.Read(b[:]) // never fails
		r.RequestIDPrefix = "bench-" + hex.EncodeToString(b[:]) + "-"
	}
	return r.RequestIDPrefix
}

// started writes the journal's first line: the clock has just been set to zero.
func (r *serveRun) started() error {
	r.usage, r.begun = processUsage(), true
	r.meter = r.startPower()
	zero := r.clock.Zero()
	err := r.journal.Run(&journal.Run{
		Schema: journal.Schema, Version: fullVersion(), StartUnixNs: zero.UnixNano(), Zone: zero.Format("-07:00"),
		Command: r.args, Options: r.options(), Targets: r.identity, Serves: r.serves(), Clock: r.transport.Stamps(), Environment: r.machine(),
		Proven: r.proven,
	})
	if r.transport.Stamps() != kernelStamps {
		r.wakeups = startWakeups()
	}
	r.sampler, r.scraper = r.startSampler(r.progress), r.startScraper()
	return errors.Join(err, r.writeScrapes(r.before, -int64(time.Since(r.beforeAt)), false))
}

func (r *serveRun) options() journal.Options {
	o := journal.Options{
		Backend: r.Backend, BaseURL: argv.RedactURL(r.baseURL()), Endpoint: r.Endpoint, Label: r.Label,
		ModelID: r.modelID, Model: r.Model, SentModel: r.sentModel, TokenizerID: r.tokens.id, TokenizerSource: r.tokens.source,
		Dataset: r.DatasetName, NumPrompts: r.NumPrompts, Seed: int64(r.Seed),
		RequestRate: orZero(r.RequestRate), Burstiness: orZero(r.Burstiness),
		SpawnRate: orZero(r.SpawnRate), Batch: r.batch, Pace: r.paceName, IgnoreEOS: r.IgnoreEOS, IntegritySample: r.IntegritySample,
		PercentileMetrics: r.PercentileMetrics, MetricPercentiles: r.MetricPercentiles,
		Goodput: goodputMap(r.Goodput), Compat: r.Compat, Until: r.Until, Price: r.price(),
	}
	for _, p := range r.Metadata {
		o.Metadata = append(o.Metadata, [2]string{p.Key, p.Value})
	}
	if r.several() {
		o.Balance = r.Balance
	}
	if r.MaxConcurrency != nil {
		o.MaxConcurrency = *r.MaxConcurrency
	}
	if r.RampUpStrategy != "" {
		o.RampUp = &journal.RampUp{Strategy: r.RampUpStrategy, StartRPS: *r.RampUpStartRPS, EndRPS: *r.RampUpEndRPS}
	}
	return o
}

// orZero writes infinity as 0, which JSON can hold.
func orZero(v float64) float64 {
	if math.IsInf(v, 0) {
		return 0
	}
	return v
}

func goodputMap(limits []goodputLimit) map[string]float64 {
	if len(limits) == 0 {
		return nil
	}
	m := map[string]float64{}
	for _, l := range limits {
		m[l.Metric] = l.MS
	}
	return m
}

// end is the journal's last line.
func (r *serveRun) end(res *load.Result) *journal.End {
	return &journal.End{
		At: res.End, Interrupted: res.Interrupted, Stopped: r.stoppedFor(res), Sent: res.Sent, WorkloadSHA: res.WorkloadSHA, SeenPrompts: r.seenBefore(),
		PeakInFlight: res.PeakInFlight, RPSChanges: res.RPSChanges, Client: processUsage().since(r.usage),
	}
}

// apiKey is the environment's OPENAI_API_KEY.
func apiKey() string { return os.Getenv("OPENAI_API_KEY") }
