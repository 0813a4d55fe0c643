// Package run has the commands run and init: a whole experiment from one file.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/cli/upload"
	"github.com/inferometer/inferometer/internal/cli/view"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/plan/run"
	"github.com/inferometer/inferometer/internal/plan/scenario"
	"github.com/inferometer/inferometer/internal/spec"
)

// What run prints at its end.
const (
	formatTable = "table"
	formatJSON  = "json"
)

// runOptions are the flags of run.
type runOptions struct {
	check, plan, fresh bool
	out                string
	set                []argv.Pair
	only               []string
	columns            string
	slo                string
	format             string
	upload             upload.Flags
	progress           string
}

func runFlags() (*argv.Set, *runOptions) {
	set := argv.New("inferometer run",
		"Run a whole experiment from one file: start its servers, run every point of its matrix, stop them, and print the table. "+
			"After an interruption, run it again to continue where it stopped.")
	set.Example("Run a scenario; results go to results/NAME", "inferometer run scenario.yaml")
	set.Example("Find mistakes without running anything", "inferometer run scenario.yaml --check")
	set.Example("See the points and their commands", "inferometer run scenario.yaml --plan")
	set.Example("Only some points, with another server", "inferometer run scenario.yaml --only target=tp8,concurrency=16 --set targets.tp8.port=8000")
	set.Operands("FILE", 1, 1)
	set.CompleteOperands(argv.Scenario)
	o := &runOptions{}
	set.Bool(&o.check, "check", "Read the file, check every point, and stop.")
	set.Bool(&o.plan, "plan", "Print the points in their order and their commands, and stop.", argv.Alias("dry-run"))
	set.String(&o.out, "output", "", "Folder for the results.", argv.Output(), argv.Metavar("DIR"), argv.Shown("artifacts.folder of the file, or results/NAME"))
	set.Bool(&o.fresh, "fresh", "Forget the results that are there and run every point.")
	set.CSV(&o.only, "only", nil, "Only points that match all of these: KEY=VALUE of the matrix, or a part of a point's name.", argv.Metavar("WORD,…"))
	set.String(&o.columns, "columns", "", "Columns of the table, as in requests,output_throughput,p99_ttft,mean_tpot,verdict; the file's key columns.", argv.Metavar("NAME,…"),
		argv.Shown("the usual ones"))
	set.String(&o.slo, "slo", "", "Limits that every point must keep, in place of the file's key slo. Exit code 7 if one is broken, 6 if one is not known; docs/conditions.md has the grammar.", argv.Metavar("LIMITS"))
	set.Choice(&o.format, "format", formatTable, []string{formatTable, formatJSON}, "What to print at the end.")
	view.Define(set, &o.progress)
	o.upload.Define(set)
	set.KeyValues(&o.set, "set", argv.OneOrMore, "Set keys of the file, as in pace.rate=5 or targets.a.base_url=http://host:8000.")
	return set, o
}

// Run is the command run.
func Run(ctx context.Context, s command.Streams, args []string) error {
	set, o := runFlags()
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	if err := o.upload.Check(); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find our own program: %w", err)
	}
	doc, plan, err := o.load(set.Args()[0], program)
	var unreadable *fs.PathError
	switch {
	case errors.As(err, &unreadable):
		return err
	case err != nil:
		return command.Exit(command.ExitUsage, err)
	}
	switch {
	case o.check:
		fmt.Fprintf(s.Out, "%s: %s\n", doc.File, plan)
		return nil
	case o.plan:
		return printPlan(s.Out, plan)
	}
	return o.execute(ctx, s, program, doc, plan)
}

// load reads the file and makes the plan; what is wrong with it is a usage error.
func (o *runOptions) load(file, program string) (*scenario.Document, *scenario.Plan, error) {
	source := scenario.Source{File: file, Lookup: os.LookupEnv}
	for _, pair := range o.set {
		source.Set = append(source.Set, pair.Key+"="+pair.Value)
	}
	if o.columns != "" {
		source.Set = append(source.Set, "columns="+strconv.Quote(o.columns))
	}
	if o.slo != "" {
		if _, err := spec.ParseSLO(o.slo); err != nil {
			return nil, nil, err
		}
		source.Set = append(source.Set, "slo="+strconv.Quote(o.slo))
	}
	doc, err := scenario.Load(source)
	if err != nil {
		return nil, nil, err
	}
	plan, err := doc.Plan(scenario.PlanOptions{Program: program, Check: check, Hide: serveFlags().Hidden, Only: o.only})
	return doc, plan, err
}

// check says what bench serve has against settings.
func check(settings option.Settings) error {
	_, _, err := serve.SpecOf(settings)
	return err
}

// printPlan writes the points as commands that can be pasted.
func printPlan(w io.Writer, plan *scenario.Plan) error {
	return plan.Script(w, scenario.Shell{
		Command: func(load option.Settings) (words, shown []string) { return pointCommand(plan.Scenario, load) },
		Environ: os.Environ(),
	})
}

