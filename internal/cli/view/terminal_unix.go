//go:build unix

package view

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"

	"github.com/inferometer/inferometer/internal/cli/command"
)

// terminal is one that can show the view.
type terminal struct {
	out *os.File // drawn on
	in  *os.File // keys come from it

	ours func() bool // instead of foreground, in tests
}

// openTerminal is the terminal behind a stream; nil: it can't show the view, and why.
func openTerminal(w io.Writer) (t *terminal, why string) {
	out := command.File(w)
	if out == nil || !term.IsTerminal(out.Fd()) {
		return nil, "standard error is no terminal"
	}
	if name := os.Getenv("TERM"); name == "" || name == "dumb" {
		return nil, fmt.Sprintf("the terminal can't move its cursor (TERM is %q)", name)
	}
	width, height, err := term.GetSize(out.Fd())
	if err != nil || width < MinWidth || height < MinHeight {
		return nil, fmt.Sprintf("the terminal is %d×%d, and the view needs %d×%d", width, height, MinWidth, MinHeight)
	}
	t = &terminal{out: out}
	if t.in, err = keyboard(); err != nil {
		return nil, fmt.Sprintf("no key can be read: %v", err)
	}
	if !t.foreground() {
		t.Close()
		return nil, "we are in the background"
	}
	return t, ""
}

// keyboard is where keys come from, whatever standard input is.
func keyboard() (*os.File, error) {
	f, err := os.OpenFile("/dev/tty", os.O_RDONLY, 0)
	if err == nil {
		return f, nil
	}
	if term.IsTerminal(os.Stdin.Fd()) {
		return os.Stdin, nil
	}
	return nil, err
}

func (t *terminal) Close() {
	if t.in != os.Stdin {
		t.in.Close()
	}
}

// foreground says that the terminal is ours now: its keys are meant for us.
func (t *terminal) foreground() bool {
	if t.ours != nil {
		return t.ours()
	}
	group, err := unix.IoctlGetInt(int(t.in.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// cbreak gives us each key as it is pressed, and shows none. Ctrl-C and Ctrl-Z stay signals,
// so that they do what they do without a view; Ctrl-S must not hold up the drawing.
func (t *terminal) cbreak() (restore func() error, err error) {
	old, err := term.GetState(t.in.Fd())
	if err != nil {
		return nil, fmt.Errorf("read the terminal's mode: %w", err)
	}
	now := *old
	now.Lflag &^= unix.ICANON | unix.ECHO
	now.Iflag &^= unix.IXON
	now.Cc[unix.VMIN], now.Cc[unix.VTIME] = 1, 0
	if err := term.SetState(t.in.Fd(), &now); err != nil {
		return nil, fmt.Errorf("set the terminal's mode: %w", err)
	}
	return func() error {
		if !t.foreground() {
			return nil // the mode is another program's now
		}
		err := term.Restore(t.in.Fd(), old)
		if errors.Is(err, unix.EIO) {
			return nil // the terminal has gone
		}
		return err
	}, nil
}

// A process in the background is stopped when it reads a key or sets a mode. While the view is
// open that must not happen: the load would stop with it. Then the read fails instead.
func ignoreBackground() { signal.Ignore(syscall.SIGTTIN, syscall.SIGTTOU) }
func heedBackground()   { signal.Reset(syscall.SIGTTIN, syscall.SIGTTOU) }

// suspends tells of each Ctrl-Z.
func suspends() (told <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	if signal.Ignored(syscall.SIGTSTP) {
		return c, func() {}
	}
	signal.Notify(c, syscall.SIGTSTP)
	return c, func() { signal.Stop(c) }
}

// suspendSelf stops this process until it is told to go on.
func suspendSelf() { _ = unix.Kill(os.Getpid(), unix.SIGSTOP) }
