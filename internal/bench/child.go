package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/files/within"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/spec"
	"github.com/inferometer/inferometer/internal/spec/fault"
)

// Child is a run in a process of its own: inferometer exec SPEC.json. It ends with us,
// whatever the cause.
type Child struct {
	Program string            // our own
	Spec    *spec.Spec        // its run_dir must be given: the file is written there
	Secrets map[string]string // the variables that the Spec names, where our own environment has them not
	Env     []string          // further variables, KEY=VALUE
	Flags   []string          // of exec: how the run is shown
	Log     string            // what it says; it is appended to
	PIDFile string            // for what is left behind if we are killed; empty: nowhere

	Live    *live.Feed    // is told how the run goes; nil: nobody is
	Control *load.Control // pauses it, and the one after it too, until it is told to go on; may be nil

	Do fault.Doer // does faults to the servers; nil: they were not started by us

	// Instead runs the Spec in place of a process, in tests of what chooses runs; nil: a process does.
	Instead func(ctx context.Context, drain <-chan struct{}, c *Child) (*Outcome, error)
}

// childGrace is what a child gets when nobody waits for it any more.
const childGrace = time.Second

// Outcome is how a child ended.
type Outcome struct {
	Code   int    // its exit code; -1: it was killed
	Said   string // the error that it ended with; empty: none
	Folder string // of the run
	Result string // its result's file; empty: there is none
	Log    string // whole path
}

// ErrPartial is the end of a run that was stopped early; it has a result.
var ErrPartial = errors.New("stopped early: the result is partial")

// Err is nil where the run has a whole result, even if it is INVALID or breaks an SLO.
func (o *Outcome) Err() error {
	switch {
	case o.Code == ExitPartial:
		return ErrPartial
	case o.Code != ExitDone && o.Code != ExitInvalid && o.Code != ExitSLO && o.Code != ExitUndecided:
		return fmt.Errorf("bench serve: %s (exit status %d; its log is %s)", o.Said, o.Code, o.Log)
	case o.Result == "":
		return fmt.Errorf("bench serve left no result; its log is %s", o.Log)
	}
	return nil
}

// Run runs the Spec to its end. A drain is handed on as one interrupt: the child sends
// no more and waits for what is in flight. The end of ctx cancels that too. What is left
// of an earlier child is ended first.
func (c *Child) Run(ctx context.Context, drain <-chan struct{}) (*Outcome, error) {
	if c.Instead != nil {
		return c.Instead(ctx, drain, c)
	}
	folder, err := filepath.Abs(c.Spec.RunDir)
	if err != nil || c.Spec.RunDir == "" {
		return nil, errors.Join(err, errors.New("a child needs a folder for its run"))
	}
	if c.PIDFile != "" {
		if _, err := target.EndLeftover(c.PIDFile); err != nil {
			return nil, err
		}
	}
	file := filepath.Join(folder, journal.SpecName)
	if err := c.write(folder, file); err != nil {
		return nil, fmt.Errorf("write the Spec: %w", err)
	}
	command := target.Command{
		Args: c.args(folder, file),
		Env:  slices.Clone(c.Env), Log: c.Log, PIDFile: c.PIDFile, Grace: childGrace,
	}
	for _, name := range slices.Sorted(maps.Keys(c.Secrets)) {
		command.Env = append(command.Env, name+"="+c.Secrets[name])
	}
	line, err := c.listen(&command)
	if err != nil {
		return nil, fmt.Errorf("run bench serve: %w", err)
	}
	defer line.Close()
	process, err := target.Start(command)
	if err != nil {
		return nil, fmt.Errorf("run bench serve: %w", err)
	}
	line.started()
	process.Finish(ctx, drain)
	o := &Outcome{Folder: folder, Log: c.Log}
	if whole, err := filepath.Abs(c.Log); err == nil {
		o.Log = whole
	}
	if result := filepath.Join(folder, journal.ResultName); exists(result) {
		o.Result = result
	}
	var exit *exec.ExitError
	if err := process.Err(); errors.As(err, &exit) {
		o.Code, o.Said = exit.ExitCode(), lastError(process.Tail(5))
	} else if err != nil {
		return nil, fmt.Errorf("run bench serve: %w", err)
	}
	return o, nil
}

// args are the child's command. Questions of a run that was killed go on by the Spec in
// their folder.
func (c *Child) args(folder, file string) []string {
	flags := append(slices.Clone(c.Flags), "--"+spec.FlagOwnSpec) // it is as free as what the user typed
	if may := c.Spec.May; may != nil {
		for _, folder := range may.Read {
			flags = append(flags, "--"+within.Flag, folder)
		}
	}
	if !c.Spec.Resume {
		return slices.Concat([]string{c.Program, "exec"}, flags, []string{file})
	}
	if c.Spec.AllowCode {
		flags = append(flags, "--"+spec.FlagAllowCode)
	}
	return slices.Concat([]string{c.Program, "eval", "--resume", folder}, flags)
}

// write writes the Spec into the run's folder, for its user alone: who may read a
// table of results need not know where the servers are.
func (c *Child) write(folder, file string) error {
	if err := journal.MakeFolder(folder); err != nil {
		return err
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.WriteFile(file, c.Spec.Encode(), 0o600)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// lastError is what a child said of its end, by the last lines of its log.
func lastError(tail string) string {
	lines := strings.Split(strings.TrimSpace(tail), "\n")
	for _, line := range slices.Backward(lines) {
		for _, name := range []string{"inferometer exec: ", "inferometer eval: "} {
			if text, ok := strings.CutPrefix(line, name); ok {
				return text
			}
		}
	}
	return lines[len(lines)-1]
}
