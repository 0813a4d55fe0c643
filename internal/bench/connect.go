package bench

import (
	"context"

	"github.com/inferometer/inferometer/internal/send/power"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/usage"
)

// connect makes the transport, makes sure that somebody answers, and learns the model's name.
func (r *Run) connect(ctx context.Context) error {
	if _, err := r.Spoken(); err != nil {
		return err
	}
	r.protocol = r.API()
	var err error
	if r.wire, err = r.Wire(&r.host.Environment); err != nil {
		return err
	}
	if r.wire.Power != "" {
		if r.power, err = power.Parse(r.wire.Power); err != nil {
			return usage.Errorf("power", "%v", err)
		}
	}
	if err = r.openHardware(ctx); err != nil {
		return err
	}
	if r.balance, err = r.balancer(); err != nil {
		return err
	}
	if r.transport, err = r.makeTransport(); err != nil {
		return err
	}
	client := r.client()
	for _, u := range r.URLs {
		r.targets = append(r.targets, &target.Target{Base: u, Header: r.wire.Header, Client: client})
	}
	r.target = r.targets[0]
	r.awaitServer(ctx)
	return r.preflight(ctx)
}

// manyConnections is kept open where nothing bounds the requests in flight.
const manyConnections = 1 << 16

// connections is how many connections to keep: as many as may be in use at once.
func (r *Run) connections() int {
	switch {
	case r.MaxConcurrency != nil:
		if r.ProbeRequestRate > 0 {
			return *r.MaxConcurrency + 1
		}
		return *r.MaxConcurrency
	case r.MaxConversations != nil: // one that fans out needs more for a moment
		return *r.MaxConversations
	case r.NumPrompts > 0:
		return r.NumPrompts
	}
	return manyConnections
}
