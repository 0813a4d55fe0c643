package bench

import (
	"path/filepath"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/spec"
)

// tellEvery is how often a run says how it goes.
const tellEvery = 500 * time.Millisecond

// teller makes the states of a run. A nil one tells nothing.
type teller struct {
	feed  *live.Feed
	meter *live.Meter
	clock interface{ Now() int64 }
	pace  *load.Control
	slo   slo.SLO

	quit, done chan struct{}

	mu       sync.Mutex
	phase    live.Phase
	name     string
	progress *load.Progress // nil: nothing is sent yet
	total    int
	length   time.Duration
	servers  func() []live.Server // nil: not yet
	err      error
}

// startTeller begins with the preparation. Nil: nobody listens.
func (r *Run) startTeller() *teller {
	if r.host.Live == nil {
		return nil
	}
	t := &teller{
		feed: r.host.Live, meter: live.NewMeter(), clock: r.clock, phase: live.Preparing,
		quit: make(chan struct{}), done: make(chan struct{}),
	}
	if r.RunDir != "" {
		t.name = filepath.Base(r.RunDir)
	}
	t.pace = r.host.Control
	t.slo, _ = spec.ParseSLO(r.SLO) // it was checked
	if len(t.slo) == 0 {
		t.slo, _ = spec.ParseSLO(r.GiveUp)
	}
	go t.loop()
	return t
}

func (t *teller) loop() {
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

// stop tells the last state, also of a run that failed.
func (t *teller) stop(err error) {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.err = err
	t.mu.Unlock()
	close(t.quit)
	<-t.done
}

func (t *teller) enter(p live.Phase) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.phase = p
}

// counts is where the load counts its latencies.
func (t *teller) counts() *live.Meter {
	if t == nil {
		return nil
	}
	return t.meter
}

// sending: all is prepared, and the warm-ups begin.
func (t *teller) sending(r *Run) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.phase, t.name, t.progress = live.WarmingUp, filepath.Base(r.folder), r.progress
	t.servers = r.Servers
	if t.length = r.Length(); !r.Unbounded {
		t.total = r.dataset.Len()
	}
}

// state is the run now.
func (t *teller) state() *live.State {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := &live.State{
		Time: time.Now().UnixNano(), At: -1, Phase: t.phase, Name: t.name,
		Total: t.total, Length: t.length.Seconds(), Pausable: t.pace != nil,
	}
	if t.servers != nil {
		s.Servers = t.servers()
	}
	if t.err != nil {
		s.Note = outside.Sentence(t.err.Error())
	}
	if t.progress == nil {
		return s
	}
	p := t.progress.Snapshot()
	s.Sent, s.InFlight, s.Completed, s.Failed, s.Tokens = p.Sent, p.InFlight, p.Completed, p.Failed, p.Tokens
	if t.phase == live.WarmingUp {
		return s
	}
	at := time.Duration(t.clock.Now())
	s.At = at.Seconds()
	switch {
	case t.phase != live.Running:
	case t.progress.Draining():
		s.Phase = live.Draining
	case t.pace.Paused():
		s.Phase = live.Paused
	}
	t.meter.Look(s, at)
	s.Left = s.Estimate(p.Done(s.Total), t.pace.Stood().Seconds())
	s.SLO = soFar(t.slo, s, t.meter)
	return s
}
