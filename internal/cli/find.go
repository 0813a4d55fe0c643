package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/plan/find"
	"github.com/inferometer/inferometer/internal/plan/search"
	"github.com/inferometer/inferometer/internal/send/target"
)

func findCapacity(ctx context.Context, s streams, args []string) error {
	ctx, drain, stop := interrupts(ctx, s.err)
	defer stop()
	return findUntil(ctx, drain, s, args)
}

// findUntil searches until drain is closed, or the search is over.
func findUntil(ctx context.Context, drain <-chan struct{}, s streams, args []string) error {
	set, o := findFlags()
	if done, err := parse(s, set, args); done || err != nil {
		return err
	}
	if err := o.validate(set); err != nil {
		return err
	}
	workload := set.Without(args, func(f *argv.Flag) bool { return f.Group == groupFind })
	if err := checkServeArgs(o.probeArgs(workload, o.Start(), o.Probe, 0, "x")); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find our own program: %w", err)
	}
	if o.out, err = filepath.Abs(o.out); err != nil {
		return err
	}
	report := &find.Report{
		Schema: find.Schema, Version: fullVersion(), Command: append([]string{"inferometer", "find"}, set.Redacted(args)...),
		SLO: o.SLO.String(), Vary: o.Vary, Tolerance: o.Tolerance, Map: o.mapKey,
	}
	for _, value := range o.values() {
		args, folder := workload, o.out
		if value != "" {
			args = append(slices.Clone(workload), "--"+o.mapKey+"="+value)
			folder = filepath.Join(o.out, o.mapKey+"-"+value)
			fmt.Fprintf(s.err, "%s %s\n", o.mapKey, value)
		}
		p := &prober{options: o, program: program, args: args, stop: drain}
		f := find.Finder{
			Options: o.Options, Folder: folder, Workload: args, Servers: find.Servers(o.serve.given(), apiKeyHeader()),
			Run: p.run, Progress: &findProgress{command.NewLine(s.err), o.Vary},
		}
		result, err := f.Search(ctx)
		if errors.Is(err, find.ErrInterrupted) {
			return coded{errors.New("interrupted; the same command goes on where it stopped"), exitPartial}
		}
		if err != nil {
			return err
		}
		result.Value = value
		report.Results = append(report.Results, result)
	}
	return o.conclude(s, report)
}

// conclude writes the answer and prints it. Files come first: who reads our output may
// have gone, and the write would kill us.
func (o *findOptions) conclude(s streams, r *find.Report) error {
	if err := r.Save(o.out); err != nil {
		return err
	}
	if _, err := fmt.Fprint(s.out, r.Text(consoleWidth(s.out))); err != nil {
		return err
	}
	fmt.Fprintf(s.err, "results: %s\n", o.out)
	if slices.ContainsFunc(r.Results, func(f find.Result) bool { return f.Answer.X == nil }) {
		return coded{errors.New("the SLO holds at no load that was tried"), exitNothing}
	}
	if slices.ContainsFunc(r.Results, func(f find.Result) bool { return !f.Answer.Confirmed }) {
		return coded{errors.New("the answer is not confirmed; the text above says why"), exitPartial}
	}
	return nil
}

// findProgress shows a search: one line for each probe, and on a terminal what runs now.
type findProgress struct {
	*command.Line
	vary string
}

func (p *findProgress) Note(text string) { p.Print("%s", text) }

func (p *findProgress) Begin(n int, probe search.Probe) {
	p.Set("%d %s %s for %.0f s (%s)", n, p.vary, find.LoadText(probe.X), probe.Seconds, probe.Purpose)
}

func (p *findProgress) End(n int, o *search.Observation) {
	p.Print("%d %s %s: %s (%s, %.0f s)", n, p.vary, find.LoadText(o.X), find.Verdict(o), o.Purpose, o.Cost)
}

// prober runs probes, each a bench serve of its own.
type prober struct {
	options *findOptions
	program string
	args    []string // the workload's
	stop    <-chan struct{}
}

func (p *prober) run(ctx context.Context, n int, probe search.Probe, folder string) (said string, err error) {
	length := time.Duration(probe.Seconds * float64(time.Second))
	args := p.options.probeArgs(p.args, probe.X, length, p.options.serve.Seed+n, filepath.Join(folder, find.RunName))
	command := ownCommand(p.program, append([]string{"bench", "serve"}, args...))
	command.Log, command.Grace = filepath.Join(folder, find.LogName), time.Second
	process, err := target.Start(command)
	if err != nil {
		return "", fmt.Errorf("run bench serve: %w", err)
	}
	defer process.Stop()
	select {
	case <-process.Exited():
	case <-p.stop:
		return "", find.ErrInterrupted
	case <-ctx.Done():
		return "", find.ErrInterrupted
	}
	process.Wait()
	if process.Err() != nil {
		said = lastError(process.Tail(5))
	}
	if _, err := os.Stat(filepath.Join(folder, find.RunName, journal.ResultName)); err != nil {
		return "", fmt.Errorf("%s (its log is %s)", said, command.Log)
	}
	return said, nil
}

// lastError is what bench serve said of its end, by the last lines of its log.
func lastError(tail string) string {
	lines := strings.Split(strings.TrimSpace(tail), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if text, ok := strings.CutPrefix(lines[i], "inferometer bench serve: "); ok {
			return text
		}
	}
	return lines[len(lines)-1]
}
