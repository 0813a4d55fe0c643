package bench

import (
	"strings"

	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// Resolve fills in what follows from the rest. given says whether a flag, or the key
// of its name, was given. tookV1 says that an address ended with the endpoint's /v1.
func (s *Spec) Resolve(given func(flag string) bool) (tookV1 bool) {
	if protocol, err := wire.ForBackend(s.Backend); s.Endpoint == "" && err == nil {
		s.Endpoint = protocol.Path()
	}
	s.resolvePace()
	if (s.timed() || s.Until != "") && !given("num-prompts") {
		s.NumPrompts, s.Unbounded = 0, true
	}
	if k, err := workload.Find(s.DatasetName); err == nil {
		s.IgnoreEOS = s.IgnoreEOS || k.IgnoreEOS
		if k.WholeFile && !given("num-prompts") {
			s.NumPrompts = 0
		}
	}
	if s.Compat == "vllm" && !given("request-timeout") {
		s.RequestTimeout = vllmRequestTimeout
	}
	return s.takeV1()
}

// takeV1 takes /v1 off the end of the servers' addresses, as other tools want it
// there: it belongs to the endpoint, and to the paths of models and tokenizer. A slash
// at the end goes too: the endpoint begins with one.
func (s *Spec) takeV1() (took bool) {
	for i, base := range s.URLs {
		base = strings.TrimRight(base, "/")
		if short, found := strings.CutSuffix(base, "/v1"); found && !strings.HasSuffix(short, "/") {
			base, took = strings.TrimRight(short, "/"), true
		}
		s.URLs[i] = base
	}
	if took && !strings.HasPrefix(s.Endpoint, "/v1/") && strings.HasPrefix(s.Endpoint, "/") {
		s.Endpoint = "/v1" + s.Endpoint
	}
	return took
}
