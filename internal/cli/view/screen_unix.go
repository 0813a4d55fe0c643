//go:build unix

package view

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/cli/command"
)

// openAfter is how long a run goes on before the view opens: one that is over at once shows
// its result and nothing else.
const openAfter = time.Second

// drawEvery is how often numbers are drawn. States come twice as often, but the drawing is
// most of what the view costs.
const drawEvery = time.Second

// New readies a view of what a command does, and puts it in front of the command's streams:
// what is written to them while the view is open follows after it. nil: there is none, and why.
func New(s *command.Streams, progress, title string) (screen *Screen, why string) {
	if progress != Auto && progress != Live {
		return nil, ""
	}
	t, why := openTerminal(s.Err)
	if t == nil {
		return nil, why
	}
	screen = newScreen(t, title, command.Colored(s.Err))
	s.Err = screen.hold(s.Err)
	if command.IsTerminal(s.Out) {
		s.Out = screen.hold(s.Out)
	}
	return screen, ""
}

// hold puts the view in front of a stream.
func (s *Screen) hold(w io.Writer) *command.Held {
	h, ok := w.(*command.Held)
	if !ok {
		h = command.NewHeld(w)
	}
	s.held = append(s.held, h)
	return h
}

func newScreen(t *terminal, title string, color bool) *Screen {
	s := &Screen{
		asks: make(chan struct{}, 2), dirty: make(chan struct{}, 1),
		closing: make(chan struct{}), done: make(chan struct{}), model: Model{Title: title, Color: color},
	}
	s.watch = sync.OnceFunc(func() { s.feed.Listen(s.See) })
	s.begin = sync.OnceFunc(func() { go s.loop(t) })
	s.end = sync.OnceFunc(func() {
		close(s.closing)
		s.begin() // a loop that was never begun ends at once
		<-s.done
		t.Close()
	})
	return s
}

// loop opens the view and draws until it is closed. The terminal is left for a while when the
// user suspends us (Ctrl-Z), until we are in the foreground again.
func (s *Screen) loop(t *terminal) {
	defer close(s.done)
	select {
	case <-time.After(openAfter):
	case <-s.closing:
		return
	}
	suspend, stop := suspends()
	defer stop()
	tick := time.NewTicker(drawEvery)
	defer tick.Stop()
	var o *opened
	defer func() { o.leave(s) }()
	for {
		if o == nil && t.foreground() {
			var err error
			if o, err = s.open(t); err != nil {
				s.say(fmt.Sprintf("no live view: %v", err))
				return
			}
		}
		select {
		case <-s.dirty:
		case <-tick.C:
		case <-o.over():
			return // it ended by itself: what is left of the run goes on without a view
		case <-suspend:
			o.leave(s)
			o = nil
			suspendSelf()
		case <-s.closing:
			return
		}
		o.draw()
	}
}
