package serve

import (
	"context"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/eval/task"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/spec"
)

const groupQuestions = "Questions"

// DefineEval declares the flags of a run whose requests are questions: those of bench serve
// that mean something for them, and those of the dataset eval.
func DefineEval(set *argv.Set, o *Options) {
	o.defineQuestions(set)
	DefineBackend(set, o)
	DefineServer(set, o)
	g := argv.Group(groupLoad)
	set.OptInt(&o.MaxConcurrency, "max-concurrency", "Most questions on their way at a time.", g, argv.Common(), argv.Shown("8, and no bound with --request-rate"))
	o.definePace(set, groupLoad, "rate", "burstiness")
	set.Int(&o.NumWarmups, "num-warmups", 0, "Requests before the measurement. They ask no question of the task.", g)
	set.Int(&o.ReadyCheckTimeoutSec, "ready-check-timeout-sec", 0, "Wait so long for the server to answer a request. 0 does not ask.", g, argv.Metavar("SECONDS"))
	set.Int(&o.Seed, "seed", 0, "Seed of arrival times. Worked examples have --fewshot-seed.", g)
	DefineRequest(set, o)
	defineResult(set, o)
	set.String(&o.SLO, "slo", "", SLOHelp, argv.CommonGroup(groupResult), argv.Metavar("LIMITS"), argv.WholeName())
	defineFormat(set, o, argv.Group(groupResult))
	defineRunning(set, o)
	set.Bool(&o.PrintSpec, "print-spec", "Print the run that the flags ask for as JSON, and send nothing; inferometer exec runs it. Secrets are variables in it.",
		argv.Group(groupOurs), argv.WholeName())
	defineEvents(set, o, argv.Group(groupOurs))
	defineRehearsal(set, o)
	o.Upload.Define(set, argv.Group(groupOurs))
	defineExport(set, o, argv.Group(groupOurs))
	set.Config()
}

// defineQuestions declares what is asked, as the dataset itself describes it.
func (o *Options) defineQuestions(set *argv.Set) {
	g := argv.Group(groupQuestions)
	o.DatasetName = workload.EvalName
	own := workload.Defaults(o.DatasetName).Own
	o.datasets = map[string]any{o.DatasetName: own}
	for _, f := range option.Fields(own) {
		offered := argv.Among(f.Choices...)
		if f.Key == "task" {
			offered = argv.Among(task.Names()...)
		}
		set.Option(f, func(text string) error { return f.SetText(own, text) }, g, offered)
		if f.Key == "task" {
			set.String(&o.Path, "dataset-path", "", "The questions' file or folder: JSONL, JSON, CSV or Parquet.", g, argv.Common(), argv.Metavar("FILE"), argv.Shown("as the task says"))
			set.Int(&o.NumPrompts, "num-prompts", 0, "Ask only the first so many questions.", g, argv.Common(), argv.Shown("all"))
		}
	}
	set.String(&o.DatasetRevision, "dataset-revision", "", "The branch, tag or commit of a set on Hugging Face's hub.", g, argv.Metavar("REVISION"), argv.Shown("main"), argv.WholeName())
}

// Eval sends questions: the flags of DefineEval are flags of bench serve, which does it.
// typed is what was typed, as it may be shown; prepare may change what the settings say.
func Eval(ctx context.Context, s command.Streams, settings option.Settings, typed []string, prepare func(*Options)) error {
	set, o := Flags()
	if err := set.Lay(settings.With("dataset-name", workload.EvalName)); err != nil {
		return err
	}
	prepare(o)
	return send(ctx, s, set, o, typed, "eval")
}

// ReadSpec reads a Spec's file.
func ReadSpec(s command.Streams, file string) (*spec.Spec, error) {
	asked, _, err := readSpec(s, file)
	return asked, err
}

// Resume goes on with a run of questions, as its Spec says.
func Resume(ctx context.Context, s command.Streams, o *Options) error {
	return newServeRun(o, s).do(ctx)
}

// Questions are the options of what is asked; nil: the run asks nothing.
func (o *Options) Questions() *workload.EvalOptions {
	own, _ := o.datasets[workload.EvalName].(*workload.EvalOptions)
	return own
}

// ShowQuestions shows each request that Eval would send with these settings, and sends none.
func ShowQuestions(ctx context.Context, s command.Streams, settings option.Settings, prepare func(*Options), see func(*workload.Request) error) (*journal.Task, error) {
	set, o := Flags()
	if err := set.Lay(settings.With("dataset-name", workload.EvalName)); err != nil {
		return nil, err
	}
	prepare(o)
	o.Asking(ctx, s)
	if err := o.Check(set); err != nil {
		return nil, err
	}
	return bench.Questions(ctx, &o.Spec, o.RunHost(s), see)
}
