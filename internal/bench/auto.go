package bench

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
	r := newRun(s, h)
	r.URLs, r.Backend = slices.Clone(s.URLs), spec.BackendOpenAI
	r.TakeV1()
	var err error
	if r.wire, err = r.Wire(&h.Environment); err != nil {
		return err
	}
	client := r.client()
	for _, u := range r.URLs {
		r.targets = append(r.targets, &target.Target{Base: u, Header: r.wire.Header, Client: client})
	}
	r.target, r.lists = r.targets[0], make([]modelList, len(r.targets))
	r.awaitServer(ctx)
	id, err := r.recognise(ctx)
	if err != nil {
		return err
	}
	if s.Backend, err = s.BestBackend(id); err != nil {
		return err
	}
	r.say("backend: %s, for %s", s.Backend, whatItIs(id))
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
func (r *Run) recognise(ctx context.Context) (target.Identity, error) {
	ids := make([]target.Identity, len(r.targets))
	eachTarget(r.targets, func(i int, t *target.Target) { ids[i] = t.Identify(ctx) })
	for i, id := range ids {
		if id.Kind == "" {
			if err := r.nobody(ctx, r.targets[i]); err != nil {
				return id, err
			}
		}
		if id.Kind != ids[0].Kind {
			return id, usage.Errorf("backend", "auto takes one protocol for all targets, and %s is %s while %s is %s",
				r.targets[0].Base, cmp.Or(ids[0].Kind, "not known"), r.targets[i].Base, cmp.Or(id.Kind, "not known")).WithHint("name the backend")
		}
	}
	return ids[0], nil
}

// nobody says that nobody answers; nil: somebody does.
func (r *Run) nobody(ctx context.Context, t *target.Target) error {
	_, err := t.Models(ctx)
	var unreachable *url.Error
	if !errors.As(err, &unreachable) {
		return nil
	}
	return cmp.Or(r.explain(ctx, t, err, "/v1/models"), fmt.Errorf("ask %s what it is, for --backend auto: %s", t.Base, r.wire.Secrets.Scrub(err.Error())))
}
