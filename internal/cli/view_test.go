package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"github.com/hinshun/vt10x"

	"github.com/inferometer/inferometer/internal/cli/command"
)

// viewed is a command of ours on a terminal of its own.
type viewed struct {
	cmd    *exec.Cmd
	master *os.File
	tty    *os.File // kept open, so that its mode can be asked for at the end
	mode   *term.State
	screen vt10x.Terminal

	mu   sync.Mutex
	sent bytes.Buffer // all that the terminal got
	more chan struct{}
	read chan struct{}
}

// onTerminal starts a command on a new terminal.
func onTerminal(t *testing.T, columns, rows int, env []string, name string, args ...string) *viewed {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	v := &viewed{master: master, tty: tty, screen: vt10x.New(vt10x.WithSize(columns, rows)), more: make(chan struct{}), read: make(chan struct{})}
	v.resize(t, columns, rows)
	if v.mode, err = term.GetState(tty.Fd()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	v.cmd = exec.CommandContext(ctx, name, args...)
	v.cmd.Stdin, v.cmd.Stdout, v.cmd.Stderr = tty, tty, tty
	v.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	v.cmd.Env = append(append(os.Environ(), "TERM=xterm-256color", "XDG_STATE_HOME="+t.TempDir(), "SSH_TTY=x"), env...)
	if err := v.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { defer close(v.read); _, _ = io.Copy(v, master) }()
	t.Cleanup(func() {
		_ = v.cmd.Process.Kill()
		tty.Close()
		master.Close()
		<-v.read
	})
	return v
}

func (v *viewed) Write(b []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.sent.Write(b)
	_, err := v.screen.Write(b)
	close(v.more)
	v.more = make(chan struct{})
	return len(b), err
}

func (v *viewed) resize(t *testing.T, columns, rows int) {
	t.Helper()
	v.mu.Lock()
	v.screen.Resize(columns, rows)
	v.mu.Unlock()
	if err := pty.Setsize(v.master, &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)}); err != nil {
		t.Fatal(err)
	}
}

func (v *viewed) press(t *testing.T, keys string) {
	t.Helper()
	if _, err := v.master.WriteString(keys); err != nil {
		t.Fatal(err)
	}
}

// wait waits for a screen on which all words stand.
func (v *viewed) wait(t *testing.T, words ...string) string {
	t.Helper()
	timeout := time.After(patience)
	for {
		v.mu.Lock()
		text, more := v.screen.String(), v.more
		v.mu.Unlock()
		missing := ""
		for _, word := range words {
			if !strings.Contains(text, word) {
				missing = word
			}
		}
		if missing == "" {
			return text
		}
		select {
		case <-more:
		case <-timeout:
			t.Fatalf("%q never stood on the screen:\n%s", missing, text)
		}
	}
}

// end waits until the command has ended, and checks that the terminal is as it was. The text
// is all that came after the view, or all that there was.
func (v *viewed) end(t *testing.T) (text string, code int) {
	t.Helper()
	err := v.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	mark := "the end\n" // all that came before it has been read too
	if _, err := v.tty.WriteString(mark); err != nil {
		t.Fatal(err)
	}
	v.wait(t, "the end")
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.screen.Mode()&vt10x.ModeAltScreen != 0 || !v.screen.CursorVisible() {
		t.Errorf("the terminal is left with another screen or without its cursor")
	}
	now, err := term.GetState(v.tty.Fd())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(v.mode.Termios, now.Termios); diff != "" {
		t.Errorf("the terminal's mode is left changed: %s", diff)
	}
	text = v.sent.String()
	if i := strings.LastIndex(text, leaveAlternate); i >= 0 {
		text = text[i:]
	}
	return text, v.cmd.ProcessState.ExitCode()
}

const (
	enterAlternate = "\x1b[?1049h"
	leaveAlternate = "\x1b[?1049l"
)

func simFor(t *testing.T, args ...string) string {
	t.Helper()
	sim, err := startSim(exec.Command(program(t), append([]string{"sim", "--listen", "127.0.0.1:0"}, args...)...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sim.stop() })
	return sim.url
}

func benchServe(url string, args ...string) []string {
	return append([]string{"bench", "serve", "--base-url", url, "--random-input-len", "32", "--random-output-len", "16", "--request-rate", "20"}, args...)
}

// The view as a user sees it: its numbers, its keys, another size, and a clean end.
func TestRealViewOfARun(t *testing.T) {
	url := simFor(t, "--fault", "http-500=0.2")
	for _, size := range [][2]int{{80, 24}, {200, 50}} {
		v := onTerminal(t, size[0], size[1], nil, program(t), benchServe(url, "--duration", "90s", "--run-dir", filepath.Join(t.TempDir(), "run"))...)
		text := v.wait(t, "running", "tokens/s", "TTFT p99", "complete", "first error", "q stop")
		lines := strings.Split(text, "\n")
		if !strings.Contains(lines[0], "inferometer bench serve "+url) || !strings.Contains(lines[size[1]-1], "? help") {
			t.Errorf("at %v the first and last line are %q, %q", size, lines[0], lines[size[1]-1])
		}
		v.press(t, "?")
		v.wait(t, "Keys", "? back to the run")
		v.press(t, "?")
		v.wait(t, "q stop")
		v.press(t, "p")
		v.wait(t, "paused", "p go on")
		v.press(t, "p")
		v.wait(t, "running", "p pause")
		v.resize(t, 100, 30)
		for lines := []string(nil); len(lines) < 30 || !strings.Contains(lines[29], "? help"); {
			lines = strings.Split(v.wait(t, "? help", "running"), "\n")
		}
		v.press(t, "q")
		text, code := v.end(t)
		if code != command.ExitPartial || !strings.Contains(text, "Serving Benchmark Result") || !strings.Contains(text, "stopping: no more requests") {
			t.Errorf("exit code %d, and after the view:\n%s", code, text)
		}
	}
}

