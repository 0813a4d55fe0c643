package prepare

import (
	"context"
	"crypto/tls"
	"net/http"
	"time"

	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/spec"
)

// connect makes the transport, makes sure that somebody answers, and learns the model's name.
func (r *Ready) connect(ctx context.Context) error {
	if err := r.address(); err != nil {
		return err
	}
	var err error
	if r.Servers.Balance, err = balancer(r.Spec); err != nil {
		return err
	}
	if r.Transport, err = newTransport(r); err != nil {
		return err
	}
	r.Servers.await(ctx, r.ReadyCheckTimeoutSec)
	return r.preflight(ctx)
}

// address finds the values that the Spec names, and the servers that it is for.
func (r *Ready) address() (err error) {
	if err := r.resolveLoop(); err != nil {
		return err
	}
	if _, err := r.ResolveBackend(); err != nil {
		return err
	}
	if r.Values, err = r.Wire(&r.host.Environment); err != nil {
		return err
	}
	r.Servers = newServers(r.Spec, r.Values, r.host)
	return nil
}

// newServers are those of a Spec, which have not been asked anything.
func newServers(s *spec.Spec, v *spec.Wire, h *Host) Servers {
	// It is for questions beside the load: models, metrics, tokenize.
	client := &http.Client{
		Timeout: 30 * time.Second,
		Transport: &http.Transport{
			Proxy:           v.Proxy,
			DialContext:     h.Dial,
			TLSClientConfig: &tls.Config{InsecureSkipVerify: s.Insecure}, //nolint:gosec // the user's --insecure
			IdleConnTimeout: 10 * time.Second,
			// Prompts that the server's tokenizer makes ask side by side, and a new connection is a way there and back more.
			MaxIdleConnsPerHost: 16,
		},
	}
	all := Servers{lists: make([]modelList, len(s.URLs)), values: v, note: h.Note}
	for _, u := range s.URLs {
		all.Targets = append(all.Targets, &target.Target{Base: u, Header: v.Header, Client: client})
	}
	return all
}

// manyConnections is kept open where nothing bounds the requests in flight.
const manyConnections = 1 << 16

// connections is how many connections to keep: as many as may be in use at once.
func connections(s *spec.Spec) int {
	switch {
	case s.MaxConcurrency != nil:
		if s.ProbeRequestRate > 0 {
			return *s.MaxConcurrency + 1
		}
		return *s.MaxConcurrency
	case s.MaxConversations != nil: // one that fans out needs more for a moment
		return *s.MaxConversations
	case s.NumPrompts > 0:
		return s.NumPrompts
	}
	return manyConnections
}
