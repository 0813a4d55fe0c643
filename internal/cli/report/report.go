package report

import (
	"context"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/show/export"
	"github.com/inferometer/inferometer/internal/show/page"
	"github.com/inferometer/inferometer/internal/show/section"
	"github.com/inferometer/inferometer/internal/spec"
)

type options struct {
	export.Options
	run                    *serve.Options // what is asked of a run, as its own flags ask it
	format, output, compat string
	table                  string
}

func flags() (*argv.Set, *options) {
	set := argv.New("inferometer report",
		"Show the results of runs again from their journals, even of a run that was killed, with other percentiles or limits if you like.")
	set.Example("The result of a run, by its folder", "inferometer report runs/20260102T030405Z-1")
	set.Example("The table of a scenario", "inferometer report results/NAME")
	set.Example("One of its points", "inferometer report results/NAME/POINT")
	set.Example("A page with charts that you can send by email", "inferometer report runs/* -o report.html")
	set.Example("The same, from its saved result", "inferometer report out.json")
	set.Example("Each request as a row, for DuckDB or pandas", "inferometer report runs/* -o requests.parquet")
	set.Example("Each question of an eval with its answer, as lines of JSON", "inferometer report out.json --format questions -o questions.jsonl")
	set.Example("Its requests over time, one lane each, as vLLM draws them", "inferometer report out.json --format timeline -o out.timeline.html")
	set.Example("Other percentiles, by vLLM's own rules", "inferometer report out.json --metric-percentiles 50,90,99.9 --compat vllm")
	set.Operands("RUN…", 1, math.MaxInt)
	set.CompleteOperands(argv.Run)
	o := &options{run: serve.NewOptions()}
	o.run.PercentileMetrics, o.run.MetricPercentiles = nil, nil
	set.Choice(&o.format, "format", "table", export.FormatNames(), "What to write.", argv.Shown("by the ending of --output, else table"))
	set.String(&o.output, "output", "", "The file to write.", argv.Output(), argv.Metavar("FILE"), argv.Shown("to the terminal or pipe"))
	g := argv.Group("")
	o.run.Flag(set, "slo", g, argv.Help(spec.Field("slo").Help+" html and markdown say which run does most within them."))
	o.run.Flag(set, "rules", g, argv.Shown("as in the run"))
	set.Choice(&o.Chart, "chart", "throughput", page.Charts(), "With svg and png: which picture.")
	set.Choice(&o.table, "table", "runs", append([]string{"runs"}, export.LineTables()...), "With csv and parquet: one row per run (csv only), request, event of a stream, sample of the client, value of the server's metrics, slot of time (series), conversation (jobs), or replica.", argv.Shown("runs with csv, requests with parquet"))
	o.run.Flag(set, "timeline-itl-thresholds", g)
	set.Bool(&o.Plot, "plot", "With table: draw the run in the terminal too.")
	o.run.Flag(set, "append-markdown", g, argv.Help("Add each run to this file of notes, as a section that compare reads back."))
	set.Bool(&o.Detailed, "detailed", "With json: each request's lengths, times, text and error too.")
	o.run.Flag(set, "percentile-metrics", g, argv.Help("Metrics to report."), argv.Shown("as in the run"))
	o.run.Flag(set, "metric-percentiles", g, argv.Shown("as in the run"))
	o.run.Flag(set, "goodput", g, argv.Help("Limits in ms, as in ttft:200 itl_p99:50 tpot:30 e2el:5000."))
	set.Choice(&o.compat, "compat", "", []string{"vllm", "none"}, "Follow vLLM's rules, or only ours.", argv.Shown("as in the run"))
	set.Bool(&o.Details, "details", serve.DetailsHelp)
	return set, o
}

// Run is the command report.
func Run(_ context.Context, s command.Streams, args []string) error {
	set, o := flags()
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	if err := o.resolve(set); err != nil {
		return err
	}
	f := o.chosen()
	opt := o.measureOptions()
	folders, sets, err := judged.Folders(set.Args())
	if err != nil {
		return err
	}
	if len(sets) == 1 && sets[0].Whole() && len(args) == 1 { // nothing else was asked for
		if shown, err := scenarioTable(s, sets[0]); shown || err != nil {
			return err
		}
	}
	command.SayLacking(s, "report", sets)
	if o.table != "runs" && o.table != "requests" {
		return o.to(s, f, func(w io.Writer) error { return export.WriteLines(w, f, o.table, folders) })
	}
	if f.Rows != nil {
		return o.to(s, f, func(w io.Writer) error { return export.WriteRequests(w, f, folders, opt) })
	}
	if f.Folder != nil || f.Alone != nil {
		return o.alone(s, f, folders, opt)
	}
	runs, err := export.ReadRuns(folders, opt, o.Plot || f.Drawn)
	if err != nil {
		return err
	}
	if o.run.AppendMarkdown != "" {
		if err := export.AppendSections(o.run.AppendMarkdown, runs); err != nil {
			return err
		}
	}
	if f.One && len(runs) > 1 {
		return argv.Errorf("format", "%s holds one run, not %d", f.Name, len(runs))
	}
	if o.SLO != nil {
		o.Judged = map[string]*slo.Judgement{}
		for i := range runs {
			o.Judged[runs[i].Folder] = judged.SLO(o.SLO, runs[i].Folder, runs[i].Result, opt)
		}
	}
	if err := o.to(s, f, func(w io.Writer) error { return f.Write(w, runs, &o.Options) }); err != nil {
		return err
	}
	return o.ending(runs)
}

