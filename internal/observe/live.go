package observe

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/spec"
)

// tellEvery is how often a run says how it goes.
const tellEvery = 500 * time.Millisecond

// Live tells how a run goes, twice a second, from the start of its preparation to its end.
type Live struct {
	Base
	feed  *live.Feed
	meter *live.Meter
	pace  *load.Control
	slo   slo.SLO

	quit, done chan struct{}

	mu    sync.Mutex
	phase live.Phase
	name  string
	err   error
}

// StartLive begins with the preparation. Nil: nothing is listening.
func StartLive(feed *live.Feed, control *load.Control, s *spec.Spec) *Live {
	if feed == nil {
		return nil
	}
	t := &Live{feed: feed, meter: live.NewMeter(), pace: control, phase: live.Preparing, quit: make(chan struct{}), done: make(chan struct{})}
	if s.RunDir != "" {
		t.name = filepath.Base(s.RunDir)
	}
	t.slo, _ = spec.ParseSLO(s.SLO) // it was checked
	if len(t.slo) == 0 {
		t.slo, _ = spec.ParseSLO(s.GiveUp)
	}
	go t.loop()
	return t
}

func (t *Live) loop() {
	defer close(t.done)
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	t.feed.Tell(t.state())
	for {
		select {
		case <-tick.C:
			t.feed.Tell(t.state())
		case <-t.quit:
			t.enter(live.Ended)
			t.feed.Tell(t.state())
			return
		}
	}
}

// Open implements Observer: all is prepared, and the warm-ups begin.
func (t *Live) Open(_ context.Context, r *Run) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.phase, t.name, t.Run = live.WarmingUp, filepath.Base(r.Folder), r
	return nil
}

// Configure has the load count its latencies.
func (t *Live) Configure(cfg *load.Config) { cfg.Meter = t.meter }

// Start implements Observer.
func (t *Live) Start() error {
	t.enter(live.Running)
	return nil
}

// End tells the last state, also of a run that failed. A nil one tells nothing.
func (t *Live) End(err error) {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.err = err
	t.mu.Unlock()
	close(t.quit)
	<-t.done
}

func (t *Live) enter(p live.Phase) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.phase = p
}

// state is the run now.
func (t *Live) state() *live.State {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := &live.State{Time: clock.Now().UnixNano(), At: -1, Phase: t.phase, Name: t.name, Pausable: t.pace != nil}
	if t.err != nil {
		s.Note = outside.Sentence(t.err.Error())
	}
	if t.Run == nil {
		return s
	}
	s.Total, s.Length = t.Run.Total, t.Run.Length.Seconds()
	if t.Run.Servers != nil {
		s.Servers = t.Run.Servers()
	}
	p := t.Run.Progress.Snapshot()
	s.Sent, s.InFlight, s.Completed, s.Failed, s.HungUp, s.Tokens = p.Sent, p.InFlight, p.Completed, p.Failed, p.HungUp, p.Tokens
	s.Jobs, s.JobsEnded, s.Primed, s.Primers = p.Jobs, p.JobsEnded, p.Primed, p.Primers
	if t.phase == live.WarmingUp {
		return s
	}
	at := time.Duration(t.Run.Clock.Now())
	s.At = at.Seconds()
	switch {
	case t.phase != live.Running:
	case t.Run.Progress.Draining():
		s.Phase = live.Draining
	case t.pace.Paused():
		s.Phase = live.Paused
	}
	t.meter.Look(s, at)
	s.Left = s.Estimate(p.Done(s.Total), t.pace.Stood().Seconds())
	s.SLO = soFar(t.slo, s, t.meter)
	return s
}
