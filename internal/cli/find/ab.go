package find

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/cli/view"
	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/plan/duel"
	"github.com/inferometer/inferometer/internal/show/comparison"
	"github.com/inferometer/inferometer/internal/spec"
)

// abRun is one duel of two servers, from its flags to its answer.
type abRun struct {
	command.Streams
	a, b     string
	gate     string
	rules    compare.ABOptions
	maxTime  time.Duration
	folder   string
	format   string
	workload *serve.Options
	asked    option.Settings // of bench serve: what is not ours
	line     *command.Line
	screen   *view.Screen
	duel     *duel.Duel
	instead  instead
}

// abMetrics are decided where nothing else is asked for.
var abMetrics = []string{"mean_ttft", "mean_tpot", "output_throughput"}

const groupAB = "A and B"

// AB is the command ab.
func AB(ctx context.Context, s command.Streams, args []string) error {
	r := &abRun{Streams: s}
	set := r.flags()
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	if err := r.resolve(set); err != nil {
		return err
	}
	if r.folder == "" {
		r.folder = "ab-" + time.Now().Format("20060102-150405")
	}
	var why string
	if r.screen, why = view.New(&r.Streams, r.workload.Progress, "inferometer ab "+r.folder); r.screen == nil && r.workload.Progress == view.Live {
		fmt.Fprintf(r.Err, "note: no live view: %s\n", why)
	}
	r.screen.Plan(nil, true)
	ctx, drain, stop := r.screen.Interrupts(ctx, r.Err)
	defer stop()
	return r.run(ctx, drain)
}

func (r *abRun) flags() *argv.Set {
	set := argv.New("inferometer ab",
		"Is server B really faster than A? Both get the same workload in turns (A B, B A, B A, A B, …), each round with new prompts, until the result is decided or a limit is reached. "+
			"Flags of bench serve say what is sent.")
	set.Example("Until it is clear, for 15 minutes at most",
		"inferometer ab http://gpu-a:8000 http://gpu-b:8000 --num-prompts 200 --max-concurrency 16")
	set.Example("Fail if B is slower: exit code 5 if it is, 6 if that can't be decided",
		`inferometer ab --a http://old:8000 --b http://new:8000 --gate "p99_ttft<+5% and output_throughput>-3%" --num-prompts 200 --max-concurrency 16`)
	g := argv.CommonGroup(groupAB)
	set.String(&r.a, "a", "", "The server that B is compared with.", g, argv.Metavar("URL"), argv.Redact(outside.RedactURL))
	set.String(&r.b, "b", "", "The other server.", g, argv.Metavar("URL"), argv.Redact(outside.RedactURL))
	set.String(&r.gate, "gate", "", `Limits on B's changes to be decided, as in "p99_ttft<+5% and output_throughput>-3%"; docs/conditions.md has the grammar.`, g, argv.WholeName())
	set.CSV(&r.rules.Metrics, "metric", nil, "Metrics to decide: a real change, or equivalent within 5 %.", g, argv.WholeName(),
		argv.Shown(strings.Join(abMetrics, ",")+"; none with --gate"))
	set.Int(&r.rules.MinRounds, "min-rounds", 3, "The first look comes after this many rounds.", g, argv.Metavar("N"), argv.WholeName())
	set.Int(&r.rules.MaxRounds, "max-rounds", 20, "The last round. The more there may be, the surer each look must be.", g, argv.Metavar("N"), argv.WholeName())
	set.Duration(&r.maxTime, "max-time", 15*time.Minute, "Begin no round that would end later.", g, argv.WholeName())
	set.Bool(&r.rules.AnyVerdict, "any-verdict", "Also count rounds whose verdict is INVALID, for machines that can't be made quiet.", g, argv.WholeName())
	set.String(&r.folder, "output", "", "Folder for the runs and ab.json.", g, argv.Output(), argv.Metavar("DIR"), argv.WholeName(), argv.Shown("ab-<date>-<time> here"))
	set.Choice(&r.format, "format", "table", comparison.Formats, "What to print.", g, argv.WholeName())
	r.workload = serve.NewOptions()
	serve.Define(set, r.workload)
	set.Bare(spec.LooksLikeAddress, "a", "b")
	set.Seldom(setByUs...)
	set.Seldom("endpoint", "header", "extra-body", "percentile-metrics", "goodput")
	return set
}

// ownFlags are not given to bench serve.
var ownFlags = []string{"a", "b", "gate", "metric", "min-rounds", "max-rounds", "max-time", "any-verdict", "output", "format"}

// setByUs are flags of bench serve that have no place here.
var setByUs = []string{
	"base-url", "host", "port", "targets", "run-dir", "save-result", "save-detailed", "append-result", "result-dir", "result-filename",
	"summary-file", "label", "progress", "cpu-profile",
}

