package serve

import (
	"context"
	"errors"
	"io"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/eval/task"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/prepare"
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
	o.Flag(set, "max-concurrency", argv.Help("Maximum number of questions in flight."), argv.Shown("8, and no bound with --request-rate"))
	o.definePace(set, groupLoad, "rate", "burstiness")
	o.Flag(set, "num-warmups", argv.Help("Requests before the measurement. They ask no question of the task."), argv.Seldom())
	o.Flag(set, "ready-check-timeout-sec")
	o.Flag(set, "seed", argv.Help("Seed of arrival times. Worked examples have --fewshot-seed."), argv.Seldom())
	DefineRequest(set, o)
	o.define(set, func(f *option.Field) bool { return f.Group == groupResult && !isPlot(f) })
	defineShown(set, o)
	DefineRunning(set, o)
	set.Config()
}

// defineQuestions declares what is asked, as the dataset itself describes it.
func (o *Options) defineQuestions(set *argv.Set) {
	g := argv.Group(groupQuestions)
	o.DatasetName, o.NumPrompts = workload.EvalName, 0
	own := workload.Defaults(o.DatasetName).Own
	o.datasets = map[string]any{o.DatasetName: own}
	for _, f := range option.Fields(own) {
		if f.Key == "task" {
			f.Offered = task.Names()
		}
		set.Option(f, func(texts []string) error { return f.SetTexts(own, texts) }, g)
		if f.Key == "task" {
			o.Flag(set, "dataset-path", g, argv.Help("The questions' file or folder: JSONL, JSON, CSV or Parquet."), argv.Shown("as the task says"))
			o.Flag(set, "num-prompts", g, argv.Help("Ask only the first N questions."), argv.Shown("all"))
		}
	}
	o.Flag(set, "dataset-revision", g, argv.Help("The branch, tag or commit of a set on Hugging Face's hub."))
}

// Eval sends questions: the flags of DefineEval are flags of bench serve, which does it.
// typed is what was typed, as it may be shown; change may change what the settings say.
func Eval(ctx context.Context, s command.Streams, settings option.Settings, typed []string, change func(*Options)) error {
	set, o := Flags()
	if err := set.Lay(settings.With("dataset-name", workload.EvalName)); err != nil {
		return err
	}
	change(o)
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
func ShowQuestions(ctx context.Context, s command.Streams, settings option.Settings, change func(*Options), see func(*workload.Request) error) (*journal.Task, error) {
	set, o := Flags()
	if err := set.Lay(settings.With("dataset-name", workload.EvalName)); err != nil {
		return nil, err
	}
	change(o)
	o.Asking(ctx, s)
	if err := o.Check(set); err != nil {
		return nil, err
	}
	r, err := prepare.Dry(ctx, &o.Spec, &o.RunHost(s).Host)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if r.Data.Task == nil {
		return nil, argv.Errorf("task", "is needed: the run asks no questions")
	}
	for {
		w, err := r.Data.Next()
		if errors.Is(err, io.EOF) {
			return r.Data.Task, ctx.Err()
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = see(w)
		}
		if err != nil {
			return nil, err
		}
	}
}
