package cli

import (
	"context"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/judge/timeline"
	"github.com/inferometer/inferometer/internal/show/page"
)

type reportOptions struct {
	format, output, compat string
	detailed, ci           bool
	metrics                []string
	percentiles            []float64
	goodput                []argv.Pair
	slo                    string
	limits                 slo.SLO                   // what slo says
	judged                 map[string]*slo.Judgement // by the run's folder; nil: no SLO
	chart, table           string
	plot                   bool
	appendMarkdown         string
}

func reportFlags() (*argv.Set, *reportOptions) {
	set := argv.New("inferometer report",
		"Show the results of runs again, from their journals: also of a run that was killed, and with other percentiles or limits.")
	set.Example("The result of a run, by its folder", "inferometer report runs/20260102T030405Z-1")
	set.Example("A page with pictures, that opens from a mail", "inferometer report runs/* -o report.html")
	set.Example("The same, by the result that it saved", "inferometer report out.json")
	set.Example("Each request as a row, for DuckDB or pandas", "inferometer report runs/* -o requests.parquet")
	set.Example("Other percentiles, by vLLM's own rules", "inferometer report out.json --metric-percentiles 50,90,99.9 --compat vllm")
	set.Operands("RUN…", 1, math.MaxInt)
	o := &reportOptions{}
	set.Choice(&o.format, "format", "table", formatNames(), "What to write.", argv.Shown("by the ending of --output, else table"))
	set.String(&o.output, "output", "", "The file to write.", argv.Short('o'), argv.Metavar("FILE"), argv.Shown("to the terminal or pipe"))
	set.String(&o.slo, "slo", "", sloHelp+" html and markdown say which run does most within them.", argv.Metavar("LIMITS"))
	set.Choice(&o.chart, "chart", "throughput", page.Charts, "With svg and png: which picture.")
	set.Choice(&o.table, "table", "runs", []string{"runs", "requests"}, "With csv: one line a run, or one a request. Parquet always has one a request.")
	set.Bool(&o.plot, "plot", "With table: draw the run in the terminal too.")
	set.String(&o.appendMarkdown, "append-markdown", "", "Add each run to this file of notes, as a section that compare reads back.", argv.Metavar("FILE"))
	set.Bool(&o.detailed, "detailed", "With json: each request's lengths, times, text and error too.")
	set.CSV(&o.metrics, "percentile-metrics", nil, "Metrics to report.", argv.Shown("as in the run"))
	set.Floats(&o.percentiles, "metric-percentiles", nil, "Percentiles to report of them.", argv.Shown("as in the run"))
	set.KeyValues(&o.goodput, "goodput", argv.OneOrMore, "Limits in ms, as in ttft:200 itl_p99:50 tpot:30 e2el:5000.", argv.Separator(":"))
	set.Choice(&o.compat, "compat", "", []string{"vllm", "none"}, "Whose rules: vllm's, or none but ours.", argv.Shown("as in the run"))
	set.Bool(&o.ci, "ci", ciHelp)
	return set, o
}

func reportRun(_ context.Context, s streams, args []string) error {
	set, o := reportFlags()
	if done, err := parse(s, set, args); done || err != nil {
		return err
	}
	if err := o.resolve(set); err != nil {
		return err
	}
	f := o.chosen()
	if f.rows != nil {
		return o.to(s, f, func(w io.Writer) error { return o.writeRequests(w, f, set.Args()) })
	}
	runs, err := o.readRuns(set.Args())
	if err != nil {
		return err
	}
	if o.appendMarkdown != "" {
		if err := appendSections(o.appendMarkdown, runs); err != nil {
			return err
		}
	}
	if f.one && len(runs) > 1 {
		return argv.Errorf("format", "%s holds one run, not %d", f.name, len(runs))
	}
	if err := o.judge(runs); err != nil {
		return err
	}
	if err := o.to(s, f, func(w io.Writer) error { return f.write(w, runs, o) }); err != nil {
		return err
	}
	return o.ending(runs)
}

// judge holds each run against the SLO.
func (o *reportOptions) judge(runs []page.Run) error {
	if o.limits == nil {
		return nil
	}
	opt, err := o.measureOptions()
	if err != nil {
		return err
	}
	o.judged = map[string]*slo.Judgement{}
	for i := range runs {
		o.judged[runs[i].Folder] = judgeSLO(o.limits, runs[i].Folder, runs[i].Result, opt)
	}
	return nil
}

