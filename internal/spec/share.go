package spec

import (
	"github.com/inferometer/inferometer/internal/send/share"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/usage"
)

// checkShare refuses what can't be divided: what ends a run by its results needs all of them.
func (s *Spec) checkShare() error {
	if s.Share.Whole() {
		return nil
	}
	if err := s.checkDividedTrace("client-share"); err != nil {
		return err
	}
	for _, flag := range []string{"batch-size", "profile", "until"} {
		if s.has(flag) {
			return usage.Errorf(flag, "can't be used with %s: it is for one client that sends all", usage.Ref("client-share"))
		}
	}
	return nil
}

// checkDividedTrace refuses what a client that plays a part of a trace can't know: what the others have in flight, and how
// many of their requests have failed.
func (s *Spec) checkDividedTrace(by string) error {
	own, ok := s.DatasetOptions.(*workload.TraceOptions)
	switch {
	case !ok || !s.Talks():
		return nil
	case own.StartMax > 0:
		return usage.Errorf("trace-start-max", "can't be used with %s: primers are for one client that sends all", usage.Ref(by))
	case own.IdleCap > 0:
		return usage.Errorf("trace-idle-cap", "can't be used with %s: no client knows what the others have in flight", usage.Ref(by))
	case own.Abort > 0:
		return usage.Errorf("trace-abort", "can't be used with %s: no client knows how many requests of the others have failed", usage.Ref(by))
	}
	return nil
}

// Slots is the share with the weights by which requests are divided: those of its slots,
// where these are bounded.
func (s *Spec) Slots() share.Share {
	switch {
	case s.Talks() && s.MaxConversations != nil:
		return s.Share.Slots(*s.MaxConversations)
	case s.MaxConcurrency != nil:
		return s.Share.Slots(*s.MaxConcurrency)
	}
	return s.Share
}