// alone writes a format that reads one journal by itself: a file, or a folder of them.
func (o *options) alone(s command.Streams, f export.Format, folders []string, opt measure.Options) error {
	if len(folders) > 1 {
		return argv.Errorf("format", "%s holds one run, not %d: name one, as in results/NAME/POINT", f.Name, len(folders))
	}
	if f.Folder != nil {
		return f.Folder(o.output, folders[0], opt)
	}
	o.ITL, o.SVG = spec.Thresholds(o.run.TimelineITLThresholds), filepath.Ext(o.output) == ".svg"
	return o.to(s, f, func(w io.Writer) error { return f.Alone(w, folders[0], opt, &o.Options) })
}

// ending says by its error that a run does not keep the SLO, or rules that were asked for here.
func (o *options) ending(runs []section.Run) error {
	var endings []error
	for i := range runs {
		name := ""
		if len(runs) > 1 {
			name = runs[i].Name + ": "
		}
		endings = append(endings, serve.SLOEnding(name, o.Judged[runs[i].Folder]))
		if o.run.Rules != "" {
			endings = append(endings, serve.RulesEnding(name, runs[i].Result.Rules))
		}
	}
	return serve.WorstEnding(endings)
}

// resolve finds out what is to be written, and reads what was typed as text.
func (o *options) resolve(set *argv.Set) error {
	if !set.Seen("format") && o.output != "" {
		f, ok := export.ByEnding(filepath.Ext(o.output))
		if !ok {
			return argv.Errorf("output", "what %q is to hold can't be told by its ending: give --format", o.output)
		}
		o.format = f.Name
	}
	for _, need := range []struct {
		flag    string
		formats []string
	}{
		{"chart", []string{"svg", "png"}},
		{"plot", []string{"table"}},
		{"table", []string{"csv", "parquet"}},
		{"detailed", []string{"json"}},
		{"timeline-itl-thresholds", []string{"timeline"}},
	} {
		if set.Seen(need.flag) && !slices.Contains(need.formats, o.format) {
			return argv.Errorf(need.flag, "is for the format %s, not for %s", strings.Join(need.formats, " or "), o.format)
		}
	}
	switch {
	case o.format == "parquet" && set.Seen("table") && o.table == "runs":
		return argv.Errorf("table", "Parquet has no table of runs: give requests, events, samples, scrapes or series")
	case o.run.AppendMarkdown != "" && o.chosen().Rows != nil:
		return argv.Errorf("append-markdown", "can't be done while requests are written one by one: do it in a second call")
	}
	if f := o.chosen(); f.Folder != nil && (o.output == "" || o.output == "-") {
		return argv.Errorf("format", "%s is a folder of files: name it with -o", f.Name)
	}
	if f := o.chosen(); (f.Alone != nil || f.Folder != nil) && (o.run.SLO != "" || o.run.AppendMarkdown != "") {
		return argv.Errorf("format", "%s shows no numbers of the whole run: it is judged and noted in a second call", f.Name)
	}
	if err := spec.CheckThresholds(o.run.TimelineITLThresholds); err != nil {
		return err
	}
	var err error
	o.SLO, err = spec.ParseSLO(o.run.SLO)
	if err == nil && o.SLO != nil && o.chosen().Rows != nil {
		err = argv.Errorf("slo", "can't be judged while requests are written one by one: do it in a second call")
	}
	return err
}

func (o *options) measureOptions() measure.Options {
	opt := measure.Options{PercentileMetrics: o.run.PercentileMetrics, Percentiles: o.run.MetricPercentiles, Detailed: o.Detailed, Goodput: o.run.Goodput, Rules: o.run.Rules}
	switch o.compat {
	case "vllm":
		opt.Compat = &o.compat
	case "none":
		opt.Compat = new(string)
	}
	return opt
}

// chosen is the format that was asked for.
func (o *options) chosen() export.Format {
	f, _ := export.ByName(o.format) // the flag has no other values
	if f.Name == "csv" && o.table != "runs" {
		f.Rows = export.RequestsCSV
	}
	return f
}

// to writes to the file that was asked for, or to the terminal.
func (o *options) to(s command.Streams, f export.Format, write func(io.Writer) error) error {
	o.Version, o.PlotWidth = command.Version(), command.TerminalWidth(nil)
	if o.output != "" && o.output != "-" {
		return atomicfile.Write(o.output, write)
	}
	if f.Binary && command.IsTerminal(s.Out) {
		return argv.Errorf("format", "%s is nothing for a terminal: give a file with -o", f.Name)
	}
	o.Width, o.Color, o.PlotWidth = command.ResultWidth(s.Out), command.Colored(s.Out), command.TerminalWidth(s.Out)
	return write(s.Out)
}
