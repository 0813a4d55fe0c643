package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/inferometer/inferometer/internal/outside"
)

// Command is how a server is started.
type Command struct {
	Args    []string      // the program and its arguments
	Env     []string      // KEY=VALUE, added to our own environment
	Dir     string        // empty: ours
	Log     string        // file for its standard output and error; it is appended to
	PIDFile string        // where to note what was started, for EndLeftover; empty: nowhere
	Grace   time.Duration // between SIGTERM and SIGKILL; 0: DefaultGrace
	Files   []*os.File    // it has them open
	FilesIn string        // the variable in which it finds their numbers, with commas
}

// DefaultGrace is the time that a server gets to end by itself.
const DefaultGrace = 10 * time.Second

// Process is a server that we started, with all that it starts in a group that ends with us.
//
// A server that leaves its group (a daemon, a container) is out of reach; Left tells.
type Process struct {
	cmd     *exec.Cmd
	group   *group
	pidFile string
	log     string
	logFrom int64 // where the log of this start begins
	grace   time.Duration
	started time.Time
	exited  chan struct{}
	err     error     // how it ended; this and the next are set before exited is closed
	ended   time.Time // when we knew
	halted  atomic.Bool
	mark    string  // in the environment of all of them
	strays  []Stray // known after Stop
	held    bool    // so is this: somebody is left that can't be named
	stop    sync.Once
}

// Start starts a server and returns at once; Ready waits for it.
func Start(c Command) (*Process, error) {
	if len(c.Args) == 0 {
		return nil, errors.New("there is no command to start")
	}
	p := &Process{pidFile: c.PIDFile, log: c.Log, grace: c.Grace, exited: make(chan struct{})}
	if p.grace <= 0 {
		p.grace = DefaultGrace
	}
	log, err := os.OpenFile(c.Log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the server's log: %w", err)
	}
	defer log.Close() // the server has its own copy
	if p.logFrom, err = log.Seek(0, io.SeekEnd); err != nil {
		return nil, fmt.Errorf("open the server's log: %w", err)
	}
	if p.group, err = newGroup(p.grace); err != nil {
		return nil, err
	}
	p.cmd = newCommand(context.Background(), c.Args)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = c.Dir, log, log
	p.mark = newMark()
	p.cmd.Env = append(append(p.cmd.Environ(), c.Env...), p.mark)
	p.started = time.Now()
	if err := p.group.start(p.cmd, c.Files, c.FilesIn); err != nil {
		p.group.end()
		return nil, fmt.Errorf("start the server: %w", err)
	}
	go func() {
		p.err, p.ended = p.cmd.Wait(), time.Now()
		close(p.exited)
	}()
	if err := p.note(); err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

// PID is the server's first process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Log is the file with the server's standard output and error.
func (p *Process) Log() string { return p.log }

// Exited is closed when the server's first process has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Err is how the first process ended, nil for exit code 0. It is known after Exited.
func (p *Process) Err() error { return p.err }

// Interrupt is one Ctrl-C for the first process alone.
func (p *Process) Interrupt() { interrupt(p.cmd) }

// Stop ends the server and all that it started: SIGTERM (Ctrl-Break on Windows), the
// grace, SIGKILL. It may be called more than once and returns when all is over.
func (p *Process) Stop() {
	p.stop.Do(func() {
		_ = p.Continue() // or it would not hear
		if p.group.ask() {
			p.group.wait(p.grace)
		}
		p.finish() // and whatever is left of it
	})
}

// Kill ends the server and all that it started at once, as a crash would.
func (p *Process) Kill() { p.stop.Do(p.finish) }

func (p *Process) finish() {
	p.group.end()
	<-p.exited
	p.findStrays()
	if p.pidFile != "" {
		_ = os.Remove(p.pidFile) // a stale one is recognised
	}
}

// Ask asks the server and all that it started to end by themselves (SIGTERM), and waits for it as long as ctx lets it.
// Stop is needed all the same.
func (p *Process) Ask(ctx context.Context) error {
	if err := p.Continue(); err != nil {
		return err
	}
	if !p.group.ask() {
		return errors.New("it could not be asked to end")
	}
	select {
	case <-p.exited:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case <-p.group.over():
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// Halt stops the server and all that it started where they are (SIGSTOP): they keep their sockets and answer nothing.
// Our watcher of them goes on.
func (p *Process) Halt() error {
	p.halted.Store(true)
	return p.group.halt()
}

// Continue lets those go on that were halted.
func (p *Process) Continue() error {
	if !p.halted.Swap(false) {
		return nil
	}
	return p.group.resume()
}

// EndedAt is when the first process ended. It is known after Exited.
func (p *Process) EndedAt() time.Time { return p.ended }

// Wait waits for the end of the first process.
func (p *Process) Wait() { <-p.exited }

// Ended says how a server ended that should have lived. It is known after Exited.
func (p *Process) Ended() error {
	how := "with exit code 0"
	if p.err != nil {
		how = p.err.Error()
	}
	return fmt.Errorf("the server ended by itself (%s)%s", how, p.logHint())
}

// logHint is the end of the log, for an error's text.
func (p *Process) logHint() string {
	tail := p.Tail(10)
	if tail == "" {
		return "; its log is empty: " + p.log
	}
	return "; its log " + p.log + " ends with\n" + tail
}

// Tail gives the last lines of this start's log.
func (p *Process) Tail(lines int) string {
	f, err := os.Open(p.log)
	if err != nil {
		return ""
	}
	defer f.Close()
	const most = 8 << 10
	from := p.logFrom
	if at, err := f.Seek(0, io.SeekEnd); err == nil {
		from = max(from, at-most)
	}
	b, err := io.ReadAll(io.NewSectionReader(f, from, most))
	if err != nil {
		return ""
	}
	all := strings.Split(strings.TrimSpace(string(b)), "\n")
	return outside.Lines(strings.Join(all[max(0, len(all)-lines):], "\n"), outside.MaxSentence)
}

// Version runs a command that tells a program's version and gives the first line
// of what it prints. Some programs print it to standard error.
func Version(ctx context.Context, c Command) (string, error) {
	if len(c.Args) == 0 {
		return "", errors.New("there is no command for the version")
	}
	cmd := newCommand(ctx, c.Args)
	cmd.Dir, cmd.WaitDelay = c.Dir, time.Second
	cmd.Env = append(cmd.Environ(), c.Env...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("read the version with %s: %w", strings.Join(c.Args, " "), err)
	}
	for _, text := range []string{out.String(), errs.String()} {
		if line, _, _ := strings.Cut(strings.TrimSpace(text), "\n"); line != "" {
			return outside.Word(line), nil
		}
	}
	return "", fmt.Errorf("%s prints nothing", strings.Join(c.Args, " "))
}
