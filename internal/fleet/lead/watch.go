package lead

import (
	"context"
	"errors"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/observe"
	"github.com/inferometer/inferometer/internal/send/load"
)

// watchEvery is how often the leader looks at what it knows.
const watchEvery = 200 * time.Millisecond

// watchStatuses takes in what agents tell, until the bus is closed.
func (l *leader) watchStatuses() error {
	byID := map[string]*agent{}
	for _, a := range l.agents {
		byID[a.ID] = a
	}
	_, err := l.bus.Statuses(l.kept.Run, func(s *message.Status) {
		if a := byID[s.Agent]; a != nil {
			a.see(s)
		}
	})
	return err
}

// watch follows a run to its end: until each agent has ended and its journal is here, or
// nothing more is to be expected of it.
func (l *leader) watch(ctx context.Context, drain <-chan struct{}) error {
	beside, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer l.background.Wait()
	defer stop()
	go l.followClocks(beside)
	shown, hide, err := l.show(ctx)
	if err != nil {
		return err
	}
	defer hide()
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	cancelled := ctx.Done()
	var e expecting
	states := &stateTeller{l: l}
	defer states.end()
	for {
		shown.Set(l.sum())
		states.tell()
		l.tellStuck()
		l.settle(beside)
		if !e.more(l, beside) {
			return nil
		}
		select {
		case <-drain:
			drain = nil
			go l.tell(beside, message.Drain)
		case <-cancelled:
			cancelled, drain, e.alone = nil, nil, true
			go l.tell(beside, message.Cancel)
		case err := <-l.hold.lost:
			return err
		case <-l.back:
			l.background.Go(func() { l.prepareAgain(beside) })
		case <-tick.C:
		}
	}
}

// show tells the observers of the host that the run has begun, until hide is called. They
// see how far it is; its requests are on other machines.
func (l *leader) show(ctx context.Context) (_ *load.Progress, hide func(), err error) {
	r := &observe.Run{
		Folder: l.folder.path, First: l.plan.First(l.host.Version, l.began), Progress: &load.Progress{}, Length: l.plan.Spec.Length(),
		Total: len(l.list.requests), Beside: l.beside, Say: l.host.Say, Warn: l.host.Warn,
	}
	if l.plan.Spec.Unbounded {
		r.Total = 0
	}
	all := observe.List(l.host.Observers)
	hide = func() { _ = all.Stop(ctx, &journal.End{}) } // it is shown, and no more
	if err = errors.Join(all.Open(ctx, r), all.Start()); err != nil {
		hide()
	}
	return r.Progress, hide, err
}

// tell asks all agents for something, until each has heard it or is over.
func (l *leader) tell(ctx context.Context, kind message.Kind) {
	l.each(func(a *agent) {
		for ctx.Err() == nil {
			if v := a.look(); v.over() {
				return
			}
			one, cancel := context.WithTimeout(ctx, askTime)
			_, err := l.bus.Ask(one, a.ID, &message.Ask{Kind: kind, Run: l.kept.Run})
			cancel()
			if err == nil {
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Second): // NATS, or the way to the agent, may come back
			}
		}
	})
}

// sum adds up what the agents told last.
func (l *leader) sum() (s load.Snapshot) {
	for _, a := range l.agents {
		v := a.look()
		s.Sent += int64(v.status.Sent)
		s.InFlight += int64(v.status.InFlight)
		s.Completed += int64(v.status.Done)
		s.Failed += int64(v.status.Failed)
		s.HungUp += int64(v.status.HungUp)
		s.Tokens += int64(v.status.Tokens)
	}
	return s
}

// expecting is what the end of a run waits for.
type expecting struct {
	quiet time.Time // since when nobody is known to be at work, and nothing comes; zero: somebody is, or it does
	bytes int64     // of journals that were here then
	alone bool      // the user wants the end, even if NATS is away
}

// more says whether anything is to be expected of an agent. One that is silent is asked.
func (e *expecting) more(l *leader, ctx context.Context) bool {
	if !l.bus.Connected() && !e.alone {
		e.quiet = time.Time{} // nothing can be heard: that proves nothing of the agents
		return true
	}
	now := time.Now()
	working, missing := false, false
	before := e.bytes
	e.bytes = 0
	for _, a := range l.agents {
		v := a.look()
		e.bytes += l.pieces.has(a.ID).size
		switch {
		case v.over() && l.complete(a, &v):
		case v.over():
			missing = true
		case v.silent > silentAfter:
			missing = true
			l.ask(ctx, a)
			l.tellSilent(a, &v)
		default:
			working = true
		}
	}
	switch {
	case working:
		e.quiet = time.Time{}
		return true
	case !missing:
		return false
	case e.quiet.IsZero() || e.bytes > before:
		e.quiet = now
	}
	for _, a := range l.agents {
		v := a.look()
		if v.over() && l.complete(a, &v) {
			continue
		}
		until := e.quiet.Add(l.kept.Wait)
		if !v.over() && v.contact.Add(l.kept.Lease+silentAfter).After(until) {
			until = v.contact.Add(l.kept.Lease + silentAfter) // before that it may still send
		}
		if now.Before(until) {
			return true
		}
	}
	return false
}

// complete says that nothing more is to be got of an agent that is over.
func (l *leader) complete(a *agent, v *view) bool {
	if v.status.SHA256 == "" { // it could not read its own journal, or has none
		p := l.pieces.has(a.ID)
		return p.size >= v.status.Journal && !p.gap
	}
	return l.held(a, v)
}

// tellStuck tells once of each agent that NATS does not take its journal from, and looks
// whether its stores are there.
func (l *leader) tellStuck() {
	for _, a := range l.agents {
		v := a.look()
		a.mu.Lock()
		told := a.stuck
		a.stuck = v.status.Stuck != ""
		a.mu.Unlock()
		if v.status.Stuck != "" && !told {
			l.host.Warn("\nwarning: NATS does not take the journal of %s: %s; the agent keeps it, and it is fetched from there", a.title(), v.status.Stuck)
			l.lookAgain()
		}
	}
}

// tellSilent tells once that an agent is silent.
func (l *leader) tellSilent(a *agent, v *view) {
	if v.silent < 2*silentAfter {
		return
	}
	a.mu.Lock()
	told := a.told
	a.told = true
	a.mu.Unlock()
	if !told {
		l.host.Warn("\nwarning: the agent %s has said nothing for %s; the others go on", a.title(), v.silent.Round(time.Second))
	}
}

// recall takes in the last status that NATS has of an agent, which may be gone.
func (l *leader) recall(ctx context.Context, a *agent) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	s, err := l.bus.LastStatus(ctx, l.kept.Run, a.ID)
	if err != nil || s == nil {
		return
	}
	at := time.Unix(0, s.At)
	if offset, _, err := a.offset(at); err == nil {
		at = at.Add(-time.Duration(offset))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.status == nil || s.Number > a.status.Number {
		a.status = s
	}
	if at.After(a.contact) && at.Before(time.Now()) {
		a.contact = at
	}
}

// gone is why an agent is not there any more; empty: it has ended as it should.
func (l *leader) gone(v *view) string {
	switch {
	case v.status.Phase == message.Ended && v.status.Error != "":
		return "it stopped by itself: " + v.status.Error
	case v.status.Phase == message.Ended:
		return ""
	case v.status.Phase == message.Failed:
		return "the agent failed: " + v.status.Error
	case v.contact.IsZero():
		return "the agent never reported"
	}
	return "nothing was heard from the agent after " + v.contact.Sub(l.began).Round(time.Second).String()
}
