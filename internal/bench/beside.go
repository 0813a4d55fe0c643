package bench

import (
	"context"
	"errors"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// What a run does beside its load: it probes, and it has the server profile itself.

// probe is what is sent beside the load, if it is asked for: vLLM's own probe.
func (r *Run) probe() *load.Probe {
	if r.ProbeRequestRate == 0 {
		return nil
	}
	return &load.Probe{
		Request: workload.Request{Prompt: "Hi", PromptTokens: 1, OutputTokens: 1},
		Pause:   time.Duration(float64(time.Second) / r.ProbeRequestRate),
	}
}

// profileTimeout bounds one request to the server's profiler: it may write its trace before it answers.
const profileTimeout = 5 * time.Minute

// startProfile starts the profilers of the servers, if that is asked for. A server that refuses is told of, and the load
// goes on, as in vLLM's client.
func (r *Run) startProfile(ctx context.Context) {
	if !r.Profile {
		return
	}
	r.profiled = &journal.Profile{}
	if err := r.askProfiler(ctx, "/start_profile"); err != nil {
		r.profiled.Error = r.wire.Secrets.Sentence(err.Error())
		r.host.warn("the server's profiler was not started: %s; is --profiler-config among its flags?", r.profiled.Error)
		return
	}
	r.profiled.Started = true
	r.say("profiler started")
}

// stopProfile stops what startProfile started, also after a run that was cut off.
func (r *Run) stopProfile(ctx context.Context) {
	if r.profiled == nil || !r.profiled.Started {
		return
	}
	if err := r.askProfiler(context.WithoutCancel(ctx), "/stop_profile"); err != nil {
		r.profiled.Error = r.wire.Secrets.Sentence(err.Error())
		r.host.warn("the server's profiler was not stopped: %s", r.profiled.Error)
		return
	}
	r.profiled.Stopped = true
	r.say("profiler stopped")
}

func (r *Run) askProfiler(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, profileTimeout)
	defer cancel()
	var errs []error
	for _, t := range r.targets {
		errs = append(errs, t.Profile(ctx, path))
	}
	return errors.Join(errs...)
}