func (o *runOptions) execute(ctx context.Context, s command.Streams, program string, doc *scenario.Document, plan *scenario.Plan) error {
	folder, err := o.folder(plan)
	if err != nil {
		return err
	}
	if err := o.upload.Try(ctx); err != nil {
		return err
	}
	if o.fresh {
		if err := folder.Fresh(); err != nil {
			return fmt.Errorf("forget earlier results: %w", err)
		}
	}
	source, err := doc.Text()
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Err, "%s: %s\n", plan.Name, plan)
	screen := o.show(&s, plan)
	show := &run.Progress{Line: screen.Line(s.Err, o.progress), Total: len(plan.Selected())}
	observe := func(e run.Event) {
		show.Event(e)
		if e.Point != nil {
			screen.Event(e, e.Point.Name, filepath.Join(folder.Run(e.Point.Name), journal.ResultName))
		}
	}
	r := &scenario.Runner{
		Plan: plan, Folder: folder, Source: source, Observe: observe,
		Program: program,
		Find: func(ctx context.Context, drain <-chan struct{}, load option.Settings, folder, log string) error {
			feed, control := screen.Children()
			return findPoint(ctx, drain, plan.Scenario, load, folder, log, feed, control)
		},
		Header: serve.APIKeyHeader(), Client: &http.Client{},
	}
	r.Live, r.Control = screen.Children()
	said := &once{show.Line, map[string]bool{}}
	r.Spec = func(settings option.Settings) (*spec.Spec, map[string]string, error) {
		return serve.SpecAt(ctx, command.Streams{Err: said}, settings)
	}
	show.Start()
	running, drain, stop := screen.Interrupts(ctx, s.Err)
	records, err := r.Run(running, drain)
	stop()
	show.Stop()
	if err != nil {
		return err
	}
	sum, err := o.conclude(s, plan, records, folder)
	if err == nil && o.slo != "" {
		err = sloEnding(sum)
	}
	return upload.Ending(err, o.upload.Put(ctx, s.Err, folder.Path))
}

// show opens the live view of the plan; nil: there is none.
func (o *runOptions) show(s *command.Streams, plan *scenario.Plan) *view.Screen {
	screen, why := view.New(s, o.progress, "inferometer run "+plan.Name)
	if screen == nil && o.progress == view.Live {
		fmt.Fprintf(s.Err, "note: no live view: %s\n", why)
	}
	var points []view.Point
	for _, p := range plan.Selected() {
		points = append(points, view.Point{Name: p.ID})
	}
	screen.Plan(points, false)
	return screen
}

// once shows a line that is said of each point a single time.
type once struct {
	line run.Line
	said map[string]bool
}

func (o *once) Write(b []byte) (int, error) {
	if text := strings.TrimSpace(string(b)); !o.said[text] {
		o.said[text] = true
		o.line.Print("%s", text)
	}
	return len(b), nil
}

// sloEnding says by its error how the points keep the SLO.
func sloEnding(sum *scenario.Summary) error {
	var endings []error
	for _, row := range sum.Rows {
		endings = append(endings, serve.SLOEnding(row.Points[0].ID+": ", &slo.Judgement{Checks: row.Clauses}))
	}
	return serve.WorstEnding(endings)
}

// folder is where results go, as a whole path: processes have other current folders.
func (o *runOptions) folder(plan *scenario.Plan) (scenario.Folder, error) {
	path := o.out
	if path == "" {
		path = string(plan.Scenario.Artifacts.Folder)
	}
	if path == "" {
		path = filepath.Join("results", plan.Name)
	}
	path, err := filepath.Abs(path)
	return scenario.Folder{Path: path}, err
}

// conclude writes and prints the table, and says by its error how the run ended.
func (o *runOptions) conclude(s command.Streams, plan *scenario.Plan, records []*scenario.Record, folder scenario.Folder) (*scenario.Summary, error) {
	sum := scenario.Summarize(plan, records, folder)
	searches, err := plan.Searches(folder, command.ResultWidth(s.Out))
	// Files first: who reads our output may have gone, and the write would kill us.
	err = errors.Join(err, sum.Write(folder), sum.Draw(folder, command.Version()))
	if err := errors.Join(err, o.printSummary(s.Out, sum, searches, folder)); err != nil {
		return sum, err
	}
	fmt.Fprintf(s.Err, "results: %s (%s has the pictures)\n", folder.Path, scenario.Pictures)
	switch {
	case sum.Done == 0:
		return sum, command.Exit(command.ExitNothing, fmt.Errorf("no point has a result%s", cause(sum, "; the first, ")))
	case sum.Failed+sum.Missing > 0:
		return sum, command.Exit(command.ExitPartial, fmt.Errorf("%d of %d points have no result%s; run it again to try them", sum.Failed+sum.Missing, len(plan.Selected()), cause(sum, "; the first that failed, ")))
	}
	return sum, nil
}

// printSummary writes the summary as it was asked for.
func (o *runOptions) printSummary(w io.Writer, sum *scenario.Summary, searches string, folder scenario.Folder) error {
	if o.format == formatJSON {
		return sum.JSON(w, folder)
	}
	if searches != "" {
		fmt.Fprintln(w, searches)
	}
	return sum.Text(w, command.ResultWidth(w), command.Bold(w))
}

// cause is why the first point that failed did so, after a few words.
func cause(sum *scenario.Summary, words string) string {
	if text := sum.FirstCause(); text != "" {
		return words + text
	}
	return ""
}
