// Package find has the commands that choose what to run next: find and ab.
package find

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/cli/view"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/plan/find"
	"github.com/inferometer/inferometer/internal/plan/search"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/load"
)

// Find is the command find.
func Find(ctx context.Context, s command.Streams, args []string) error {
	set, o := Flags()
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	if err := o.validate(set); err != nil {
		return err
	}
	var why string
	if o.screen, why = view.New(&s, o.serve.Progress, "inferometer find "+o.slo); o.screen == nil && o.serve.Progress == view.Live {
		fmt.Fprintf(s.Err, "note: no live view: %s\n", why)
	}
	o.screen.Plan(nil, true)
	o.live, o.control = o.screen.Children()
	ctx, drain, stop := o.screen.Interrupts(ctx, s.Err)
	defer stop()
	return o.until(ctx, drain, s, set, set.Redacted(args))
}

// Until searches as settings of find say, until drain is closed or the search is over. feed is
// told how its probes go, and control pauses them; both may be nil.
func Until(ctx context.Context, drain <-chan struct{}, s command.Streams, settings option.Settings, feed *live.Feed, control *load.Control) error {
	set, o := Flags()
	if err := set.Lay(settings); err != nil {
		return err
	}
	if err := o.validate(set); err != nil {
		return err
	}
	o.live, o.control = feed, control
	return o.until(ctx, drain, s, set, set.Hidden(settings).Words())
}

// until searches; shown is what was asked for, as it may be shown.
func (o *options) until(ctx context.Context, drain <-chan struct{}, s command.Streams, set *argv.Set, shown []string) error {
	var err error
	if o.out, err = filepath.Abs(o.out); err != nil {
		return err
	}
	report := &find.Report{
		Schema: find.Schema, Version: command.Version(), Command: append([]string{"inferometer", "find"}, shown...),
		SLO: o.SLO.String(), Vary: o.Vary, Tolerance: o.Tolerance, Map: o.mapKey,
	}
	for _, value := range o.values() {
		f, err := o.finder(ctx, s, o.workload(set, value), value)
		if err != nil {
			return err
		}
		if value != "" {
			fmt.Fprintf(s.Err, "%s %s\n", o.mapKey, value)
		}
		result, err := f.Search(ctx, drain)
		result.Value = value
		report.Results = append(report.Results, result)
		if errors.Is(err, find.ErrInterrupted) {
			return o.interrupted(s, report)
		}
		if err != nil {
			return err
		}
	}
	return o.conclude(s, report)
}

// finder is the search at a value of the mapped flag; empty: no flag is mapped.
func (o *options) finder(ctx context.Context, s command.Streams, workload option.Settings, value string) (*find.Finder, error) {
	folder := o.out
	if value != "" {
		folder = filepath.Join(o.out, o.mapKey+"-"+value)
	}
	asked, secrets, err := serve.SpecAt(ctx, s, o.probes(workload))
	if err != nil {
		return nil, err
	}
	if asked.SelfTimed() {
		return nil, argv.Errorf("dataset-name", "%s is sent at its own times, and the search varies the load", asked.DatasetName).WithHint("add --no-self-timed")
	}
	asked.Command = nil // of each probe another
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find our own program: %w", err)
	}
	child := bench.Child{Program: program, Spec: asked, Secrets: secrets, Flags: []string{"--progress", "none"}, Live: o.live, Control: o.control, Instead: o.instead}
	return &find.Finder{
		Options: o.Options, Folder: folder, Servers: find.Servers(o.serve.Given(), serve.APIKeyHeader()),
		Child:    child,
		Progress: &progress{o.screen.Line(s.Err, o.serve.Progress), o.Vary, o.screen, value},
	}, nil
}

// interrupted prints what is known so far.
func (o *options) interrupted(s command.Streams, r *find.Report) error {
	o.screen.Close()
	if slices.ContainsFunc(r.Results, func(f find.Result) bool { return len(f.Curve) > 0 }) {
		if err := o.printReport(s, r); err != nil {
			return err
		}
	}
	return command.Exit(command.ExitPartial, errors.New("interrupted; the same command goes on where it stopped"))
}

// conclude writes the answer and prints it. Files come first: who reads our output may
// have gone, and the write would kill us.
func (o *options) conclude(s command.Streams, r *find.Report) error {
	o.screen.Close()
	if err := r.Save(o.out); err != nil {
		return err
	}
	if err := o.printReport(s, r); err != nil {
		return err
	}
	fmt.Fprintf(s.Err, "results: %s\n", o.out)
	if slices.ContainsFunc(r.Results, func(f find.Result) bool { return f.Answer.X == nil && f.Answer.High == nil }) {
		return command.Exit(command.ExitUndecided, errors.New("no load is known to hold, and none is known not to; the text above says why, and what to change"))
	}
	if slices.ContainsFunc(r.Results, func(f find.Result) bool { return f.Answer.X == nil }) {
		return command.Exit(command.ExitNothing, errors.New("the SLO holds at no load that was tried"))
	}
	if slices.ContainsFunc(r.Results, func(f find.Result) bool { return !f.Answer.Confirmed }) {
		return command.Exit(command.ExitPartial, errors.New("the answer is not confirmed; the text above says why"))
	}
	return nil
}

// printReport writes the answer as it was asked for. In JSON it is what find.json has, and where that is.
func (o *options) printReport(s command.Streams, r *find.Report) error {
	if o.format == "json" {
		e := json.NewEncoder(s.Out)
		e.SetEscapeHTML(false)
		return e.Encode(struct {
			Folder string `json:"folder"`
			*find.Report
		}{o.out, r})
	}
	_, err := fmt.Fprint(s.Out, r.Text(command.ResultWidth(s.Out)))
	return err
}

// progress shows a search: one line for each probe, and on a terminal what runs now.
type progress struct {
	*command.Line
	vary   string
	screen *view.Screen
	value  string // of the mapped flag; empty: none is
}

func (p *progress) Note(text string) { p.Print("%s", text) }

func (p *progress) Begin(n int, probe search.Probe) {
	p.screen.Point(view.Point{Name: p.name(n, probe.X, probe.Purpose), Phase: view.Running, Text: fmt.Sprintf("for %.0f s", probe.Seconds)})
	p.Set("%d %s %s for %.0f s (%s)", n, p.vary, find.LoadText(probe.X), probe.Seconds, probe.Purpose)
}

// name is what the view calls a probe.
func (p *progress) name(n int, x float64, purpose search.Purpose) string {
	return strings.TrimSpace(fmt.Sprintf("%s %d %s %s (%s)", p.value, n, p.vary, find.LoadText(x), purpose))
}

func (p *progress) End(n int, o *search.Observation) {
	p.screen.Point(view.Point{Name: p.name(n, o.X, o.Purpose), Phase: view.Done, Text: find.Verdict(o)})
	p.Print("%d %s %s: %s (%s, %.0f s)", n, p.vary, find.LoadText(o.X), find.Verdict(o), o.Purpose, o.Cost)
}
