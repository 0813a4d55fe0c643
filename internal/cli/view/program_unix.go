//go:build unix

package view

import (
	"errors"
	"fmt"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// framesPerSecond bounds how often the terminal is written to.
const framesPerSecond = 10

// opened is a view that has the terminal.
type opened struct {
	program *tea.Program
	restore func() error // the terminal's mode
	keys    *keyReader
	ended   chan struct{}
	err     error // why the program ended by itself
}

// open takes the terminal. The keyboard stays in a mode in which Ctrl-C and Ctrl-Z are signals,
// as without a view, and keys are read by us: bubbletea would take all keys, and ask the
// terminal for modes that stay where we are killed.
func (s *Screen) open(t *terminal) (*opened, error) {
	o := &opened{ended: make(chan struct{})}
	var err error
	if o.restore, err = t.cbreak(); err != nil {
		return nil, err
	}
	if o.keys, err = readKeys(t.in, s.key); err != nil {
		return nil, errors.Join(err, o.restore())
	}
	ignoreBackground()
	for _, h := range s.held {
		h.Hold(s.say)
	}
	o.program = tea.NewProgram(&drawing{screen: s}, tea.WithInput(nil), tea.WithOutput(t.out),
		tea.WithoutSignalHandler(), tea.WithFPS(framesPerSecond), tea.WithEnvironment(os.Environ()))
	go func() {
		defer close(o.ended)
		_, o.err = o.program.Run()
	}()
	return o, nil
}

// over is closed when the program has ended.
func (o *opened) over() <-chan struct{} {
	if o == nil {
		return nil
	}
	return o.ended
}

func (o *opened) draw() {
	if o != nil {
		o.program.Send(redraw{})
	}
}

// leave gives the terminal back as it was.
func (o *opened) leave(s *Screen) {
	if o == nil {
		return
	}
	o.program.Quit()
	<-o.ended
	o.keys.Close()
	err := errors.Join(o.err, o.restore())
	heedBackground()
	for _, h := range s.held {
		if e := h.Release(); e == nil && err != nil {
			fmt.Fprintf(h, "the live view ended: %v\n", err)
			err = nil
		}
	}
}

// redraw asks for a new frame.
type redraw struct{}

// drawing is the view as bubbletea knows it.
type drawing struct {
	screen        *Screen
	width, height int
}

func (d *drawing) Init() tea.Cmd { return nil }

func (d *drawing) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if size, ok := msg.(tea.WindowSizeMsg); ok {
		d.width, d.height = size.Width, size.Height
	}
	return d, nil
}

// View is drawn on the alternate screen: what was on the terminal comes back when it ends, and
// the result follows there.
func (d *drawing) View() tea.View {
	v := tea.NewView(strings.Join(d.screen.lines(d.width, d.height), "\n"))
	v.AltScreen, v.DisableBracketedPasteMode = true, true
	return v
}
