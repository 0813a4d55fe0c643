package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/inferometer/inferometer/internal/check/selftest"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/spec"
)

// selftestRun is one self-test, from its flags to its result.
type selftestRun struct {
	command.Streams
	selftest.Options
	asJSON bool
	line   *command.Line
	round  func(context.Context, selftest.Load) (*selftest.Errors, error) // of a test; nil: by processes
}

// Selftest is the command selftest.
func Selftest(ctx context.Context, s command.Streams, args []string) error {
	r := &selftestRun{Streams: s, line: command.NewLine(s.Err)}
	set := r.flags()
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	if set.Seen("max-streams") && r.MaxStreams < 1 {
		return argv.Errorf("max-streams", "must be at least 1, not %d", r.MaxStreams)
	}
	if set.Seen("rounds") && r.Rounds < 1 {
		return argv.Errorf("rounds", "must be at least 1, not %d", r.Rounds)
	}
	ctx, drain, stop := command.Interrupts(ctx, s.Err)
	defer stop()
	return r.run(ctx, drain)
}

func (r *selftestRun) flags() *argv.Set {
	set := argv.New("inferometer selftest",
		"Measure our own error on this machine, against a simulated server that knows the truth, at rising loads up to where the client fails. "+
			"Later runs of bench serve say whether they were within the range that this proves.")
	set.Example("The whole self-test, about two minutes", "inferometer selftest")
	set.Example("Within 20 seconds", "inferometer selftest --quick")
	set.Example("Up to 100 streams by Go's own HTTP client, for a program to read", "inferometer selftest --quick --engine nethttp --max-streams 100 --json")
	set.Bool(&r.Quick, "quick", "Finish within 20 seconds: fewer steps and rounds, so a rougher result.")
	set.Int(&r.MinStreams, "min-streams", 1, "The lowest step: leave out those below.", argv.Metavar("N"))
	set.Int(&r.MaxStreams, "max-streams", 0, "The highest step.", argv.Metavar("N"), argv.Shown("where the client fails, 10000 at most; 1000 with --quick"))
	set.Int(&r.Rounds, "rounds", 0, "How often each step is run.", argv.Metavar("N"), argv.Shown("3, 2 with --quick"))
	set.Choice(&r.Engine, "engine", spec.EngineAuto, []string{spec.EngineAuto, spec.EngineLoop, spec.EngineNetHTTP}, "What carries the requests, as in bench serve.")
	set.Bool(&r.asJSON, "json", "Print the result as JSON.")
	return set
}

func (r *selftestRun) run(ctx context.Context, drain <-chan struct{}) error {
	path, err := serve.SelftestPath()
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find our own program: %w", err)
	}
	result := &selftest.Result{
		Schema: selftest.Schema, At: time.Now().UTC().Truncate(time.Second), Version: command.Version(),
		Machine: serve.ThisMachine(), Engine: serve.ResolvedEngine(r.Engine), Quick: r.Quick,
	}
	err = (&selftest.Test{Options: r.Options, Program: program, Progress: r, Round: r.round}).Run(ctx, drain, result)
	if errors.Is(err, selftest.ErrStopped) {
		return errors.New("stopped: nothing is written")
	}
	if err != nil {
		return err
	}
	// A bad moment does not undo what was proven before.
	if result.Claim != nil {
		err = result.Save(path)
	}
	if err := errors.Join(err, r.printResult(result, path)); err != nil {
		return err
	}
	if result.Busy != "" && !r.asJSON {
		r.Note(fmt.Sprintf("the machine was busy (%s), which makes the claim low and wide: stop other programs, and try again", result.Busy))
	}
	if result.Claim == nil {
		return command.Exit(command.ExitNothing, errors.New("not even the lowest load could be measured well enough: stop other programs on this machine, and try again"))
	}
	return nil
}

// printResult prints the table and the claim.
func (r *selftestRun) printResult(result *selftest.Result, path string) error {
	r.line.Clear()
	if r.asJSON {
		e := json.NewEncoder(r.Out)
		e.SetIndent("", "  ")
		return e.Encode(result)
	}
	kept := "\n\nkept in " + path + "\n"
	if result.Claim == nil {
		kept = "\n"
	}
	_, err := fmt.Fprint(r.Out, result.Table(), "\n", result.Sentence, kept)
	return err
}

// Running shows on a terminal what runs now.
func (r *selftestRun) Running(text string) { r.line.Set("%s", text) }

// Note is a line of its own.
func (r *selftestRun) Note(text string) { r.line.Print("note: %s", text) }

// Step is the progress in a pipe: one line per step.
func (r *selftestRun) Step(s *selftest.Step) {
	if r.line.Live() {
		return
	}
	word := "proven"
	if s.Fails != "" {
		word = "fails: " + s.Fails
	}
	r.line.Print("%d streams, a token each %g ms: %s", s.Streams, s.ITLMS, word)
}
