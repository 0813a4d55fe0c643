package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/foreign"
	"github.com/inferometer/inferometer/internal/judge/compare"
)

// round runs both servers once, in the round's order and with its seed, and looks.
func (r *abRun) round(ctx context.Context, round int) error {
	order := []int{0, 1}
	if !compare.AFirst(round) {
		order = []int{1, 0}
	}
	var runs [2]foreign.Run
	for _, side := range order {
		r.progress("round %d of at most %d: %s", round+1, r.rules.MaxRounds, sideNames[side])
		run, err := r.bench(ctx, round, side)
		if err != nil {
			return err
		}
		runs[side] = run
	}
	r.clear()
	if why := r.judge.Spoiled(&runs[0], &runs[1]); why != "" {
		r.leftOut = append(r.leftOut, fmt.Sprintf("round %d is left out: %s", round+1, why))
		r.say("%s", r.leftOut[len(r.leftOut)-1])
		return nil
	}
	for side := range runs {
		r.sides[side].Name = sideNames[side]
		r.sides[side].Runs = append(r.sides[side].Runs, runs[side])
	}
	var err error
	if r.look, err = r.judge.Look(r.sides[0], r.sides[1]); err != nil {
		return err
	}
	r.say("round %d: %s", round+1, r.judge.Sentence(r.look))
	return nil
}

var sideNames = [2]string{"A", "B"}

// bench is one bench serve, as a user would start it, in a folder of its own.
func (r *abRun) bench(ctx context.Context, round, side int) (foreign.Run, error) {
	name := fmt.Sprintf("round-%02d-%s", round+1, strings.ToLower(sideNames[side]))
	folder, url := filepath.Join(r.folder, name), []string{r.a, r.b}[side]
	child := ownCommand("inferometer", slices.Concat([]string{"bench", "serve"}, r.args,
		[]string{"--base-url", url, "--run-dir", folder, "--seed", strconv.Itoa(r.workload.Seed + round), "--quiet", "--progress", "none"}))
	cmd := exec.CommandContext(ctx, r.program)
	cmd.Args, cmd.Env = child.Args, append(cmd.Environ(), child.Env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a Ctrl-C is for us, and we hand it on once
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	var said bytes.Buffer
	cmd.Stderr = &said
	failed := cmd.Run()
	if ctx.Err() != nil {
		return foreign.Run{}, ctx.Err()
	}
	var exit *exec.ExitError
	if failed != nil && (!errors.As(failed, &exit) || exit.ExitCode() == exitNothing || exit.ExitCode() == exitUsage) {
		return foreign.Run{}, fmt.Errorf("%s, %s: %w: %s", sideNames[side], argv.RedactURL(url), failed, lastError(said.String()))
	}
	found, err := foreign.ReadFile(filepath.Join(folder, "result.json"))
	if err != nil {
		return foreign.Run{}, err
	}
	return found[0], nil
}

// save writes ab.json.
func (r *abRun) save() error {
	for _, text := range r.leftOut {
		r.look.Doubts = append(r.look.Doubts, compare.Doubt{Side: "both", Reason: "left_out", Sentence: text})
	}
	var b bytes.Buffer
	if err := r.look.JSON(&b); err != nil {
		return err
	}
	return atomicfile.WriteBytes(filepath.Join(r.folder, "ab.json"), b.Bytes())
}

func (r *abRun) print() error {
	if r.format == "json" {
		return r.look.JSON(r.out)
	}
	return r.look.Write(r.out, r.format, r.look.Findings, command.Bold(r.out))
}

// nothing is said where no round could be used.
func (r *abRun) nothing() error {
	if r.ended == "stopped" {
		return coded{errors.New("stopped before the first round was complete"), exitPartial}
	}
	return coded{errors.New("undecided: no round tells anything; " + r.leftOut[0]), exitUndecided}
}

// say is a line of progress, in a pipe too.
func (r *abRun) say(format string, args ...any) {
	if !r.workload.Quiet {
		fmt.Fprintf(r.err, format+"\n", args...)
	}
}

// progress is a line of a terminal that the next one overwrites.
func (r *abRun) progress(format string, args ...any) {
	if isTerminal(r.err) && !r.workload.Quiet {
		fmt.Fprintf(r.err, "\r\x1b[K%s", fit(fmt.Sprintf(format, args...), terminalWidth(r.err)-1))
	}
}

func (r *abRun) clear() { r.progress("") }
