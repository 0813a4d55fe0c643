package lead

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/spec"
)

// Attach leads a run to its end that another leader began and does not lead any more. An
// empty run is the only one that NATS knows of, an empty folder the one that it began in.
func Attach(ctx context.Context, drain <-chan struct{}, place bus.Place, run, folder string, h *bench.Host) (*Done, error) {
	l, err := open(ctx, place, h)
	if err != nil {
		return nil, err
	}
	return l.attach(ctx, drain, run, folder)
}

func (l *leader) attach(ctx context.Context, drain <-chan struct{}, run, folder string) (_ *Done, err error) {
	defer l.Close()
	if run == "" {
		if f := readFleet(folder); !f.over() {
			run = f.Run
		}
	}
	if run == "" {
		if run, err = l.only(ctx); err != nil {
			return nil, err
		}
	}
	return l.takeOver(ctx, drain, run, folder)
}

// only is the run that there is.
func (l *leader) only(ctx context.Context) (string, error) {
	runs, err := l.bus.Runs(ctx)
	switch {
	case err != nil:
		return "", err
	case len(runs) == 0:
		return "", errors.New("NATS knows of no run: there is nothing to take over")
	case len(runs) > 1:
		slices.Sort(runs)
		return "", fmt.Errorf("NATS knows of %d runs: say which one (%s)", len(runs), outside.Line(fmt.Sprint(runs), 300))
	}
	return runs[0], nil
}

func (l *leader) takeOver(ctx context.Context, drain <-chan struct{}, run, folder string) (*Done, error) {
	before, stop := load.UntilDrain(ctx, drain, prepare.ErrStopped)
	defer stop()
	begun, err := l.resume(before, run, folder)
	switch {
	case err != nil:
		return nil, err
	case begun:
		return l.follow(ctx, drain)
	case l.kept.Stage == offering:
		l.giveUp()
		return nil, fmt.Errorf("the run %s had not begun, and its agents have no start: they are free again; run it anew", run)
	}
	l.host.Say("no agent has begun: the run is started now")
	if err := l.awaitReady(before); err != nil {
		l.giveUp()
		return nil, err
	}
	return l.runToEnd(ctx, drain)
}

// resume learns all that the leader before knew. begun says that something may have been sent.
func (l *leader) resume(ctx context.Context, run, folder string) (begun bool, err error) {
	if err := l.bus.Prepare(ctx); err != nil { // NATS may have lost all
		return false, err
	}
	if err := l.readKept(ctx, run, folder); err != nil {
		return false, err
	}
	l.host.Say("the run %s has %d agents; waiting to see that no other leader has it", run, len(l.kept.Agents))
	if l.hold, err = takeHold(ctx, l.bus, run, l.id); err != nil {
		return false, err
	}
	if err := l.readKept(ctx, run, folder); err != nil { // the leader before may have come further
		return false, err
	}
	if release(l.kept.Version) != release(l.host.Version) {
		return false, fmt.Errorf("the run %s is of inferometer %s, and this is %s: use the same version", run, outside.Word(l.kept.Version), l.host.Version)
	}
	if err := l.takeFolder(folder); err != nil {
		return false, err
	}
	if err := l.planAgain(ctx); err != nil {
		return false, err
	}
	l.setAgents()
	listed := l.makeList(ctx)
	if err := l.watchStatuses(); err != nil {
		return false, err
	}
	if err := l.measureClocks(ctx, clockRounds); err != nil {
		return false, err
	}
	l.each(func(a *agent) {
		l.askNow(ctx, a)
		l.recall(ctx, a)
	})
	if l.folder.before != nil {
		l.recallEnds(l.folder.before.Ended)
	}
	begun = l.kept.Stage == running || slices.ContainsFunc(l.agents, func(a *agent) bool { v := a.look(); return v.begun() })
	if begun {
		l.findStart()
		l.leaveReady(ctx)
	}
	return begun, <-listed
}

func (l *leader) readKept(ctx context.Context, run, folder string) error {
	b, err := l.bus.Kept(ctx, run)
	if err != nil {
		return err
	}
	lost := b == nil
	if lost {
		b = keptIn(folder, run)
	}
	if b == nil {
		return fmt.Errorf("NATS knows nothing of the run %s: it is over, or another leader has ended it", outside.Word(run))
	}
	s, err := decodeState(b)
	if err != nil || s.Run != run {
		return fmt.Errorf("what is kept of the run %s can't be read: %w", outside.Word(run), err)
	}
	l.kept = *s
	if !lost {
		return nil
	}
	l.folder.alone = true
	l.host.Warn("warning: NATS knows nothing of the run %s: another leader has ended it, or NATS has lost what it had stored; it goes on with what is in %s, and with what its agents keep", run, folder)
	return l.bus.Keep(ctx, run, b)
}

// planAgain makes the plan from what NATS keeps: the Spec, and the files that it needs.
func (l *leader) planAgain(ctx context.Context) error {
	s, err := spec.Decode(bytes.NewReader(l.kept.Spec))
	if err != nil {
		return fmt.Errorf("the Spec of the run %s: %w", l.kept.Run, err)
	}
	s.RunDir = l.folder.path
	places, err := l.fetchFiles(ctx, s)
	if err != nil {
		return err
	}
	h := *l.host
	h.Rehearsed, h.Place = nil, func(kind prepare.FileKind, _ string) (string, error) { return places[kind], nil }
	// Agents have the secrets. To list what they send none is needed.
	h.Lookup = func(name string) (string, bool) {
		// A folder may be anybody's: what it asks for is not told of this environment.
		if value, ok := l.host.Lookup(name); ok && (!l.folder.alone || name == "XDG_STATE_HOME") {
			return value, true
		}
		return "", !slices.Contains([]string{"XDG_STATE_HOME", "OPENAI_API_KEY"}, name)
	}
	l.plan, err = prepare.NewPlan(ctx, s, &h.Host)
	return err
}

// findStart finds the instant of the start on this leader's clock: each agent knows it by
// its own, whose offset to both leaders was measured.
func (l *leader) findStart() {
	l.began = time.Unix(0, l.kept.Start)
	var starts []int64
	for i, a := range l.agents {
		if offset, _, err := a.offset(l.began); err == nil && l.kept.Agents[i].Offset != nil {
			starts = append(starts, l.kept.Start+*l.kept.Agents[i].Offset-offset)
		}
	}
	if len(starts) > 0 {
		slices.Sort(starts)
		l.began = time.Unix(0, starts[len(starts)/2])
	}
	for _, a := range l.agents {
		a.mu.Lock()
		if a.contact.IsZero() {
			a.contact = l.began
		}
		a.mu.Unlock()
	}
}

// leaveReady cancels agents that wait for a start while others have begun: what is theirs
// is not sent.
func (l *leader) leaveReady(ctx context.Context) {
	if time.Since(l.began) < startAhead { // the start may be on its way
		return
	}
	l.each(func(a *agent) {
		if v := a.look(); v.status.Phase == message.Ready || v.status.Phase == message.Preparing {
			ctx, cancel := context.WithTimeout(ctx, askTime)
			defer cancel()
			_, _ = l.bus.Ask(ctx, a.ID, &message.Ask{Kind: message.Cancel, Run: l.kept.Run}) // one that does not hear is silent
			l.host.Warn("warning: the agent %s was never started", a.title())
		}
	})
}
