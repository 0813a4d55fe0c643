package observe

import (
	"context"
	"errors"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/load"
)

// profileTimeout bounds one request to the server's profiler: it may write its trace before it answers.
const profileTimeout = 5 * time.Minute

// profiler has the servers profile themselves. A server that refuses is told of, and the load
// goes on, as in vLLM's client.
type profiler struct {
	Base
	ctx  context.Context  // of the run
	done *journal.Profile // nil: the warm-ups are not over
}

// NewProfiler starts and stops the servers' profilers, if --profile asks for it.
func NewProfiler(_ context.Context, r *prepare.Ready, _ *prepare.Host) (Observer, error) {
	if !r.Profile {
		return nil, nil
	}
	return &profiler{}, nil
}

// Open implements Observer.
func (p *profiler) Open(ctx context.Context, r *Run) error {
	p.ctx = ctx
	return p.Base.Open(ctx, r)
}

// Configure has it begin after the warm-ups.
func (p *profiler) Configure(cfg *load.Config) { cfg.WarmedUp = p.begin }

func (p *profiler) begin() {
	p.done = &journal.Profile{}
	if err := p.ask(p.ctx, "/start_profile"); err != nil {
		p.done.Error = p.Run.Secrets.Sentence(err.Error())
		p.Run.Warn("the server's profiler was not started: %s; is --profiler-config among its flags?", p.done.Error)
		return
	}
	p.done.Started = true
	p.Run.Say("profiler started")
}

// Stop ends what was begun, also after a run that was cut off.
func (p *profiler) Stop(ctx context.Context, end *journal.End) error {
	end.Profile = p.done
	if p.done == nil || !p.done.Started {
		return nil
	}
	if err := p.ask(context.WithoutCancel(ctx), "/stop_profile"); err != nil {
		p.done.Error = p.Run.Secrets.Sentence(err.Error())
		p.Run.Warn("the server's profiler was not stopped: %s", p.done.Error)
		return nil
	}
	p.done.Stopped = true
	p.Run.Say("profiler stopped")
	return nil
}

func (p *profiler) ask(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, profileTimeout)
	defer cancel()
	var errs []error
	for _, t := range p.Run.Targets {
		errs = append(errs, t.Profile(ctx, path))
	}
	return errors.Join(errs...)
}