// resolve checks the flags, and those of bench serve as bench serve would.
func (r *abRun) resolve(set *argv.Set) error {
	for _, name := range setByUs {
		if set.Seen(name) {
			return argv.Errorf(name, "has no place here: --a and --b are the servers, and --output is the folder of all results")
		}
	}
	for _, name := range ownFlags {
		if set.Source(name) == argv.FromConfig {
			return argv.Errorf(name, "belongs on the command line: the config file is given to bench serve")
		}
	}
	if r.a == "" || r.b == "" {
		return &argv.UsageError{Text: "the URLs of two servers are needed, as in inferometer ab http://gpu-a:8000 http://gpu-b:8000"}
	}
	for flag, text := range map[string]*string{"a": &r.a, "b": &r.b} {
		address, err := spec.ReadAddress(flag, *text)
		if err != nil {
			return err
		}
		*text = address.Base + address.Endpoint // which child takes apart again
	}
	if r.a == r.b {
		return argv.Errorf("b", "is the same server as --a: it would find A's prompts in its cache")
	}
	if r.maxTime <= 0 {
		return argv.Errorf("max-time", "must be more than nothing")
	}
	if r.gate != "" {
		var err error
		if r.rules.Gate, err = compare.ParseGate(r.gate); err != nil {
			return argv.Errorf("gate", "%v", err)
		}
		if r.rules.Gate.AsksAccuracy() {
			return argv.Errorf("gate", "ab sends requests and asks no questions: run inferometer eval against each server, and give the gate on accuracy to inferometer compare")
		}
	}
	if r.rules.Metrics == nil && r.rules.Gate == nil {
		r.rules.Metrics = abMetrics
	}
	var err error
	if r.duel, err = duel.New(r.rules); err != nil {
		return &argv.UsageError{Text: err.Error()}
	}
	r.workload.BaseURL = r.a
	if err := r.workload.Check(set); err != nil {
		return err
	}
	if !set.Seen("seed") { // prompts that no server has seen
		r.workload.Seed = int(time.Now().Unix() % 1_000_000_000)
	}
	r.asked = append(r.percentiles(), set.Given().Without(func(flag string) bool { return slices.Contains(ownFlags, flag) })...)
	return nil
}

// percentiles ask each run for all that is to be decided; what the user asks for comes later, and wins.
func (r *abRun) percentiles() (to option.Settings) {
	shares := []string{"99"}
	for _, key := range r.duel.Keys() {
		if p := compare.Percentile(key); p != "" && !slices.Contains(shares, p) {
			shares = append(shares, p)
		}
	}
	to.Add("percentile-metrics", "ttft,tpot,itl,e2el")
	to.Add("metric-percentiles", strings.Join(shares, ","))
	return to
}

func (r *abRun) run(ctx context.Context, drain <-chan struct{}) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find our own program: %w", err)
	}
	d := r.duel
	d.Folder, d.MaxTime, d.Progress = r.folder, r.maxTime, r
	for side, url := range []string{r.a, r.b} {
		if d.Children[side], err = r.child(ctx, program, url); err != nil {
			return err
		}
	}
	if a, b := d.Children[0].Spec.Backend, d.Children[1].Spec.Backend; a != b && !r.workload.Quiet {
		fmt.Fprintf(r.Err, "note: A is sent %s and B %s: what differs may be the protocol's\n", a, b)
	}
	if err := d.MakeFolder(); err != nil {
		return err
	}
	r.line = r.screen.Line(r.Err, r.workload.Progress)
	r.Say(fmt.Sprintf("A %s, B %s; seeds from %d; runs in %s", outside.RedactURL(r.a), outside.RedactURL(r.b), r.workload.Seed, r.folder))
	err = d.Rounds(ctx, drain)
	r.line.Clear()
	r.screen.Close()
	switch {
	case d.Analysis() != nil:
		err = errors.Join(err, d.Save(), r.printAnalysis(d.Analysis()))
	case err == nil:
		err = r.ending()
	}
	if err != nil {
		return err
	}
	return r.ending()
}

// printAnalysis prints the analysis, with the answer in a sentence before it where people read it.
func (r *abRun) printAnalysis(a *compare.Analysis) error {
	if r.format == "json" {
		return comparison.JSON(r.Out, a)
	}
	if r.format == "table" || r.format == "markdown" {
		if _, err := fmt.Fprintf(r.Out, "%s\n\n", r.duel.Conclusion()); err != nil {
			return err
		}
	}
	return comparison.Write(r.Out, a.Comparison, a.Findings, comparison.Options{Format: r.format, Bold: command.Bold(r.Out), Version: command.Version()})
}

// ending gives the outcome its exit code.
func (r *abRun) ending() error {
	err := r.duel.Err()
	switch {
	case errors.Is(err, duel.ErrStopped):
		return command.Exit(command.ExitPartial, err)
	case errors.Is(err, duel.ErrBroken):
		return command.Exit(command.ExitGate, err)
	case errors.Is(err, duel.ErrUndecided):
		return command.Exit(command.ExitUndecided, err)
	}
	return err
}

// Round shows a run of a round, and its numbers when it is over.
func (r *abRun) Round(name, result string) {
	p := view.Point{Name: name, Phase: view.Running}
	if result != "" {
		p.Phase, p.Text = view.Done, view.Numbers(result)
	}
	r.screen.Point(p)
}

// Say is a line of progress, in a pipe too.
func (r *abRun) Say(text string) {
	if !r.workload.Quiet {
		r.line.Print("%s", text)
	}
}

// Running shows what runs now.
func (r *abRun) Running(text string) {
	if !r.workload.Quiet {
		r.line.Set("%s", text)
	}
}

// child is a side of the duel: what is sent, and to which server.
func (r *abRun) child(ctx context.Context, program, url string) (bench.Child, error) {
	asked, secrets, err := serve.SpecAt(ctx, r.Streams, r.asked.With("base-url", url).With("seed", strconv.Itoa(r.workload.Seed)))
	if err != nil {
		return bench.Child{}, err
	}
	asked.Command = nil // of each round another
	feed, control := r.screen.Children()
	return bench.Child{Program: program, Spec: asked, Secrets: secrets, Flags: []string{"--quiet"}, Live: feed, Control: control, Instead: r.instead}, nil
}
