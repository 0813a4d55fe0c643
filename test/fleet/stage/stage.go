//go:build linux

// Package stage runs a whole fleet as processes, for the tests in test/fleet and for
// bench/fleet: the real nats-server, simulators that log the truth, agents and a leader.
// Each can have a network namespace of its own, and each can be killed, stopped or cut off.
package stage

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Stage is one fleet. Close ends all that it started.
type Stage struct {
	Program string // inferometer
	NATS    string // nats-server
	Dir     string // all files of it
	// Nice is the priority of its processes, as nice(1) has it: below 0, which needs root, they come
	// before what else runs on a shared machine.
	Nice int

	net     *network // nil: all are on the loopback
	closing []func()
}

// New makes a stage in a folder of its own.
func New(program, nats, dir string) *Stage { return &Stage{Program: program, NATS: nats, Dir: dir} }

// Close ends all processes, the last one first, and takes the networks down.
func (s *Stage) Close() {
	for i := len(s.closing) - 1; i >= 0; i-- {
		s.closing[i]()
	}
	s.closing = nil
}

// NATSProgram finds nats-server: the environment names it, or it is in the cache.
func NATSProgram() (string, error) {
	if path := os.Getenv("INFEROMETER_NATS"); path != "" {
		return path, nil
	}
	cache, err := os.UserCacheDir()
	if err == nil {
		if found, _ := filepath.Glob(filepath.Join(cache, "inferometer", "nats-v*", "nats-server")); len(found) > 0 {
			return found[len(found)-1], nil
		}
	}
	return "", errors.New("INFEROMETER_NATS names no nats-server: scripts/nats-server.sh builds one")
}

// Process is one program of the stage. What it prints is kept in a file.
type Process struct {
	Name string
	Log  string
	cmd  *exec.Cmd
	from int           // where its lines begin in the log, which those of its name before it wrote too
	done chan struct{} // closed when it has ended
}

// Start runs a program in a namespace (nil: in ours) until the stage closes.
func (s *Stage) Start(name string, where *Host, args ...string) (*Process, error) {
	return s.startIn(s.Dir, name, where, args...)
}

func (s *Stage) startIn(dir, name string, where *Host, args ...string) (*Process, error) {
	p := &Process{Name: name, Log: filepath.Join(s.Dir, name+".log"), done: make(chan struct{})}
	all := append(s.within(where), args...)
	p.cmd = exec.Command(all[0], all[1:]...)
	p.cmd.Dir = dir
	p.cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(s.Dir, "state", name), "GOMAXPROCS=")
	// A Ctrl-C for the test is not one for it.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	log, err := os.OpenFile(p.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p.from = len(p.Said())
	p.cmd.Stdout, p.cmd.Stderr = log, log
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() {
		_ = p.cmd.Wait() // its state is read by who asks
		close(p.done)
	}()
	s.closing = append(s.closing, p.Kill)
	return p, nil
}

// within is what a command is run by.
func (s *Stage) within(where *Host) []string {
	if s.Nice == 0 {
		return where.inside()
	}
	return append([]string{"nice", "-n", strconv.Itoa(s.Nice)}, where.inside()...)
}

// PID is its process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Kill ends it at once, as a crash does, and waits for that.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // gone already, or stopped: both are fine
	<-p.done
}

// Signal sends one.
func (p *Process) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// Freeze stops it, as SIGSTOP does.
func (p *Process) Freeze() { _ = p.Signal(syscall.SIGSTOP) }

// Thaw lets it go on.
func (p *Process) Thaw() { _ = p.Signal(syscall.SIGCONT) }

// Running says whether it has not ended.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Wait waits for its end and gives its exit code; -1: it did not end in time, or by a signal.
func (p *Process) Wait(patience time.Duration) int {
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		return -1
	}
}

// CPU is what it has used once it has ended, user and system.
func (p *Process) CPU() time.Duration {
	<-p.done
	return p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
}

// Said is all that it has printed, and those of its name before it.
func (p *Process) Said() string {
	b, err := os.ReadFile(p.Log)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// Await waits until it has printed a text.
func (p *Process) Await(text string, patience time.Duration) error {
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) { // another process tells nothing else
		switch {
		case strings.Contains(p.Said()[p.from:], text):
			return nil
		case !p.Running():
			return fmt.Errorf("%s ended before it said %q:\n%s", p.Name, text, p.Said())
		case time.Now().After(deadline):
			return fmt.Errorf("%s did not say %q in %v:\n%s", p.Name, text, patience, p.Said())
		}
	}
}

// Usage is what a running process has used so far, and its resident memory.
func (p *Process) Usage() (cpu time.Duration, rss int64) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID()))
	if err != nil {
		return 0, 0
	}
	// After the name in parentheses: user and system time are its fields 12 and 13, the resident pages 22.
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	n := func(i int) int64 {
		v, _ := strconv.ParseInt(string(fields[i]), 10, 64)
		return v
	}
	const tick = 10 * time.Millisecond // USER_HZ is 100 on every Linux
	return time.Duration(n(11)+n(12)) * tick, n(21) * int64(os.Getpagesize())
}

// FreePort is one that nothing is listening on now.
func FreePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
