package spec

import (
	"github.com/inferometer/inferometer/internal/send/share"
	"github.com/inferometer/inferometer/internal/usage"
)

// checkShare refuses what can't be divided: what ends a run by its results needs all of them.
func (s *Spec) checkShare() error {
	if s.Share.Whole() {
		return nil
	}
	for _, flag := range []string{"batch-size", "profile", "until"} {
		if s.has(flag) {
			return usage.Errorf(flag, "can't be used with %s: it is for one client that sends all", usage.Ref("client-share"))
		}
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
