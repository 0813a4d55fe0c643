package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/spec"
)

// job is one run that the agent takes part in.
type job struct {
	agent  *Agent
	run    string
	asked  *message.Ask
	offer  *offered
	nonce  string
	folder *folder
	*teller
	live *live

	mu        sync.Mutex
	startAt   time.Time     // zero: not yet
	starting  chan struct{} // closed when there is one
	drained   chan struct{} // closed: no more is sent
	why       string        // of that
	own       bool          // it is not the leader's wish
	cut       string        // why it sent less than its share, where that is not
	cancel    context.CancelFunc
	cancelled context.Context // ends with cancel
	done      chan struct{}   // the run is over, and all of it is handed on, or kept
	kept      bool            // NATS does not have all of it
	forgotten chan struct{}
}

func (a *Agent) newJob(ask *message.Ask, o *offered) (*job, error) {
	f, err := newFolder(a.runs(), ask.Run, a.ID)
	if err != nil {
		return nil, fmt.Errorf("make the run's folder: %w", err)
	}
	a.folders = append(a.folders, f) // under a.mu
	j := &job{
		agent: a, run: ask.Run, asked: ask, offer: o, nonce: random(16), folder: f, live: newLive(o.spec),
		starting: make(chan struct{}), drained: make(chan struct{}), done: make(chan struct{}), forgotten: make(chan struct{}),
	}
	j.teller = newTeller(a.Bus, f, time.Duration(ask.Lease), j.live, func(why string) { j.stop(why, true) })
	j.cancelled, j.cancel = context.WithCancel(context.Background())
	return j, nil
}

// shareWords are how much of a run it is.
func shareWords(s *spec.Spec) string {
	if s.Share.Whole() {
		return "the whole load"
	}
	return fmt.Sprintf("share %d of %d of the load", s.Share.Index+1, s.Share.Of())
}

func (j *job) started() bool { return isClosed(j.starting) }

// start takes the instant at which the load begins. It is good once.
func (j *job) start(nonce string, at, received time.Time) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	late := received.Sub(at)
	switch {
	case nonce != j.nonce:
		return errors.New("the start is not for the offer that this agent accepted: its nonce is another one")
	case j.started():
		return errors.New("this run was started already, and a start is good once")
	case isClosed(j.drained):
		return fmt.Errorf("the run was stopped before: %s", j.why)
	case j.phase() != message.Ready:
		return fmt.Errorf("the agent is not ready to start: it is %s", j.phase())
	case late > latestStart:
		return fmt.Errorf("the instant of the start is %v past by this agent's clock", late.Round(time.Millisecond))
	case late < -longestAhead:
		return fmt.Errorf("the instant of the start is %v away, and at most %v are waited for", (-late).Round(time.Second), longestAhead)
	}
	j.startAt = at
	close(j.starting)
	return nil
}

// stop sends no more, and waits for what is in flight. own says that no leader asked for it.
func (j *job) stop(why string, own bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if isClosed(j.drained) || isClosed(j.done) {
		return
	}
	j.why, j.own = why, own
	close(j.drained)
	if j.enter(message.Draining) {
		j.agent.Say("the run %s sends no more: %s", j.run, why)
	}
}

// stoppedItself is bench.Host.Drained: why it sends no more, where no leader asked for it.
func (j *job) stoppedItself() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.own {
		j.cut = j.why
	}
	return j.cut
}

// begin is bench.Host.Begin: it waits for the leader's start.
func (j *job) begin(ctx context.Context) error {
	j.enter(message.Ready)
	select {
	case <-j.starting:
	case <-j.drained:
		return bench.ErrStopped
	case <-ctx.Done():
		return bench.ErrStopped
	}
	j.reserve(1) // before the instant, at which nothing else is to be done
	j.mu.Lock()
	at := j.startAt
	j.mu.Unlock()
	if !load.AwaitInstant(ctx, j.drained, at) {
		return bench.ErrStopped
	}
	j.enter(message.Running)
	return nil
}

// graceTime is what a run that is cancelled together with its agent gets to hand on its end.
const graceTime = 3 * time.Second