// ending says by its error that a run does not keep the SLO.
func (o *reportOptions) ending(runs []page.Run) error {
	var endings []error
	for i := range runs {
		name := ""
		if len(runs) > 1 {
			name = runs[i].Name + ": "
		}
		endings = append(endings, sloEnding(name, o.judged[runs[i].Folder]))
	}
	return worstEnding(endings)
}

// resolve finds out what is to be written, and reads what was typed as text.
func (o *reportOptions) resolve(set *argv.Set) error {
	if !set.Seen("format") && o.output != "" {
		ending := filepath.Ext(o.output)
		i := slices.IndexFunc(formats(), func(f format) bool { return slices.Contains(f.endings, ending) })
		if i < 0 {
			return argv.Errorf("output", "what %q is to hold can't be told by its ending: give --format", o.output)
		}
		o.format = formats()[i].name
	}
	for _, need := range []struct {
		flag    string
		formats []string
	}{
		{"chart", []string{"svg", "png"}}, {"plot", []string{"table"}}, {"table", []string{"csv", "parquet"}}, {"detailed", []string{"json"}},
	} {
		if set.Seen(need.flag) && !slices.Contains(need.formats, o.format) {
			return argv.Errorf(need.flag, "is for the format %s, not for %s", strings.Join(need.formats, " or "), o.format)
		}
	}
	switch {
	case o.format == "parquet" && set.Seen("table") && o.table == "runs":
		return argv.Errorf("table", "Parquet has one row a request")
	case o.appendMarkdown != "" && o.chosen().rows != nil:
		return argv.Errorf("append-markdown", "can't be done while requests are written one by one: do it in a second call")
	}
	var err error
	o.limits, err = parseSLO(o.slo)
	if err == nil && o.limits != nil && o.chosen().rows != nil {
		err = argv.Errorf("slo", "can't be judged while requests are written one by one: do it in a second call")
	}
	return err
}

func (o *reportOptions) measureOptions() (measure.Options, error) {
	opt := measure.Options{PercentileMetrics: o.metrics, Percentiles: o.percentiles, Detailed: o.detailed}
	limits := serveOptions{goodput: o.goodput}
	if err := limits.setGoodput(); err != nil {
		return opt, err
	}
	opt.Goodput = goodputMap(limits.Goodput)
	switch o.compat {
	case "vllm":
		opt.Compat = &o.compat
	case "none":
		opt.Compat = new(string)
	}
	return opt, nil
}

// readRuns measures all runs, one after the other. The more there are, the fewer
// single requests of each are kept for the page.
func (o *reportOptions) readRuns(operands []string) ([]page.Run, error) {
	opt, err := o.measureOptions()
	if err != nil {
		return nil, err
	}
	var runs []page.Run
	for _, path := range operands {
		folder, err := runFolder(path)
		if err != nil {
			return nil, err
		}
		run, err := o.readRun(folder, opt, max(timeline.MostRows/len(operands), fewRows))
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	page.NameApart(runs)
	return runs, nil
}

// fewRows are kept of each run, however many runs there are.
const fewRows = 500

func (o *reportOptions) readRun(folder string, opt measure.Options, rows int) (page.Run, error) {
	var watch *timeline.Collector
	if o.plot || o.chosen().drawn {
		watch = timeline.NewCollector(rows)
		opt.Watch = watch
	}
	r, err := judged.Read(folder, opt)
	if err != nil {
		return page.Run{}, err
	}
	run := page.Run{Name: page.Name(r.Result, folder), Folder: folder, Result: r.Result, Verdict: r.Verdict}
	if watch != nil {
		run.Timeline = watch.Timeline(r.Samples, r.Scrapes)
		run.Timeline.TokensUnknown = r.Result.TokensInTime.Reason
	}
	return run, nil
}

// to writes to the file that was asked for, or to the terminal.
func (o *reportOptions) to(s streams, f format, write func(io.Writer) error) error {
	if o.output != "" && o.output != "-" {
		return atomicfile.Write(o.output, write)
	}
	if f.binary && isTerminal(s.out) {
		return argv.Errorf("format", "%s is nothing for a terminal: give a file with -o", f.name)
	}
	return write(s.out)
}
