package spec

import (
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/usage"
)

// checkConversations holds what conversations need against what was asked for.
func (s *Spec) checkConversations() error {
	if err := wire.CheckHeader(s.SessionHeader, ""); s.SessionHeader != "" && err != nil {
		return usage.Errorf("session-header", "%v", err)
	}
	if s.mayTalk() {
		return nil // when the file is open all is checked again
	}
	if !s.Talks() {
		if s.MaxRequests > 0 || s.SaveConversations != "" {
			flag := "max-requests"
			if s.SaveConversations != "" {
				flag = "save-conversations"
			}
			return usage.Errorf(flag, "is for conversations, and the dataset %s has none", s.DatasetName)
		}
		if _, ok := s.DatasetOptions.(*workload.TraceOptions); ok && s.MaxConversations != nil {
			return usage.Errorf("max-conversations", "has nothing to bound: the trace is sent in an open loop").WithHint("use --max-concurrency for requests")
		}
		if s.MaxConversations != nil {
			return usage.Errorf("max-conversations", "has nothing to bound: the dataset %s has no conversations", s.DatasetName).
				WithHint("use --max-concurrency for requests")
		}
		return nil
	}
	if own, ok := s.DatasetOptions.(*workload.TraceOptions); ok && own.Duration() > 0 && s.MaxConversations == nil {
		return usage.Errorf("max-conversations", "is needed for %s %s: it says how many traces are played at a time", usage.Ref("trace-preset"), own.Preset)
	}
	switch {
	case !s.Chat():
		hint := "use --backend " + BackendChat
		if _, ok := s.DatasetOptions.(*workload.TraceOptions); ok {
			hint += ", or --trace-loop open, which sends texts"
		}
		return usage.Errorf("backend", "must be one for chat: the dataset %s sends messages, and %s takes a text", s.DatasetName, s.Backend).
			WithHint("%s", hint)
	case s.IntegritySample > 0:
		return usage.Errorf("integrity-sample", "can't be used with conversations: a turn can't be sent again without those before it")
	}
	return nil
}
