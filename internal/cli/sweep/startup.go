package sweep

import (
	"context"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/view"
)

// benchFlag is the name of a flag about what measures.
func (o *options) benchFlag(what string) string {
	if o.startup {
		return "startup-" + what
	}
	return "bench-" + what
}

func runStartup(ctx context.Context, s command.Streams, args []string) error {
	set := argv.New("inferometer bench sweep startup", "Measure the start of a server under many settings of it; a drop-in for vllm bench sweep startup.")
	set.Example("Each setting of serve.json, three cold and three warm starts",
		"inferometer bench sweep startup --startup-cmd \"inferometer bench startup --command 'vllm serve MODEL --port {port}'\" --serve-params serve.json -e starts")
	o := &options{startup: true}
	var strict bool
	set.String(&o.benchCmd, "startup-cmd", "vllm bench startup", "Command that measures a start. Settings of the server go into its --command; vLLM's own takes them itself.", argv.Metavar("COMMAND"))
	set.String(&o.serveParams, "serve-params", "", "JSON file with settings of the server: a list of objects, or an object of named ones.", argv.Metavar("FILE"))
	set.String(&o.benchParams, "startup-params", "", "JSON file with settings of the measurement, such as num_iters_cold. Each is run with each setting of the server.", argv.Metavar("FILE"))
	set.Bool(&strict, "strict-params", "Accepted and without effect: a setting that the command does not know always ends the sweep. vLLM drops it unless told.")
	set.String(&o.outputDir, "output-dir", "results", "Folder of all experiments.", argv.Output(), argv.Metavar("DIR"))
	set.String(&o.experiment, "experiment-name", "", "Name of this one, and of its folder.", argv.Short('e'), argv.Metavar("NAME"), argv.Shown("the time"))
	set.Int(&o.runs, "num-runs", 1, "Runs of each combination.")
	set.Bool(&o.showStdout, "show-stdout", "Show what the commands print. It is in their logs too.")
	set.Bool(&o.dryRun, "dry-run", "Print the commands and run none.")
	view.Define(set, &o.progress)
	set.Bool(&o.resume, "resume", "Go on with an experiment that was stopped: only what has no result is run.")
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	r, err := o.runner(s)
	if err != nil {
		return err
	}
	return o.run(ctx, s, r, r.Run)
}
