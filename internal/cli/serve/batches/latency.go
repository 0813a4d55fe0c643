package batches

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/batch"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/workload/batches"
	"github.com/inferometer/inferometer/internal/show/report"
)

// latencyOptions is what the flags of bench latency say.
type latencyOptions struct {
	*serve.Options
	latencyShape
	ids idOptions
}

// latencyShape is the shape of the batches, and how many there are.
type latencyShape struct {
	InputLen   int    `json:"input_len" flag:"input-len" default:"32" min:"1" help:"Tokens of each prompt."`
	OutputLen  int    `json:"output_len" flag:"output-len" default:"128" min:"1" help:"Tokens to generate for each."`
	BatchSize  int    `json:"batch_size" flag:"batch-size" default:"8" min:"1" help:"Prompts sent at once."`
	N          int    `json:"n" flag:"n" default:"1" min:"1" help:"Answers to each prompt."`
	Warmups    int    `json:"warmups" flag:"num-iters-warmup" default:"10" min:"0" help:"Batches before those that are measured."`
	Iterations int    `json:"iterations" flag:"num-iters" default:"30" min:"1" help:"Batches to measure."`
	OutputJSON string `json:"output_json" flag:"output-json" metavar:"FILE" help:"Write the latencies as JSON."`
}

const groupBatch = "Batch"

func latencyFlags() (*argv.Set, *latencyOptions) {
	set := argv.New("inferometer bench latency",
		"Send batches of one fixed shape to a running server, one batch at a time, and measure how long each takes. "+
			"The flags are those of vllm bench latency, but for the engine's, which belong to the server.")
	set.Example("Eight prompts of 32 tokens, 128 tokens each, 30 times", "inferometer bench latency --base-url http://127.0.0.1:8000")
	set.Example("One long prompt at a time, with a file in vLLM's form",
		"inferometer bench latency --input-len 4096 --output-len 16 --batch-size 1 --num-iters 10 --output-json latency.json")
	_, run := serve.Flags() // for the defaults of what has no flag here
	o := &latencyOptions{Options: run}
	serve.DefineBackend(set, run)
	serve.DefineServer(set, run)
	g := argv.CommonGroup(groupBatch)
	set.Options(&o.latencyShape, g)
	run.Flag(set, "profile", g)
	set.Options(&o.ids, g)
	serve.DefineRunning(set, run)
	serve.DefineRequest(set, run)
	set.Config()
	serve.RefuseEngineFlags(set)
	set.Unsupported("use-beam-search", argv.NoValue, "a server streams no beam search")
	return set, o
}

func (o *latencyOptions) validate() error {
	if err := validateBatches(o.Options); err != nil {
		return err
	}
	if err := argv.CheckOptions(&o.latencyShape); err != nil {
		return err
	}
	return argv.CheckOptions(&o.ids)
}

func Latency(ctx context.Context, s command.Streams, args []string) error {
	set, o := latencyFlags()
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	o.Asking(ctx, s)
	if err := o.validate(); err != nil {
		return err
	}
	o.Command = append([]string{"inferometer", "bench", "latency"}, set.Redacted(args)...)
	ctx, drain, stop := command.Interrupts(ctx, s.Err)
	defer stop()
	host := o.RunHost(s)
	facts, err := prepare.Ask(ctx, &o.Spec, &host.Host)
	if err != nil {
		return err
	}
	root, err := bench.NewFolder(o.RunDir, &host.Host)
	if err != nil {
		return err
	}
	defer journal.InProgress(root)()
	o.ids.noteTexts(o.Options, facts, s.Err)
	run := batchRun{
		Options: o.Options, Streams: s, server: facts, folder: root, warmups: o.Warmups * o.latencyShape.BatchSize,
		body: serve.SamplingBody(o.N),
	}
	batches, v, err := run.do(ctx, drain, batches.BatchOptions{
		Size: o.latencyShape.BatchSize, Count: o.Iterations, Prompt: o.latencyShape.InputLen, Output: o.latencyShape.OutputLen,
		IDs: o.ids.most(facts), Text: o.ids.texts(facts), Seed: o.ids.start(),
	})
	if err != nil && len(batches) == 0 {
		return err
	}
	l := batch.LatenciesOf(batches, o.latencyShape.OutputLen*o.N)
	if o.OutputJSON != "" && len(l.Seconds) > 0 {
		err = errors.Join(err, serve.WriteJSONFile(o.OutputJSON, func(w io.Writer) error { return report.LatencyJSON(w, &l) }))
	}
	err = errors.Join(report.LatencyConsole(s.Out, &l), err)
	if !o.Quiet {
		fmt.Fprintf(s.Err, "run: %s\n", root)
	}
	bench.Prune(&host.Host, &o.Spec, root)
	if err != nil {
		return err
	}
	return o.ending(&l, v, facts)
}

func (o *latencyOptions) ending(l *batch.Latencies, v *verdict.Verdict, facts prepare.Facts) error {
	switch counted := len(l.Seconds); {
	case counted == 0 && len(l.Failures) > 0:
		return command.Exit(command.ExitNothing, fmt.Errorf("no iteration completed; the line above says why%s", o.ids.advice(facts, l.Failures[0])))
	case counted == 0:
		return command.Exit(command.ExitNothing, errors.New("no iteration completed"))
	case counted < o.Iterations:
		return command.Exit(command.ExitPartial, fmt.Errorf("%d of %d iterations are counted: the result is partial", counted, o.Iterations))
	case o.Strict && v.Level == verdict.TrustInvalid:
		return command.Exit(command.ExitInvalid, errors.New("the verdict is INVALID, and --strict asks for numbers that can be trusted"))
	}
	return nil
}
