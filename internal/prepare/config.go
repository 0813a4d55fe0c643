package prepare

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/send/workload/play"
	"github.com/inferometer/inferometer/internal/spec"
)

// Config is the load, without a journal and without anybody who watches it.
func (r *Ready) Config() load.Config {
	api := r.API()
	cfg := load.Config{
		Clock: r.Clock,
		Workload: load.Workload{
			Source: r.Data.Dataset, Pooling: api.Pooling, Query: api.Query, IDPrefix: r.idPrefix(), HangUp: r.HangUp(),
			Call: protocol.Call{
				Model: r.Chosen.Sent, OldLimit: r.Chosen.OldLimit, Nvext: r.Chosen.Nvext, IgnoreEOS: r.IgnoreEOS, NoStream: r.WholeAnswers(), Logprobs: r.Logprobs,
				Extra: append(spec.ObjectFields(r.DefaultBody), extraFields(r.Spec, r.Values)...),
			},
		},
		Schedule: load.Schedule{
			Pace: r.Pacing, Timed: r.SelfTimed(), GoTimers: r.host.Dial != nil, Timeout: r.RequestTimeout, Deadline: r.Deadline,
			Concurrency: spec.Deref(r.MaxConcurrency, 0), Batch: r.BatchSize, SpawnRate: r.SpawnRate,
		},
		Destination: load.Destination{Transport: r.Transport, Protocol: api, URL: r.URLs[0] + r.path(), Signs: r.signs(), Trace: r.traceID()},
		Records: load.Records{
			KeepPrompts: r.JournalTexts, KeepTexts: r.JournalTexts || r.SaveDetailed, Secrets: r.Values.Secrets, CountTokens: r.Tokens.Count,
		},
	}
	if r.Values.Header.Get(traceParent) != "" { // the user gave one of that name
		cfg.Trace = wire.Trace{}
	}
	if r.Tokens.Source == TokensByFile {
		cfg.CountPrompt = r.Tokens.Count
	}
	if r.Talks() {
		cfg.Conversations = &load.Conversations{MaxOpen: spec.Deref(r.MaxConversations, 0), MaxRequests: r.MaxRequests, Header: r.SessionHeader}
		if r.Values.Header.Get(r.SessionHeader) != "" { // as above
			cfg.Conversations.Header = ""
		}
		cfg.Primers = r.Data.Primers
	}
	if own, ok := r.DatasetOptions.(*workload.TraceOptions); ok && r.Talks() {
		c := cfg.Conversations
		c.IdleCap, c.TreeIdleCap, c.AbortRatio, c.Grace = own.IdleCap, own.TreeIdleCap, own.Abort, own.Grace
		c.Failed, c.EndOnOverflow, c.BranchSessions = load.FailedRule(own.Failed), own.Overflow == play.EndBranch, own.Sessions == play.PerBranch
	}
	if r.ProbeRequestRate > 0 { // vLLM's own probe
		cfg.Probe = &load.Probe{
			Request: workload.Request{Prompt: "Hi", PromptTokens: 1, OutputTokens: 1},
			Pause:   time.Duration(float64(time.Second) / r.ProbeRequestRate),
		}
	}
	if r.Several() {
		cfg.Balance = r.Servers.Balance
		for _, u := range r.URLs {
			cfg.Targets = append(cfg.Targets, u+r.path())
		}
	}
	return cfg
}

// configFor is for a request to one of the servers.
func (r *Ready) configFor(server int) load.Config {
	cfg := r.Config()
	cfg.URL, cfg.Targets, cfg.Balance, cfg.Primers = r.URLs[server]+r.path(), nil, nil, nil
	return cfg
}

// path is the endpoint, with the model's name where it has a place for it.
func (r *Ready) path() string { return protocol.FillPath(r.Endpoint, r.Chosen.Sent) }

// extraFields are what the flags add to each body, in vLLM's order: sampling
// first, --extra-body over all.
func extraFields(s *spec.Spec, v *spec.Wire) []protocol.Field {
	fields := s.Sampling()
	if s.ContinuousUsage {
		fields = append(fields, protocol.Field{Name: "stream_options", Value: json.RawMessage(`{"include_usage": true, "continuous_usage_stats": true}`)})
	}
	return append(fields, spec.ObjectFields(v.Extra)...)
}

func (r *Ready) idPrefix() string {
	if r.RequestIDPrefix == "" {
		var b [4]byte
		_, _ = rand.Read(b[:]) // never fails
		r.RequestIDPrefix = "bench-" + hex.EncodeToString(b[:]) + "-"
	}
	return r.RequestIDPrefix
}

// signs are where answers may say who served them.
func (r *Ready) signs() stream.Signs {
	s, _ := stream.ParseSigns(r.ReplicaKey) // it was checked
	s.Nvext = r.Chosen.Nvext
	return s
}

// traceParent is the header of W3C's Trace Context.
const traceParent = "Traceparent"

// traceID is the trace of this run, the same each time; the zero value: it has none.
func (r *Ready) traceID() wire.Trace {
	switch {
	case r.TraceID == "" || !r.trace.IsZero():
	case r.TraceID == spec.TraceRandom:
		r.trace = wire.RandomTrace()
	default:
		r.trace, _ = wire.ParseTrace(r.TraceID) // it was checked
	}
	return r.trace
}
