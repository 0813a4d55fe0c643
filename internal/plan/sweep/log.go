package sweep

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/compat/shlex"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/plan/run"
)

// Log prints what a sweep does, in vLLM's words. Commands are printed so that they
// can be pasted into a shell.
type Log struct {
	W          io.Writer
	ShowOutput bool                          // what the commands print comes between
	Redact     func(words []string) []string // hides the secrets of a command; nil: nothing is hidden
	SecretFlag func(name string) bool        // says whether a flag's value is one; nil: none is

	mu sync.Mutex
}

// Write keeps what is written at once together: the output of commands comes from
// goroutines of its own.
func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.W.Write(b)
}

func (l *Log) say(format string, args ...any) { fmt.Fprintf(l, format+"\n", args...) }

// output is where the output of commands goes; nil: to their logs only.
func (l *Log) output() io.Writer {
	if !l.ShowOutput {
		return nil
	}
	return l
}

// command is a command for people.
func (l *Log) command(words []string) string {
	if l.Redact != nil {
		words = l.Redact(words)
	}
	return shlex.Join(words)
}

// setting hides values that are named like secrets.
func (l *Log) setting(it Item) Item {
	shown := slices.Clone(it)
	for k := range shown {
		if l.SecretFlag != nil && l.SecretFlag(strings.TrimLeft(shown[k].Key, "-")) {
			shown[k].Value = outside.Redacted
		}
	}
	return shown
}

func (r *Runner) observe(e run.Event) {
	if r.Observe != nil {
		r.Observe(e)
	}
	l := r.Log
	switch e.Kind {
	case run.Starting:
		setting := e.Point.Job.(*job).serve
		l.say("[BEGIN SERVER]\nServer overrides: %s\nServer command: %s", l.setting(setting), l.command(r.server(setting)))
	case run.Up:
		after := time.Duration(e.Startup[0].HealthyS * float64(time.Second)).Round(10 * time.Millisecond)
		l.say("Server ready after %s; its log: %s", after, serverLog(r.Dir, e.Point.Job.(*job).serve))
	case run.Down:
		l.say("[END SERVER]")
	case run.Skipped:
		l.begin(e.Point.Job.(*job))
		l.say("Found existing results.\n[SKIPPED BENCHMARK]")
	case run.Running:
		l.begin(e.Point.Job.(*job))
	case run.Ended:
		if e.Outcome.State == run.Done {
			l.say("[END BENCHMARK]")
		}
	case run.Note:
		l.say("%s", e.Text)
	}
}

func (l *Log) begin(j *job) {
	l.say("[BEGIN BENCHMARK]\nBenchmark overrides: %s\nRun Number: %d\nBenchmark command: %s\nOutput file: %s",
		l.setting(j.bench), j.number, l.command(j.command()), j.file)
}

func orNone(text string) string {
	if text == "" {
		return "(None)"
	}
	return text
}
