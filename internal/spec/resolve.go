package spec

import (
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/usage"
)

// Resolve fills in what follows from the rest. given says whether a flag, or the key
// of its name, was given.
func (s *Spec) Resolve(given func(flag string) bool) {
	if spoken, err := s.ResolveBackend(); s.Endpoint == "" && err == nil {
		s.Endpoint = spoken.Path()
	}
	s.resolveTrace(given)
	s.resolvePace()
	if (s.Timed() || s.Until != "") && !given("num-prompts") {
		s.NumPrompts, s.Unbounded = 0, true
	}
	if k, err := workload.Find(s.DatasetName); err == nil {
		s.IgnoreEOS = s.IgnoreEOS || k.IgnoreEOS && !s.modelStops(given) && !s.API().Pooling && !s.API().Lacks.IgnoreEOS
		if k.WholeFile && !given("num-prompts") {
			s.NumPrompts = 0
		}
	}
	if !s.API().Streams() && !given("percentile-metrics") {
		s.PercentileMetrics = journal.WholeMetrics()
	}
	if s.Compat == "vllm" && !given("request-timeout") {
		s.RequestTimeout = vllmRequestTimeout
	}
}

// ResolveBackend returns the Spec's protocol: the one of its name, or what its file describes. Every
// error is a *usage.Error.
func (s *Spec) ResolveBackend() (*protocol.Backend, error) {
	described := s.Backend == protocol.CustomName
	switch {
	case described && len(s.Protocol) == 0:
		return nil, usage.Errorf("backend", "%s needs %s, which describes the server's API", s.Backend, usage.Ref("protocol-file"))
	case !described && len(s.Protocol) > 0:
		return nil, usage.Errorf("protocol-file", "is for %s %s, not %s", usage.Ref("backend"), protocol.CustomName, outside.Word(s.Backend))
	case described:
		b, err := protocol.ReadCustom(s.Protocol)
		if err != nil {
			return nil, usage.Errorf("protocol-file", "%v", err)
		}
		return b, nil
	}
	b, err := protocol.FindBackend(s.Backend)
	if err != nil {
		return nil, usage.Errorf("backend", "%v", err)
	}
	return b, nil
}

// backend is the Spec's protocol with what is known of it. Of one that is unknown, which
// Validate refuses, it is that of completions.
func (s *Spec) API() *protocol.Backend {
	b, err := s.ResolveBackend()
	if err != nil {
		b, _ = protocol.FindBackend(BackendOpenAI)
	}
	if s.Unstreamed {
		if whole, err := b.Unstreamed(); err == nil { // else Validate refuses it
			return whole
		}
	}
	return b
}

// wholeAnswers says whether an answer is a text in one piece: there is no time to the first
// token, nor between two.
func (s *Spec) WholeAnswers() bool { return !s.API().Streams() && !s.API().Pooling }

// carries is what a request of the backend may hold.
func (s *Spec) carries() *workload.Carries {
	b := s.API()
	upload := b.Sounds && !b.Chat
	return &workload.Carries{Backend: b.Name, Inputs: b.Inputs, Images: b.Images, Sounds: b.Sounds, TextsOnly: b.Lacks.TokenIDs, Query: b.Query, Upload: upload}
}

// checkSampling refuses what says how to generate, where the backend does not send it.
func (s *Spec) checkSampling() error {
	b := s.API()
	if s.IgnoreEOS && b.Lacks.IgnoreEOS {
		return usage.Errorf("ignore-eos", "can't be asked of %s %s: its protocol does not support it", usage.Ref("backend"), s.Backend).
			WithHint("leave it out; the lengths of the answers are then the model's own, up to the limit")
	}
	for _, f := range Fields() {
		if f.Section == "request" && (f.Optional || f.Key == "continuous_usage") && s.has(f.Flag) && !b.TakesSampling(f.Key) {
			return usage.Errorf(f.Flag, "is not sent with %s %s", usage.Ref("backend"), s.Backend).WithHint("use %s for a field that the server knows", usage.Ref("extra-body"))
		}
	}
	if !b.Pooling {
		if err := s.checkWhole(); err != nil {
			return err
		}
		return s.tryBody()
	}
	if s.IntegritySample > 0 {
		return usage.Errorf("integrity-sample", "compares texts, and %s %s gets none", usage.Ref("backend"), s.Backend)
	}
	for name := range s.Goodput {
		if name != "e2el" {
			return usage.Errorf("goodput", "can only be e2el with %s %s, not %s: an answer has no tokens", usage.Ref("backend"), s.Backend, name)
		}
	}
	return s.checkWhole()
}

// tryBody makes the body of a small request: what the protocol can't say is known before
// anything is sent.
func (s *Spec) tryBody() error {
	if s.carries().Upload {
		return nil
	}
	call := protocol.Call{Model: "m", Prompt: "a", MaxTokens: 1, IgnoreEOS: s.IgnoreEOS, NoStream: s.Unstreamed, Extra: s.Sampling()}
	if _, err := s.API().AppendBody(nil, &call); err != nil {
		return usage.Errorf("backend", "%s can't send this: %v", s.Backend, err)
	}
	return nil
}
