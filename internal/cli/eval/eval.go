// Package eval is inferometer eval: a run whose requests are questions. What is sent, when
// and how is as with bench serve, which does the work.
package eval

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/eval/task"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/spec"
)

// options are what the flags say beside those of a run.
type options struct {
	*serve.Options
	resume   string
	list     bool
	writeKey string
	loaded   bool // --under-load
	repeat   bool
}

func flags() (*argv.Set, *options) {
	set := argv.New("inferometer eval",
		"Ask a server the questions of a task, score the answers, and measure its speed while it answers: accuracy with its error, throughput and latency, "+
			"in one result. --resume continues a run that was killed, and does not ask answered questions again.")
	set.Example("What can be asked without a file of your own", "inferometer eval --list-tasks")
	set.Example("GSM8K, five worked examples before each question, 32 at a time",
		"inferometer eval --task gsm8k --base-url http://127.0.0.1:8000 --max-concurrency 32")
	set.Example("MMLU-Pro as a chat, one category, the first 100 questions",
		"inferometer eval --task mmlu_pro --category biology --num-prompts 100 --backend openai-chat --base-url http://127.0.0.1:8000")
	set.Example("A task of your own over a file of questions", "inferometer eval --task tasks/mine.yaml --dataset-path questions.jsonl --run-dir results/mine")
	set.Example("The first prompts as they would be sent; nothing is", "inferometer eval --task gsm8k --model m --dry-run")
	set.Example("The same questions one at a time and 32 at a time: which answers does the load change?",
		"inferometer eval --task gsm8k --base-url http://127.0.0.1:8000 --under-load --max-concurrency 32 --run-dir results/load")
	set.Example("Go on with a run that was killed", "inferometer eval --resume results/mine")
	o := &options{Options: serve.NewOptions()}
	serve.DefineEval(set, o.Options)
	g := argv.Group("Questions")
	set.String(&o.resume, "resume", "", "Continue the run in FOLDER, which was killed or interrupted: the folder has its settings, and only questions without an answer are asked.",
		g, argv.Common(), argv.Complete(argv.Run), argv.Metavar("FOLDER"), argv.WholeName())
	serve.DefineStranger(set, o.Options, g)
	set.String(&o.writeKey, flagWriteKey, "", writeKeyHelp, g, argv.Metavar("FILE"), argv.WholeName())
	set.Bool(&o.loaded, flagUnderLoad, underLoadHelp, g, argv.WholeName())
	set.Bool(&o.repeat, flagRepeat, repeatHelp, g, argv.WholeName())
	set.Bool(&o.list, "list-tasks", "List the built-in tasks, and ask nothing.", g, argv.Common(), argv.WholeName())
	return set, o
}

// Run is the command.
func Run(ctx context.Context, s command.Streams, args []string) error {
	set, o := flags()
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	switch {
	case o.list:
		return listTasks(s)
	case set.Seen(flagWriteKey):
		return o.writeTheKey(ctx, s, set)
	case o.loaded:
		return o.askUnderLoad(ctx, s, set)
	case o.repeat:
		return argv.Errorf(flagRepeat, "has a meaning only with --%s", flagUnderLoad)
	case set.Seen("resume"):
		return o.goOn(ctx, s, set)
	}
	for _, name := range []string{spec.FlagAllowWrite, spec.FlagAllowEnv} {
		if set.Seen(name) {
			return argv.Errorf(name, "has a meaning only with --resume: flags that are typed may do all that you may")
		}
	}
	return serve.Eval(ctx, s, append(set.Given(), o.further(s, set)...), o.Typed(set, args), place)
}

// concurrency is how many questions are on their way unless a flag says otherwise: a server
// is busy with it, and none is overrun.
const concurrency = "8"

// further are settings that were not given, and mean something else than with bench serve.
func (o *options) further(s command.Streams, set *argv.Set) option.Settings {
	if set.Seen("max-concurrency") || set.Seen("request-rate") {
		return nil
	}
	if !o.Quiet && !o.PrintSpec {
		fmt.Fprintf(s.Err, "%s questions at a time; change that with --max-concurrency\n", concurrency)
	}
	return option.Settings{{Flag: "max-concurrency", Values: []string{concurrency}}}
}

// listTasks prints the built-in tasks, one a line.
func listTasks(s command.Streams) error {
	for _, name := range task.Names() {
		if _, err := fmt.Fprintf(s.Out, "%-12s %s\n", name, task.About(name)); err != nil {
			return err
		}
	}
	return nil
}

// place makes the paths of files whole: a run goes on from any folder.
func place(o *serve.Options) {
	whole := func(path *string) {
		if _, err := os.Stat(*path); *path == "" || err != nil {
			return // none, or the name of a task or a set
		}
		if abs, err := filepath.Abs(*path); err == nil {
			*path = abs
		}
	}
	whole(&o.Path)
	if own := o.Questions(); own != nil {
		whole(&own.Examples)
		if strings.ContainsAny(own.Task, `./\`) { // a folder that is named like a task is not meant
			whole(&own.Task)
		}
	}
}
