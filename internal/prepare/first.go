package prepare

import (
	"encoding/json"
	"math"
	"net/url"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/hardware"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/spec"
)

// First is the journal's first line, of a load that begins now.
func (r *Ready) First(version string, start time.Time) *journal.Run {
	return &journal.Run{
		Schema: journal.Schema, Version: version, StartUnixNs: start.UnixNano(), Zone: start.Format("-07:00"),
		Command: r.Command, Trace: r.traceID().String(), Spec: r.encoded(), Options: r.Options(), Serves: r.Servers.Serves(r.Chosen.Sent), Task: r.Data.Task,
	}
}

// encoded is the Spec for the journal.
func (r *Ready) encoded() json.RawMessage {
	b, err := r.Spec.MarshalJSON()
	if err != nil {
		panic(err) // all its types marshal
	}
	return b
}

// Options are what the journal reads from the Spec, and what was found out.
func (r *Ready) Options() journal.Options {
	o, err := journal.OptionsOf(r.encoded())
	if err != nil {
		panic(err) // a test holds the types of both against each other
	}
	asked := r.PaceSpec(r.paced())
	o.BaseURL, o.Endpoint = shownURL(r.Spec), r.path()
	o.ModelID, o.SentModel = r.Chosen.ID, r.Chosen.Sent
	o.TokenizerID, o.TokenizerSource, o.TokenizerRevision, o.DatasetRevision = r.Tokens.ID, r.Tokens.Source, r.Tokens.Revision, r.Data.Commit
	o.DatasetSHA256 = r.Data.SHA256
	o.NumPrompts, o.Burstiness, o.Pace = r.NumPrompts, orZero(r.Burstiness()), asked.Name
	o.Pooling, o.Unstreamed = r.API().Pooling, r.WholeAnswers()
	o.Price = price(r.Spec, r.Values.Power)
	if r.Asks() {
		o.NumPrompts = r.Data.Len()
	}
	if r.Talks() {
		o.Traces = r.Data.Traces
		if !r.Unbounded { // a run by time has no number
			o.NumPrompts, o.Conversations = r.Data.Len(), r.Data.Conversations
		}
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
	p := &journal.Price{Devices: s.Priced()}
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
