package fleet

import (
	"context"
	"io"
	"time"

	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/fleet/bus"
)

// natsFromStdin, as --nats, has the place read from standard input: bench serve --agents
// hands it over so, and no command line shows a password.
const natsFromStdin = "-"

// alone is how long an agent finishes what is in flight after its standard input has ended.
const alone = time.Minute

func (o *agentOptions) place(s command.Streams) (bus.Place, error) {
	if o.nats == natsFromStdin {
		return bus.DecodePlace(s.In)
	}
	return bus.ReadPlace(o.nats)
}

// attached ends a run with the standard input: over ssh that is the connection. First no
// more is sent, and a minute later what is in flight is cancelled.
func (o *agentOptions) attached(ctx context.Context, s command.Streams, drain <-chan struct{}) (context.Context, <-chan struct{}) {
	if o.nats != natsFromStdin {
		return ctx, drain
	}
	ended := make(chan struct{})
	go func() { // it ends with the process, as reading does
		_, _ = io.Copy(io.Discard, s.In)
		close(ended)
	}()
	ctx, cancel := context.WithCancel(ctx)
	both := make(chan struct{})
	go func() {
		defer cancel()
		select {
		case <-drain:
			close(both)
			<-ctx.Done()
		case <-ended:
			close(both)
			select {
			case <-time.After(alone):
			case <-ctx.Done():
			}
		case <-ctx.Done():
		}
	}()
	return ctx, both
}
