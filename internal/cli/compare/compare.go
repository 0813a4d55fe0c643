// Package compare is the command compare.
package compare

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/show/comparison"
	"github.com/inferometer/inferometer/internal/show/results"
)

type options struct {
	format  string
	gate    compare.Gate
	metrics []string
	list    bool
}

// Run is the command.
func Run(_ context.Context, s command.Streams, args []string) error {
	set := argv.New("inferometer compare",
		"Compare results with the first one: for each metric the change, its bounds, and whether it is real. "+
			"Answers of two runs of inferometer eval are paired by their questions. "+
			"A result is a run's folder, a scenario's (results/NAME: its points are paired by their values of the matrix), a point in it (results/NAME/POINT), our JSON, or what another tool wrote: vllm bench serve (JSON, JSONL, or its console block in any text), "+
			"SGLang, GuideLLM, AIPerf, genai-perf, inference-perf, InferenceX, llama-bench, locust (its summary or --summary-file), lm-eval's table, "+
			"the JSON of bench latency and bench throughput, or a table that someone made by hand. Join repeats of one side with commas.")
	set.Example("Is the new one slower?", "inferometer compare base.json new.json")
	set.Example("A scenario before and after, point by point", "inferometer compare results/before results/after")
	set.Example("Three repeats of each side", "inferometer compare a1.json,a2.json,a3.json b1.json,b2.json,b3.json")
	set.Example("All results in a note, one line each, to be pasted", "inferometer compare NOTES.md --format markdown")
	set.Example("Fail a build: exit code 5 if it is slower beyond noise, 6 if the data can't decide",
		`inferometer compare base.json new.json --gate "p99_ttft<+5% and output_throughput>-3%"`)
	set.Example("Did the faster configuration stay as good? Exit code 5 if it is worse beyond chance", `inferometer compare fp16 fp8 --gate "accuracy"`)
	set.Operands("RESULT…", 1, math.MaxInt)
	set.CompleteOperands(argv.Run)
	var o options
	var gate string
	set.Choice(&o.format, "format", "table", comparison.Formats, "What to print.")
	set.String(&gate, "gate", "", `Limits on changes, as in "p99_ttft<+5% and output_throughput>-3%", or "accuracy" for no loss beyond chance; docs/conditions.md has the grammar.`)
	set.CSV(&o.metrics, "metrics", nil, "Only these metrics, as in p99_ttft,output_throughput.", argv.Shown("the usual ones"))
	set.Bool(&o.list, "list", "One line per run and no changes, even where two could be compared.")
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	if gate != "" {
		var err error
		if o.gate, err = compare.ParseGate(gate); err != nil {
			return argv.Errorf("gate", "%v", err)
		}
	}
	sides, points, err := results.Read(set.Args(), o.asked())
	if err != nil {
		return err
	}
	if points != nil && !o.list && len(set.Args()) > 1 {
		return o.comparePoints(s, points)
	}
	if err := compare.CheckMetrics(o.metrics, sides); err != nil {
		return argv.Errorf("metrics", "%v", err)
	}
	if o.gate == nil && (o.list || len(set.Args()) == 1 || len(sides) > mostSides && !haveRepeats(sides)) {
		return o.listRuns(s, sides)
	}
	return o.compare(s, sides)
}

// mostSides fit beside each other with their changes; more are listed, unless some are
// repeats: who repeats a side wants to know what is real.
const mostSides = 5

func haveRepeats(sides []compare.Side) bool {
	return slices.ContainsFunc(sides, func(s compare.Side) bool { return len(s.Runs) > 1 })
}

func (o *options) compare(s command.Streams, sides []compare.Side) error {
	if len(sides) < 2 {
		return &argv.UsageError{Text: "a gate needs two results: the one before, and the new one"}
	}
	c, err := compare.Compare(sides, compare.Options{Metrics: o.shown()})
	if err != nil {
		return err
	}
	outcome, findings := compare.Kept, []compare.Finding(nil)
	if o.gate != nil {
		if outcome, findings, err = o.gate.Judge(c); err != nil {
			return err
		}
	}
	if err := comparison.Write(s.Out, c, findings, o.shownAs(s)); err != nil {
		return err
	}
	return ending(outcome, o.gate == nil && c.NotComparable())
}

// ending is the exit code of a comparison. A gate has its own word for what can't be compared.
func ending(outcome compare.Outcome, notComparable bool) error {
	switch {
	case notComparable:
		return command.Exit(command.ExitUndecided, errors.New("the results are not comparable: the lines above say why"))
	case outcome == compare.Broken:
		return command.Exit(command.ExitGate, errors.New("the gate is broken"))
	case outcome == compare.Undecided:
		return command.Exit(command.ExitUndecided, errors.New("the data can't decide whether the gate holds"))
	}
	return nil
}

func (o *options) shownAs(s command.Streams) comparison.Options {
	return comparison.Options{Format: o.format, Bold: command.Bold(s.Out), Version: command.Version()}
}

// shown are the metrics that were chosen, and the gate's, if someone forgot those; nil: the usual ones.
func (o *options) shown() []string {
	if len(o.metrics) == 0 {
		return nil
	}
	return o.asked()
}

// asked are all metrics that were named.
func (o *options) asked() []string {
	list := slices.Clone(o.metrics)
	for _, l := range o.gate {
		list = append(list, l.Metric)
	}
	return list
}

// listRuns prints one line per run.
func (o *options) listRuns(s command.Streams, sides []compare.Side) error {
	if o.format == "html" || o.format == "junit" {
		return argv.Errorf("format", "%s needs two sides to compare: a list can be a table, markdown, csv or json", o.format)
	}
	var runs []result.Result
	for i := range sides {
		runs = append(runs, sides[i].Runs...)
	}
	return comparison.WriteLists(s.Out, compare.Lists(runs, o.metrics), o.shownAs(s))
}
