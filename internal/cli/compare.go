package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/foreign"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/report"
)

type compareOptions struct {
	format, gate string
	metrics      []string
	list         bool
}

func compareRuns(_ context.Context, s streams, args []string) error {
	set := argv.New("inferometer compare",
		"Hold results against the first one: for each metric the change, between which bounds it lies, and whether it is real. "+
			"A result is a run's folder, our JSON, or what another tool wrote: vllm bench serve (JSON, JSONL, or its console block in any text), "+
			"SGLang, GuideLLM, AIPerf, genai-perf, inference-perf, InferenceX, llama-bench, locust (its summary or --summary-file), lm-eval's table, "+
			"the JSON of bench latency and bench throughput, or a table that someone made by hand. Join repeats of one side with commas.")
	set.Example("Is the new one slower?", "inferometer compare base.json new.json")
	set.Example("Three repeats of each side", "inferometer compare a1.json,a2.json,a3.json b1.json,b2.json,b3.json")
	set.Example("All results in a note, one line each, to be pasted", "inferometer compare NOTES.md --format markdown")
	set.Example("Fail a build: exit code 5 if it is slower beyond noise, 6 if the data can't decide",
		`inferometer compare base.json new.json --gate "p99_ttft<+5% and output_throughput>-3%"`)
	set.Operands("RESULT…", 1, math.MaxInt)
	var o compareOptions
	set.Choice(&o.format, "format", "table", []string{"table", "markdown", "csv", "json", "html", "junit"}, "What to print.")
	set.String(&o.gate, "gate", "", `Limits on changes, as in "p99_ttft<+5% and output_throughput>-3%".`)
	set.CSV(&o.metrics, "metrics", nil, "Only these metrics, as in p99_ttft,output_throughput.", argv.Shown("the usual ones"))
	set.Bool(&o.list, "list", "One line a run and no changes, also where two could be compared.")
	if done, err := parse(s, set, args); done || err != nil {
		return err
	}
	sides, err := readSides(set.Args())
	if err != nil {
		return err
	}
	if err := compare.CheckMetrics(o.metrics, sides); err != nil {
		return argv.Errorf("metrics", "%v", err)
	}
	if o.gate == "" && (o.list || len(set.Args()) == 1 || len(sides) > mostSides && !haveRepeats(sides)) {
		return o.printLists(s.out, sides)
	}
	return o.compare(s, sides)
}

// mostSides fit beside each other with their changes; more are listed, unless some are
// repeats: who repeats a side wants to know what is real.
const mostSides = 5

func haveRepeats(sides []compare.Side) bool {
	return slices.ContainsFunc(sides, func(s compare.Side) bool { return len(s.Runs) > 1 })
}

// readSides reads the operands. Files that are joined by commas are repeats of one
// side; a file with several runs gives as many sides.
func readSides(operands []string) ([]compare.Side, error) {
	var sides []compare.Side
	for _, operand := range operands {
		paths := strings.Split(operand, ",")
		if _, err := os.Stat(operand); err == nil {
			paths = []string{operand} // a comma in a name
		}
		if len(paths) == 1 {
			runs, err := readResult(paths[0])
			if err != nil {
				return nil, err
			}
			for i := range runs {
				sides = append(sides, compare.Side{Name: runs[i].Name, Runs: runs[i : i+1]})
			}
			continue
		}
		side := compare.Side{}
		for _, path := range paths {
			runs, err := readResult(path)
			if err != nil {
				return nil, err
			}
			side.Runs = append(side.Runs, runs...)
		}
		side.Name = side.Runs[0].Name
		sides = append(sides, side)
	}
	nameApart(sides)
	return sides, nil
}

// nameApart gives sides of the same name their files' names too.
func nameApart(sides []compare.Side) {
	count := map[string]int{}
	for i := range sides {
		count[sides[i].Name]++
	}
	for i := range sides {
		if count[sides[i].Name] > 1 {
			sides[i].Name = fmt.Sprintf("%s (%d)", sides[i].Name, i+1)
		}
	}
}