// Ctrl-C and signals do with a view what they do without one, twice of them too.
func TestRealViewIsInterrupted(t *testing.T) {
	url := simFor(t, "--ttft", "300s")
	terminate := func(v *viewed) { _ = v.cmd.Process.Signal(syscall.SIGTERM) }
	for name, stop := range map[string]func(*viewed){
		"Ctrl-C":  func(v *viewed) { v.press(t, "\x03") },
		"SIGTERM": terminate,
		"q":       func(v *viewed) { v.press(t, "q") },
	} {
		t.Run(name, func(t *testing.T) {
			v := onTerminal(t, 80, 24, nil, program(t), benchServe(url, "--num-prompts", "2000", "--run-dir", filepath.Join(t.TempDir(), "run"))...)
			v.wait(t, "running", "q stop")
			stop(v)
			v.wait(t, "draining", "stopping: no more requests")
			stop(v)
			if text, code := v.end(t); code == command.ExitDone || !strings.Contains(text, "cancelling the requests in flight") {
				t.Errorf("exit code %d, and after the view:\n%s", code, text)
			}
		})
	}
}

// Where the view can't be, the run is shown as it was without it.
func TestNoView(t *testing.T) {
	url := simFor(t)
	for _, tt := range []struct {
		name          string
		columns, rows int
		env           []string
		progress      string
		says          string
	}{
		{"dumb", 80, 24, []string{"TERM=dumb"}, "live", "no live view: the terminal can't move its cursor"},
		{"small", 59, 24, nil, "live", "no live view: the terminal is 59×24"},
		{"small, by itself", 80, 14, nil, "auto", "in flight"},
		{"bar", 80, 24, nil, "bar", "in flight"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := onTerminal(t, tt.columns, tt.rows, tt.env, program(t), benchServe(url, "--duration", "2s", "--progress", tt.progress, "--run-dir", filepath.Join(t.TempDir(), "run"))...)
			text, _ := v.end(t)
			if strings.Contains(text, enterAlternate) || !strings.Contains(text, tt.says) || !strings.Contains(text, "Serving Benchmark Result") {
				t.Errorf("%s", text)
			}
			if tt.name == "dumb" && strings.Contains(text, "\x1b") {
				t.Errorf("a terminal without escape sequences gets %q", text)
			}
		})
	}
}

// A run in the background of a shell must not be stopped for want of the terminal.
func TestRealViewInTheBackground(t *testing.T) {
	url := simFor(t)
	script := `set -m; "$0" "$@" & wait $!; echo "ended with $?"`
	args := append([]string{"-c", script, program(t)}, benchServe(url, "--duration", "2s", "--run-dir", filepath.Join(t.TempDir(), "run"))...)
	v := onTerminal(t, 80, 24, nil, "/bin/sh", args...)
	v.press(t, "qqq") // for the shell, and not for us
	text, _ := v.end(t)
	if strings.Contains(text, enterAlternate) || !strings.Contains(text, "Serving Benchmark Result") || !strings.Contains(text, "ended with") {
		t.Errorf("%s", text)
	}
}

// Ctrl-Z gives the terminal back; the view comes again with fg.
func TestRealViewIsSuspended(t *testing.T) {
	url := simFor(t)
	v := onTerminal(t, 80, 24, nil, program(t), benchServe(url, "--duration", "60s", "--run-dir", filepath.Join(t.TempDir(), "run"))...)
	v.wait(t, "running", "q stop")
	v.press(t, "?")
	v.wait(t, "Keys")
	_ = v.cmd.Process.Signal(syscall.SIGTSTP)
	var status syscall.WaitStatus // a stop does not end the process: cmd.Wait still can
	if _, err := syscall.Wait4(v.cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("it was not suspended: %v, %v", status, err)
	}
	if _, err := v.tty.WriteString("suspended\n"); err != nil {
		t.Fatal(err)
	}
	v.wait(t, "suspended") // and so all that it wrote before has been read
	v.mu.Lock()
	if v.screen.Mode()&vt10x.ModeAltScreen != 0 {
		t.Error("a suspended view keeps the terminal")
	}
	v.mu.Unlock()
	_ = v.cmd.Process.Signal(syscall.SIGCONT)
	v.wait(t, "Keys")
	v.press(t, "q")
	if text, code := v.end(t); code != command.ExitPartial {
		t.Errorf("exit code %d: %s", code, text)
	}
}

// What is printed before the run of an address fits the terminal, and the progress line is wiped.
func TestRealAddressOnATerminal(t *testing.T) {
	v := onTerminal(t, 80, 24, nil, program(t), simFor(t, "--ttft", "5ms", "--itl", "1ms"), "--num-prompts", "4", "--random-output-len", "4", "--run-dir", filepath.Join(t.TempDir(), "run"))
	text, code := v.end(t)
	v.mu.Lock()
	before, _, _ := strings.Cut(v.sent.String(), "The same as: ")
	v.mu.Unlock()
	if code != command.ExitDone || !strings.Contains(before, "loaded first)\r\x1b[K") || !strings.Contains(before, "One request alone: ") {
		t.Fatalf("exit code %d, and before the run:\n%s\n%s", code, before, text)
	}
	for _, line := range strings.FieldsFunc(before, func(r rune) bool { return r == '\r' || r == '\n' }) {
		if n := utf8.RuneCountInString(strings.TrimPrefix(line, "\x1b[K")); n > 80 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
}
