//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Sandbox runs programs, several at a time.
type Sandbox struct {
	python *python
	limits Limits
	// unfiltered leaves the filter of system calls out: the tests look at the namespaces alone.
	unfiltered bool
	// started is told the first process of each sandbox, where a test looks for what is left of it.
	started func(pid int)
}

// order is what the two processes of a sandbox are told.
type order struct {
	Mounts     []mount  `json:"mounts"`
	Arguments  []string `json:"arguments"`
	Memory     int64    `json:"memory"`
	Seconds    int64    `json:"seconds"` // of processor time
	Nobody     bool     `json:"nobody"`  // there is a user to change to
	Unfiltered bool     `json:"unfiltered,omitempty"`
}

// report is what the first process tells of the program's end.
type report struct {
	Missing string `json:"missing,omitempty"` // why there is no sandbox
	Signal  int    `json:"signal,omitempty"`
	Status  int    `json:"status,omitempty"`
	CPU     int64  `json:"cpu,omitempty"` // nanoseconds
}

// nobody is who a program is where we are root.
const nobody = 65534

// environment is all that a program sees of one. The seed of hashes is fixed, so that a
// program has the same verdict each time.
var environment = []string{"PATH=/nonexistent", "HOME=/tmp", "LANG=C.UTF-8", "PYTHONUTF8=1", "PYTHONHASHSEED=0", "OPENBLAS_NUM_THREADS=1"}

// Run runs a program and says what became of it. An error is the sandbox's own, or the end of ctx.
func (s *Sandbox) Run(ctx context.Context, program string) (Result, error) {
	if len(program) > MostProgram {
		return Result{How: Failed, Detail: fmt.Sprintf("the program is longer than %d bytes", MostProgram)}, nil
	}
	token := rand.Text()
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, s.limits.Time)
	defer cancel()
	limited, tooMuch := context.WithCancelCause(limited)
	defer tooMuch(nil)
	b, err := s.start(limited, token+"\n"+program)
	if err != nil {
		return Result{}, err
	}
	weighed := make(chan struct{})
	go func() { defer close(weighed); weigh(limited, b.command.Process.Pid, s.limits.Memory, tooMuch) }()
	if s.started != nil {
		s.started(b.command.Process.Pid)
	}
	said, proof := b.wait()
	why := context.Cause(limited)
	tooMuch(nil)
	<-weighed
	result := Result{Output: string(b.output.kept), Took: time.Since(began)}
	switch {
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case said.Missing != "":
		return Result{}, fmt.Errorf("%w: %s", ErrMissing, said.Missing)
	case proof == token:
		result.Passed = true
	case errors.Is(why, errHeld):
		result.How, result.Detail = Memory, s.limits.tooMuch()
	case why != nil:
		result.How, result.Detail = Timeout, fmt.Sprintf("it took longer than %v", s.limits.Time)
	default:
		s.judge(&result, said)
	}
	return result, nil
}

// judge says how a program failed that ended by itself.
func (s *Sandbox) judge(r *Result, said report) {
	r.How, r.Detail = Failed, lastLine(r.Output)
	switch {
	case said.Signal == int(unix.SIGXCPU), said.Signal == int(unix.SIGKILL) && said.CPU >= int64(s.limits.Time):
		r.How, r.Detail = Timeout, fmt.Sprintf("it took longer than %v of processor time", s.limits.Time)
	case said.Signal != 0:
		r.How, r.Detail = Killed, "by "+unix.SignalName(unix.Signal(said.Signal))
	case said.Status == exitMemory:
		r.How, r.Detail = Memory, s.limits.tooMuch()
	case said.Status == exitSyntax:
		r.How = Syntax
	case said.Status == exitLeft:
		r.Detail = "it left (SystemExit) before its test was over"
	case said.Status == 0:
		r.Detail = "it ended before its test was over"
	}
}

// box is a sandbox at work.
type box struct {
	command  *exec.Cmd
	output   *tail
	lifeline *os.File // its end ends the sandbox, also where we are killed
	said     *os.File
	proof    *os.File
}

