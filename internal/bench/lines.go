package bench

import (
	"errors"
	"math"
	"time"

	"github.com/inferometer/inferometer/internal/bench/client"
	"github.com/inferometer/inferometer/internal/bench/rehearsal"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/spec"
)

// started writes the journal's first line: the clock has just been set to zero.
func (r *Run) started() error {
	r.usage, r.begun = client.ProcessUsage(), true
	r.live.enter(live.Running)
	r.meter = r.startPower()
	zero := r.clock.Zero()
	first := &journal.Run{
		Schema: journal.Schema, Version: r.host.Version, StartUnixNs: zero.UnixNano(), Zone: zero.Format("-07:00"),
		Command: r.Command, Trace: r.traceID().String(), Share: r.Share.String(), Options: r.options(), Targets: r.identity, Serves: r.serves(), Clock: r.transport.Stamps(), ReadEnds: true, Holds: true, Environment: r.here,
		Proven: r.proven, Task: r.task, MetricNames: r.metricsMap,
	}
	err := r.journal.Run(first)
	if r.host.Started != nil {
		r.host.Started(r.folder, first)
	}
	r.writeEarlier()
	r.wakeups = client.StartWakeups(r.clock.Now)
	r.sampler, r.scraper = r.startSampler(), r.startScraper()
	r.startHardware()
	return errors.Join(err, r.writeScrapes(r.before, -int64(time.Since(r.beforeAt)), false))
}

func (r *Run) options() journal.Options {
	o := journal.Options{
		Backend: r.Backend, BaseURL: r.shownURL(), Endpoint: r.path(), Label: r.Label,
		ModelID: r.modelID, Model: r.Model, SentModel: r.sentModel, TokenizerID: r.tokens.id, TokenizerSource: r.tokens.source,
		TokenizerRevision: r.tokens.revision, DatasetRevision: r.datasetCommit,
		Dataset: r.DatasetName, NumPrompts: r.NumPrompts, Seed: int64(r.Seed),
		RequestRate: orZero(r.Rate()), Burstiness: orZero(r.Burstiness()),
		SpawnRate: r.SpawnRate, Batch: r.BatchSize, Pace: r.paceName, IgnoreEOS: r.IgnoreEOS, Pooling: r.API().Pooling, Unstreamed: r.WholeAnswers(), IntegritySample: r.IntegritySample,
		ProbeRate:         r.ProbeRequestRate,
		PercentileMetrics: r.PercentileMetrics, MetricPercentiles: r.MetricPercentiles,
		Goodput: r.Goodput, Compat: r.Compat, Until: r.Until, Price: r.price(),
		MaxConversations: spec.Deref(r.MaxConversations, 0), History: workload.History(r.DatasetOptions), Workload: r.workloadKeys(),
	}
	if r.Asks() {
		o.NumPrompts = r.dataset.Len()
	}
	if r.Talks() {
		o.NumPrompts, o.Conversations = r.dataset.Len(), r.conversations
	}
	for _, p := range r.Metadata {
		o.Metadata = append(o.Metadata, [2]string{p.Key, p.Value})
	}
	if r.Several() {
		o.Balance = r.Balance
	}
	if r.MaxConcurrency != nil {
		o.MaxConcurrency = *r.MaxConcurrency
	}
	if a, ok := r.PaceSpec(r.paced()).Asked(); ok {
		o.Asked = &journal.Asked{Requests: a.Requests, Over: int64(a.Over)}
	}
	if ramp, ok := r.PaceOptions.(*pace.RampOptions); ok {
		o.RampUp = &journal.RampUp{Strategy: ramp.Strategy, StartRPS: *ramp.StartRPS, EndRPS: *ramp.EndRPS}
	}
	return o
}

// workloadKeys are what the workload is made of, so that two runs can be told apart by more than a hash.
func (r *Run) workloadKeys() map[string]string {
	asked, err := r.Spec.MarshalJSON()
	if err != nil {
		return nil
	}
	return rehearsal.Keys(asked)
}

// orZero writes infinity as 0, which JSON can hold.
func orZero(v float64) float64 {
	if math.IsInf(v, 0) {
		return 0
	}
	return v
}

// end is the journal's last line.
func (r *Run) end(res *load.Result) *journal.End {
	return &journal.End{
		At: res.End, Interrupted: r.interrupted(res), Stopped: r.stoppedFor(res), Sent: res.Sent, WorkloadSHA: res.WorkloadSHA, Recipe: journal.WorkloadRecipe, SeenPrompts: r.seenBefore(),
		PeakInFlight: res.PeakInFlight, RPSChanges: res.RPSChanges, Pauses: res.Pauses, Client: client.ProcessUsage().Since(r.usage),
	}
}

// interrupted is why the run stopped early.
func (r *Run) interrupted(res *load.Result) string {
	if res.Interrupted == journal.Signal && r.host.Drained != nil {
		if why := r.host.Drained(); why != "" {
			return why
		}
	}
	return res.Interrupted
}
