package prepare

import (
	"math"
	"net/url"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/prepare/rehearsal"
	"github.com/inferometer/inferometer/internal/send/hardware"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/spec"
)

// First is the journal's first line, of a load that begins now.
func (r *Ready) First(version string, start time.Time) *journal.Run {
	return &journal.Run{
		Schema: journal.Schema, Version: version, StartUnixNs: start.UnixNano(), Zone: start.Format("-07:00"),
		Command: r.Command, Trace: r.traceID().String(), Options: r.Options(), Serves: r.Servers.Serves(r.Chosen.Sent), Task: r.Data.Task,
	}
}

// Options are what the journal keeps of the Spec and of what was found out.
func (r *Ready) Options() journal.Options {
	asked := r.PaceSpec(r.paced())
	o := journal.Options{
		Backend: r.Backend, BaseURL: shownURL(r.Spec), Endpoint: r.path(), Label: r.Label,
		ModelID: r.Chosen.ID, Model: r.Model, SentModel: r.Chosen.Sent, TokenizerID: r.Tokens.ID, TokenizerSource: r.Tokens.Source,
		TokenizerRevision: r.Tokens.Revision, DatasetRevision: r.Data.Commit,
		Dataset: r.DatasetName, NumPrompts: r.NumPrompts, Seed: int64(r.Seed),
		RequestRate: orZero(r.Rate()), Burstiness: orZero(r.Burstiness()), MaxConcurrency: spec.Deref(r.MaxConcurrency, 0),
		SpawnRate: r.SpawnRate, Batch: r.BatchSize, Pace: asked.Name, IgnoreEOS: r.IgnoreEOS, Pooling: r.API().Pooling, Unstreamed: r.WholeAnswers(), IntegritySample: r.IntegritySample,
		ProbeRate:         r.ProbeRequestRate,
		PercentileMetrics: r.PercentileMetrics, MetricPercentiles: r.MetricPercentiles,
		Goodput: r.Goodput, Compat: r.Compat, Until: r.Until, Price: price(r.Spec, r.Values.Power),
		MaxConversations: spec.Deref(r.MaxConversations, 0), History: workload.History(r.DatasetOptions),
	}
	if asked, err := r.Spec.MarshalJSON(); err == nil { // so that two runs can be told apart by more than a hash
		o.Workload = rehearsal.Keys(asked)
	}
	if r.Asks() {
		o.NumPrompts = r.Data.Len()
	}
	if r.Talks() {
		o.NumPrompts, o.Conversations = r.Data.Len(), r.Data.Conversations
	}
	for _, p := range r.Metadata {
		o.Metadata = append(o.Metadata, [2]string{p.Key, p.Value})
	}
	if r.Several() {
		o.Balance = r.Balance
	}
	if a, ok := asked.Asked(); ok {
		o.Asked = &journal.Asked{Requests: a.Requests, Over: int64(a.Over)}
	}
	if ramp, ok := r.PaceOptions.(*pace.RampOptions); ok {
		o.RampUp = &journal.RampUp{Strategy: ramp.Strategy, StartRPS: *ramp.StartRPS, EndRPS: *ramp.EndRPS}
	}
	return o
}

// shownURL is the first server for the journal: that there is a login, but not which.
func shownURL(s *spec.Spec) string {
	u, err := url.Parse(s.URLs[0])
	if err != nil || s.Login.IsZero() {
		return s.URLs[0]
	}
	u.User = url.User("redacted")
	return u.String()
}

// price is for the journal; nil: nothing was asked for.
func price(s *spec.Spec, source string) *journal.Price {
	if s.PricePerHour == nil && s.Power.IsZero() {
		return nil
	}
	p := &journal.Price{Devices: s.Devices}
	if s.PricePerHour != nil {
		p.PerHour = *s.PricePerHour
	}
	if !s.Power.IsZero() {
		parsed, _ := hardware.ParsePower(source) // it was checked
		p.Power = parsed.Source()
	}
	return p
}

// orZero writes infinity as 0, which JSON can hold.
func orZero(v float64) float64 {
	if math.IsInf(v, 0) {
		return 0
	}
	return v
}
