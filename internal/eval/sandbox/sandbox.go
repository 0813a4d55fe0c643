// Package sandbox runs a Python program that a model wrote, where it can do no harm: in
// namespaces of its own without a network, without other processes and without files but
// Python's, which can't be written; under limits of time, memory, output and the rest; and
// behind a filter of system calls. Where the kernel gives no namespaces nothing is run.
//
// Our own program is started again for it, twice, by the hidden word [Command]: as the
// first process of the namespaces, whose end is the end of all others in them, and below
// it as the one that makes the new root, gives up all rights and becomes Python.
package sandbox

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/outside"
)

// Command is the hidden command of our program that a sandbox is made of; see [Main].
const Command = "sandboxed"

// Limits are what a program gets. A zero is the default.
type Limits struct {
	Time   time.Duration // on the wall clock, from the start of the sandbox
	Memory int64         // bytes of address space
	Output int           // bytes that are kept of what it writes
}

// The defaults.
const (
	DefaultTime   = 10 * time.Second
	DefaultMemory = 1 << 30
	DefaultOutput = 64 << 10
)

func (l *Limits) fill() {
	if l.Time <= 0 {
		l.Time = DefaultTime
	}
	if l.Memory <= 0 {
		l.Memory = DefaultMemory
	}
	if l.Output <= 0 {
		l.Output = DefaultOutput
	}
}

func (l *Limits) tooMuch() string { return fmt.Sprintf("it wanted more than %d MiB", l.Memory>>20) }

// MostProgram bounds a program's text.
const MostProgram = 4 << 20

// How a program that did not pass came to its end.
const (
	Failed  = "failed"  // an assertion or another error, or it left before its test was over
	Timeout = "timeout" // it took too long
	Memory  = "memory"  // it wanted too much of it
	Syntax  = "syntax"  // it is no Python
	Killed  = "killed"  // a signal ended it
)

// Result is what became of a program.
type Result struct {
	Passed bool
	How    string // why it did not pass; empty where it did
	Detail string // in one line that is safe to show; may be empty
	Output string // the last of what it wrote, as it is
	Took   time.Duration
}

// ErrMissing is wrapped by all errors that say why there can be no sandbox here.
var ErrMissing = errors.New("there is no sandbox for programs here")

//go:embed runner.py
var runner string

// The exit statuses of runner.py. A program can feign them, and gains a reason for its failure.
const (
	exitMemory = 101
	exitSyntax = 102
	exitLeft   = 103
)

const mostDetail = 200

// lastLine is the last line that says something, stripped and bounded.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return outside.Line(strings.TrimSpace(lines[len(lines)-1]), mostDetail)
}

// tail keeps the last bytes that were written to it.
type tail struct {
	most int
	kept []byte
}

func (t *tail) Write(b []byte) (int, error) {
	n := len(b)
	if len(b) > t.most {
		b = b[len(b)-t.most:]
	}
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - t.most; over > 0 {
		t.kept = t.kept[:copy(t.kept, t.kept[over:])]
	}
	return n, nil
}
