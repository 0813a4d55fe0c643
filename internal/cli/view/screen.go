package view

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/load"
)

// Screen is the view on a terminal. A nil Screen shows nothing: its methods may be called all
// the same.
type Screen struct {
	held    []*command.Held
	asks    chan struct{} // to stop; see command.Interrupts
	dirty   chan struct{} // something is to be drawn
	closing chan struct{}
	done    chan struct{} // nothing is drawn any more
	begin   func()        // once
	end     func()        // once
	watch   func()        // once

	feed    live.Feed    // of children
	control load.Control // of children

	mu     sync.Mutex
	model  Model
	paused bool
	pause  func(on bool) // nil: what runs can't be paused
}

// Asks has a value for each time that the user wants what runs to stop.
func (s *Screen) Asks() <-chan struct{} {
	if s == nil {
		return nil
	}
	return s.asks
}

// Close gives the terminal back, and writes what was kept for it. Whoever calls it again
// waits for that too.
func (s *Screen) Close() {
	if s != nil {
		s.end()
	}
}

// See shows a state. It is for live.Feed.Listen.
func (s *Screen) See(state *live.State) {
	if s == nil {
		return
	}
	s.mu.Lock()
	same := s.model.state != nil && s.model.state.Phase == state.Phase
	s.model.See(state, time.Now())
	s.mu.Unlock()
	if !same { // else it is drawn with the next second
		s.redraw()
	}
	if state.Phase != live.Preparing && state.Phase != live.Ended {
		s.begin()
	}
}

// Plan shows what is to be run; see Model.Plan.
func (s *Screen) Plan(points []Point, open bool) {
	if s != nil {
		s.change(func(m *Model) { m.Plan(points, open) })
	}
}

// Point shows how far a point of the plan is. With the next that begins the numbers of the
// last one go.
func (s *Screen) Point(p Point) {
	if s == nil {
		return
	}
	if p.Phase == Starting || p.Phase == Running {
		p.Since = time.Now()
	}
	s.change(func(m *Model) {
		if p.Phase == Starting || p.Phase == Running {
			m.Forget()
		}
		m.Point(p)
	})
	s.begin()
}

// Pauses says what pauses the pace and lets it go on; nil: nothing does.
func (s *Screen) Pauses(pause func(on bool)) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pause, s.paused = pause, false
}

// Line is where a plan says how far it is: beside the view only what stays is written, without
// one it is as --progress says.
func (s *Screen) Line(w io.Writer, progress string) *command.Line {
	switch {
	case s != nil:
		return command.NewStaying(w)
	case progress == None:
		return command.NewLine(io.Discard)
	case progress == Plain:
		return command.NewPlain(w)
	}
	return command.NewLine(w)
}

// Interrupts are command.Interrupts, with the view's keys. When all is cancelled the view
// closes, since the next Ctrl-C kills; stop closes it too.
func (s *Screen) Interrupts(ctx context.Context, w io.Writer) (running context.Context, drain <-chan struct{}, stop func()) {
	running, drain, stopInterrupts := command.Interrupts(ctx, w, s.Asks())
	stopClosing := context.AfterFunc(running, s.Close)
	return running, drain, func() {
		stopClosing()
		s.Close()
		stopInterrupts()
	}
}

// Children has the view show runs of processes of our own, and its keys pause them: both are
// for bench.Child. Without a view they are nil.
func (s *Screen) Children() (*live.Feed, *load.Control) {
	if s == nil {
		return nil, nil
	}
	s.watch()
	s.Pauses(s.control.Pause)
	return &s.feed, &s.control
}

// change changes what is shown.
func (s *Screen) change(do func(*Model)) {
	s.mu.Lock()
	do(&s.model)
	s.mu.Unlock()
	s.redraw()
}

// redraw has the screen drawn at once.
func (s *Screen) redraw() {
	select {
	case s.dirty <- struct{}{}:
	default:
	}
}

func (s *Screen) say(line string) { s.change(func(m *Model) { m.Say(line) }) }

// lines are the view at a size, now.
func (s *Screen) lines(width, height int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.model.Lines(width, height, time.Now())
}

// key is a key that stands for a character.
type key byte

// key does what a key asks for.
func (s *Screen) key(k key) {
	switch k {
	case 'q', 'Q':
		select {
		case s.asks <- struct{}{}:
		default: // it is asked for already
		}
	case 'p', 'P':
		s.togglePause()
	case '?', 'h':
		s.change(func(m *Model) { m.Help = !m.Help })
	}
}

func (s *Screen) togglePause() {
	s.mu.Lock()
	pause := s.pause
	if pause != nil {
		s.paused = !s.paused
	}
	on := s.paused
	s.mu.Unlock()
	if pause == nil {
		s.say("this run can't be paused")
		return
	}
	pause(on)
}
