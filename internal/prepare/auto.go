package prepare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/spec"
	"github.com/inferometer/inferometer/internal/usage"
)

// ChooseBackend asks the servers what they are, and takes the best protocol for the
// dataset. The Spec need not be resolved.
func ChooseBackend(ctx context.Context, s *spec.Spec, h *Host) error {
	own := *s
	own.URLs, own.Backend = slices.Clone(s.URLs), spec.BackendOpenAI
	values, err := own.Wire(&h.Environment)
	if err != nil {
		return err
	}
	servers := newServers(&own, values, h)
	servers.await(ctx, s.ReadyCheckTimeoutSec)
	id, err := servers.recognise(ctx)
	if err != nil {
		return err
	}
	if s.Backend, err = s.BestBackend(id); err != nil {
		return err
	}
	h.Note("backend: %s, for %s", s.Backend, whatItIs(id))
	return nil
}

// whatItIs says what a server was taken for, and why.
func whatItIs(id target.Identity) string {
	if id.Kind == "" {
		return "the server does not say what it is; name another one if it speaks it"
	}
	words := fmt.Sprintf("the server is %s (%s)", id.Name(), id.Why)
	if id.Gateway != "" && id.Gateway != id.Kind {
		words += ", behind " + id.Gateway
	}
	return words
}

// recognise is what all the servers are. They must be of one kind: a run has one protocol.
func (s *Servers) recognise(ctx context.Context) (target.Identity, error) {
	ids := make([]target.Identity, len(s.Targets))
	s.each(func(i int, t *target.Target) { ids[i] = t.Identify(ctx) })
	for i, id := range ids {
		if id.Kind == "" {
			if err := s.nobody(ctx, s.Targets[i]); err != nil {
				return id, err
			}
		}
		if id.Kind != ids[0].Kind {
			return id, usage.Errorf("backend", "auto takes one protocol for all targets, and %s is %s while %s is %s",
				s.Targets[0].Base, cmp.Or(ids[0].Kind, "not known"), s.Targets[i].Base, cmp.Or(id.Kind, "not known")).WithHint("name the backend")
		}
	}
	return ids[0], nil
}

// nobody says that nobody answers; nil: somebody does.
func (s *Servers) nobody(ctx context.Context, t *target.Target) error {
	_, err := t.Models(ctx)
	var unreachable *url.Error
	if !errors.As(err, &unreachable) {
		return nil
	}
	return cmp.Or(s.explain(ctx, t, err, "/v1/models", ""), fmt.Errorf("ask %s what it is, for --backend auto: %s", t.Base, s.values.Secrets.Scrub(err.Error())))
}