func (s *Sandbox) start(ctx context.Context, input string) (*box, error) {
	told, err := json.Marshal(s.order())
	if err != nil {
		return nil, err
	}
	var pipes pipes
	defer pipes.closeTheirs()
	lifeline, theirLifeline := pipes.open(true)
	said, theirSaid := pipes.open(false)
	proof, theirProof := pipes.open(false)
	if pipes.err != nil {
		pipes.closeOurs()
		return nil, fmt.Errorf("make a pipe: %w", pipes.err)
	}
	b := &box{output: &tail{most: s.limits.Output}, lifeline: lifeline, said: said, proof: proof}
	b.command = exec.CommandContext(ctx, "/proc/self/exe", Command, stageFirst, string(told))
	b.command.Args[0] = "inferometer" // what a test's program looks at, to know that it is ours
	b.command.Env = []string{"GOMAXPROCS=1"}
	b.command.Dir = "/"
	b.command.Stdin = strings.NewReader(input)
	b.command.Stdout, b.command.Stderr = b.output, b.output
	b.command.ExtraFiles = []*os.File{theirLifeline, theirSaid, theirProof}
	b.command.WaitDelay = time.Second
	b.command.SysProcAttr = namespaces()
	if err := b.command.Start(); err != nil {
		pipes.closeOurs()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%w: %s", ErrMissing, explainStart(err))
	}
	return b, nil
}

func (s *Sandbox) order() *order {
	return &order{
		Mounts: s.python.mounts, Arguments: []string{s.python.path, "-s", "-B", "-c", runner},
		Memory: s.limits.Memory, Seconds: int64((s.limits.Time+time.Second-1)/time.Second) + 1,
		Nobody: os.Geteuid() == 0, Unfiltered: s.unfiltered,
	}
}

// namespaces are those that the first process is born into. Root has a user namespace too:
// its rights in there are none outside.
func namespaces() *syscall.SysProcAttr {
	uid, gid := os.Geteuid(), os.Getegid()
	a := &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP,
		Setsid:      true, // no terminal
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: gid, Size: 1}},
	}
	if uid == 0 {
		other := syscall.SysProcIDMap{ContainerID: nobody, HostID: nobody, Size: 1}
		a.UidMappings, a.GidMappings = append(a.UidMappings, other), append(a.GidMappings, other)
		a.GidMappingsEnableSetgroups = true
	}
	return a
}

// wait waits for the end of all processes of the sandbox.
func (b *box) wait() (said report, proof string) {
	proved := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(io.LimitReader(b.proof, 64))
		_ = b.proof.Close() // whoever writes more gets an error
		proved <- string(text)
	}()
	text, _ := io.ReadAll(io.LimitReader(b.said, 64<<10))
	_ = b.said.Close()
	err := b.command.Wait() // the kernel has ended all others before this returns
	_ = b.lifeline.Close()
	proof = <-proved
	if json.NewDecoder(bytes.NewReader(text)).Decode(&said) == nil { // the first of its reports
		return said, proof
	}
	said = report{Signal: int(unix.SIGKILL)} // at the limit of time, which the caller knows, or by somebody else
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !exit.Sys().(syscall.WaitStatus).Signaled() {
		said = report{Missing: "its first process ended without a word: " + lastLine(string(b.output.kept))}
	}
	return said, proof
}

// pipes are made together and closed together.
type pipes struct {
	ours, theirs []*os.File
	err          error
}

// open makes a pipe that we write to, or read from.
func (p *pipes) open(write bool) (ours, theirs *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		p.err = errors.Join(p.err, err)
		return nil, nil
	}
	ours, theirs = r, w
	if write {
		ours, theirs = w, r
	}
	p.ours, p.theirs = append(p.ours, ours), append(p.theirs, theirs)
	return ours, theirs
}

func (p *pipes) closeOurs()   { closeAll(p.ours) }
func (p *pipes) closeTheirs() { closeAll(p.theirs) }

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // nothing is lost with a pipe
	}
}

// explainStart says what the kernel refused, and what to do.
func explainStart(err error) string {
	switch {
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EUSERS):
		return "the kernel gives no more user namespaces (sysctl user.max_user_namespaces is 0 or reached)"
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return "the kernel refuses namespaces to this process (" + err.Error() + "): in a container they have to be allowed (docker run --privileged, or a seccomp profile that lets unshare through); elsewhere look at sysctl kernel.unprivileged_userns_clone and kernel.apparmor_restrict_unprivileged_userns"
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS):
		return "this kernel has not all of the namespaces that are needed (" + err.Error() + "): user, mount, pid, net, ipc, uts and cgroup"
	}
	return err.Error()
}