// readResult reads a run's folder, measured anew, or a file of any tool.
func readResult(path string) ([]foreign.Run, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%w; give a run's folder or a result", err)
	}
	if !info.IsDir() {
		return foreign.ReadFile(path)
	}
	if _, err := os.Stat(filepath.Join(path, journal.FileName)); errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no run: there is no %s in it", path, journal.FileName)
	}
	folder, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	r, err := judged.Read(folder, measure.Options{PercentileMetrics: []string{"ttft", "tpot", "itl", "e2el"}})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := report.JSON(&b, r.Result, report.Options{RunDir: folder, Verdict: r.Verdict}); err != nil {
		return nil, err
	}
	return foreign.Read(folder, b.Bytes())
}

func (o *compareOptions) compare(s streams, sides []compare.Side) error {
	var gate compare.Gate
	if o.gate != "" {
		var err error
		if gate, err = compare.ParseGate(o.gate); err != nil {
			return argv.Errorf("gate", "%v", err)
		}
	}
	if len(sides) < 2 {
		return &argv.UsageError{Text: "a gate needs two results: the one before, and the new one"}
	}
	c, err := compare.Compare(sides, compare.Options{Metrics: append(o.metrics, gateMetrics(gate, o.metrics)...)})
	if err != nil {
		return err
	}
	outcome, findings := compare.Kept, []compare.Finding(nil)
	if gate != nil {
		if outcome, findings, err = gate.Judge(c); err != nil {
			return err
		}
	}
	if err := o.print(s.out, c, findings); err != nil {
		return err
	}
	switch outcome {
	case compare.Broken:
		return coded{errors.New("the gate is broken"), exitGate}
	case compare.Undecided:
		return coded{errors.New("the data can't decide whether the gate holds"), exitUndecided}
	}
	return nil
}

// gateMetrics are added where the user has chosen metrics and forgot the gate's.
func gateMetrics(g compare.Gate, chosen []string) []string {
	var more []string
	for _, l := range g {
		if len(chosen) > 0 {
			more = append(more, l.Metric)
		}
	}
	return more
}

func (o *compareOptions) print(w io.Writer, c *compare.Comparison, findings []compare.Finding) error {
	switch o.format {
	case "csv":
		return c.CSV(w)
	case "json":
		return c.JSON(w, findings)
	case "junit":
		return compare.JUnit(w, findings)
	case "html":
		return c.HTML(w, findings)
	case "markdown":
		if err := c.Markdown(w); err != nil {
			return err
		}
	default:
		if err := c.Table(w, emphasis(w)); err != nil {
			return err
		}
	}
	for i, f := range findings {
		if i == 0 {
			fmt.Fprintln(w)
		}
		line := fmt.Sprintf("gate %s, %s: %s: %s", f.Limit, f.Side, f.Outcome, f.Sentence)
		if o.format == "markdown" {
			line = "- " + outside.Markdown(line)
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// emphasis makes the best values bold on a person's screen; nil elsewhere.
func emphasis(w io.Writer) func(string) string {
	if !colored(w) {
		return nil
	}
	return func(text string) string { return "\x1b[1m" + text + "\x1b[0m" }
}

// printLists prints one line a run.
func (o *compareOptions) printLists(w io.Writer, sides []compare.Side) error {
	var runs []foreign.Run
	for i := range sides {
		runs = append(runs, sides[i].Runs...)
	}
	lists := compare.Lists(runs, o.metrics)
	switch o.format {
	case "csv":
		return compare.ListsCSV(w, lists)
	case "json":
		return compare.ListsJSON(w, lists)
	case "table", "markdown":
	default:
		return argv.Errorf("format", "%s needs two sides to compare: a list can be a table, markdown, csv or json", o.format)
	}
	for i := range lists {
		if i > 0 {
			fmt.Fprintln(w)
		}
		write := lists[i].Markdown
		if o.format == "table" {
			write = func(w io.Writer) error { return lists[i].Table(w, emphasis(w)) }
		}
		if err := write(w); err != nil {
			return err
		}
	}
	return nil
}
