// Package bench does one run: Execute in this process, Child in one of its own.
package bench

import (
	"context"
	"errors"

	"github.com/inferometer/inferometer/internal/client"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/observe"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/spec"
)

// Execute runs a Spec that is resolved and valid: it prepares the load, sends it, and leaves the
// journal in the run's folder. A drain means to send no more and wait for what is in
// flight; the end of ctx cancels that too. What it returns must be closed,
// after the result of its journal was written.
func Execute(ctx context.Context, drain <-chan struct{}, s *spec.Spec, h *Host) (*Done, error) {
	view := observe.StartLive(h.Live, h.Control, s)
	done, err := execute(ctx, drain, s, h, view)
	view.End(err)
	return done, err
}

func execute(ctx context.Context, drain <-chan struct{}, s *spec.Spec, h *Host, view *observe.Live) (_ *Done, err error) {
	if err := observe.CheckFaults(s.Faults, h.Do); err != nil {
		return nil, err
	}
	ready, err := prepare.ToSend(ctx, drain, s, &h.Host)
	if err != nil {
		return nil, err
	}
	defer ready.Close()
	watching, err := observers(ctx, drain, ready, h)
	if err != nil {
		ready.Earlier.Unlock()
		return nil, err
	}
	if view != nil {
		watching = append(watching, view)
	}
	done, err := newDone(ready, h)
	if err != nil {
		return nil, err
	}
	defer watching.Close()
	if err := send(ctx, drain, ready, h, watching, done); err != nil {
		return nil, done.abandon(err)
	}
	done.unwritten = done.journal.Close()
	return done, nil
}

// send sends what is ready while it is watched, up to the last line of the journal.
func send(ctx context.Context, drain <-chan struct{}, ready *prepare.Ready, h *Host, watching observe.List, done *Done) error {
	run := &observe.Run{
		Folder: done.folder, Clock: ready.Clock, Journal: done.journal, Progress: &load.Progress{}, Total: ready.Total(), Length: ready.Length(),
		Targets: ready.Servers.Targets, Model: ready.Chosen.Sent, Secrets: ready.Values.Secrets, Say: h.Note, Warn: h.Alert,
	}
	end := &journal.End{Recipe: journal.WorkloadRecipe, SeenPrompts: -1}
	if err := watching.Open(ctx, run); err != nil {
		return errors.Join(err, watching.Stop(ctx, end))
	}
	first := firstLine(ready, h)
	spared, giveBack := spareProcessors(ready.Transport, &h.Host)
	defer giveBack()
	cfg := ready.Config()
	cfg.Warmups, cfg.Keep, cfg.Journal, cfg.Progress = ready.Warmups[:ready.NumWarmups], spared > 0, done.journal, run.Progress
	cfg.Begin, cfg.Sending, cfg.Control, cfg.Watch = h.Begin, h.Sending, h.Control, watching.Watch(until(ready))
	cfg.Started = func() error {
		done.begun, run.First = true, first(ready.Clock)
		return errors.Join(done.journal.Run(run.First), watching.Start())
	}
	watching.Configure(&cfg)
	result, err := load.Run(ctx, drain, cfg)
	if err = errors.Join(err, watching.Stop(ctx, end)); err != nil {
		return err
	}
	fill(end, result, ready, h)
	return errors.Join(watching.Finish(ctx, drain, end), done.journal.End(end))
}

// firstLine makes the journal's first line, but for the instant at which the clock starts: this machine
// is looked at before, since nothing may come between that and the first request.
func firstLine(r *prepare.Ready, h *Host) func(*wire.Clock) *journal.Run {
	here, engine := client.Environment(), spec.EngineNetHTTP
	if _, isLoop := r.Transport.(*wire.Loop); isLoop {
		engine = spec.EngineLoop
	}
	var proven *journal.Proven
	if h.Proven != nil {
		proven = h.Proven(engine)
	}
	return func(c *wire.Clock) *journal.Run {
		first := r.First(h.Version, c.Zero())
		first.Share, first.Targets, first.Clock, first.ReadEnds, first.Holds = r.Share.String(), r.Servers.Identity, r.Transport.Stamps(), true, true
		first.Replicas, first.Routers = r.Servers.Replicas, r.Servers.Routers
		first.Environment, first.Proven = here, proven
		first.MetricNames, _ = r.MetricNames() // it was checked
		return first
	}
}

// fill puts what became of the load into the journal's last line.
func fill(end *journal.End, res *load.Result, r *prepare.Ready, h *Host) {
	end.At, end.Interrupted, end.Stopped, end.Sent, end.WorkloadSHA = res.End, res.Interrupted, res.Stopped, res.Sent, res.WorkloadSHA
	end.PeakInFlight, end.RPSChanges, end.Pauses, end.Skips = res.PeakInFlight, res.RPSChanges, res.Pauses, res.Skips
	if r.Until != "" && res.Stopped == "" && res.Interrupted == "" {
		end.Stopped = journal.BoundReached // it ended as planned, in one of several ways
	}
	if res.Unnamed > 0 {
		h.Note("note: %d requests have no replica in the journal: more than %d names came by --replica-key, and names that change with each request tell none", res.Unnamed, load.MaxNames)
	}
	if res.Interrupted == journal.Signal && h.Drained != nil {
		if why := h.Drained(); why != "" {
			end.Interrupted = why
		}
	}
}