// do runs the job from its offer to the end of its journal's way to the leader.
func (j *job) do(ctx context.Context) {
	defer close(j.done)                    // the folder stays locked: while this process lives it answers for it
	own, cancel := context.WithCancel(ctx) // of the load
	defer cancel()
	defer context.AfterFunc(j.cancelled, cancel)()
	after, cancelAfter := context.WithCancel(context.WithoutCancel(ctx)) // of what is handed on
	defer cancelAfter()
	defer context.AfterFunc(ctx, func() {
		select {
		case <-time.After(graceTime):
			cancelAfter()
		case <-after.Done():
		}
	})()
	loadOver, handedOn := make(chan struct{}), make(chan error, 1)
	stopTelling := j.teller.run()
	go func() { handedOn <- j.folder.handOn(after, j.agent.Bus, loadOver, j.stuck) }()
	err := j.execute(own)
	close(loadOver)
	stored := <-handedOn
	stopTelling()
	j.conclude(after, err, stored)
	if j.agent.Once {
		close(j.agent.over)
	}
}

// execute runs the Spec. Its result is the leader's business.
func (j *job) execute(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil { // one run must not end the agent: it has more to hand on
			err = fmt.Errorf("the run panicked: %v", p)
		}
	}()
	places, err := j.agent.fetch(ctx, j.offer)
	if err != nil {
		return err
	}
	asked := *j.offer.spec
	asked.RunDir = j.folder.path
	host := *j.agent.Host()
	lookup := host.Lookup
	host.Lookup = func(name string) (string, bool) {
		switch {
		case name == "XDG_STATE_HOME":
			return filepath.Dir(j.agent.State), true
		case slices.Contains(ours, name):
			return lookup(name)
		}
		value, ok := j.offer.secrets[name]
		return value, ok
	}
	host.Place = func(kind bench.FileKind, _ string) (string, error) { return places[kind], nil }
	host.Begin, host.Sending, host.Ended, host.Drained = j.begin, j.sending, j.live.ended, j.stoppedItself
	host.Rehearsed, host.Fetching, host.Say = nil, nil, nil
	host.Progress = func(p bench.Progress) func() {
		j.follow(p.Progress, planned(&asked, p.Total))
		return func() {}
	}
	r, err := bench.Execute(ctx, j.drained, &asked, &host)
	if err != nil {
		return err
	}
	defer r.Close()
	return r.Unwritten()
}

// planned is how many of a run's requests are the share's; 0: not known.
func planned(s *spec.Spec, total int) int {
	if s.Talks() || total > 1<<28 {
		return 0
	}
	n, owner := 0, s.Slots().Owner()
	for i := range total {
		if owner.Of(i) == s.Share.Index {
			n++
		}
	}
	return n
}

// conclude tells how the run ended, when all that it left is handed on.
func (j *job) conclude(ctx context.Context, err, handedOn error) {
	phase, words := message.Ended, "" // of one that ended words say why it sent less than its share
	switch {
	case err != nil:
		phase, words = message.Failed, err.Error()
	case handedOn != nil && ctx.Err() == nil:
		j.agent.Say("the journal of the run %s is in %s until a leader fetches it: %s", j.run, j.folder.path, outside.Sentence(handedOn.Error()))
	}
	j.kept = handedOn != nil
	if errors.Is(err, bench.ErrStopped) && j.why != "" {
		words += ": " + j.why
	}
	if err == nil && words == "" {
		words = j.cut // the load has ended by then
	}
	sum, sumErr := journal.Digest(filepath.Join(j.folder.path, journal.FileName))
	if sumErr != nil && !errors.Is(sumErr, os.ErrNotExist) {
		phase, words = message.Failed, "read the journal: "+sumErr.Error()
	}
	s := j.final(phase, outside.Sentence(words), sum)
	j.tellForSure(ctx)
	j.folder.delivered(handedOn == nil && ctx.Err() == nil)
	if words != "" {
		j.agent.Say("the run %s %s: %s; %d sent, %d complete", j.run, phase, outside.Sentence(words), s.Sent, s.Done)
	} else {
		j.agent.Say("the run %s %s: %d sent, %d complete, %d failed", j.run, phase, s.Sent, s.Done, s.Failed)
	}
}

// forget removes what is kept of a run that is over, if the leader holds the same journal.
func (j *job) forget(held string) error {
	if !isClosed(j.done) {
		return fmt.Errorf("the run is not over here: it is %s", j.phase())
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if isClosed(j.forgotten) {
		return nil
	}
	if err := j.agent.remove(j.folder.path, held); err != nil {
		return err
	}
	close(j.forgotten)
	return nil
}

// awaitForget waits a while for the leader to say that it has all.
func (j *job) awaitForget(ctx context.Context, drain <-chan struct{}) {
	wait := forgetTime
	if j.kept {
		wait = keptTime
	}
	select {
	case <-j.forgotten:
	case <-time.After(wait):
	case <-drain:
	case <-ctx.Done():
	}
}
