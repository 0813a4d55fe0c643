package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/batch"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/send/workload/batches"
	"github.com/inferometer/inferometer/internal/show/report"
)

// latencyOptions is what the flags of bench latency say.
type latencyOptions struct {
	*Options
	inputLen, outputLen, batchSize, n, warmups, iterations int
	outputJSON                                             string
	ids                                                    idOptions
}

const groupBatch = "Batch"

func latencyFlags() (*argv.Set, *latencyOptions) {
	set := argv.New("inferometer bench latency",
		"Send batches of one fixed shape to a running server, one batch at a time, and measure how long each takes. "+
			"The flags are those of vllm bench latency, but for the engine's, which belong to the server.")
	set.Example("Eight prompts of 32 tokens, 128 tokens each, 30 times", "inferometer bench latency --base-url http://127.0.0.1:8000")
	set.Example("One long prompt at a time, with a file in vLLM's form",
		"inferometer bench latency --input-len 4096 --output-len 16 --batch-size 1 --num-iters 10 --output-json latency.json")
	_, serve := Flags() // for the defaults of what has no flag here
	o := &latencyOptions{Options: serve}
	DefineBackend(set, serve)
	DefineServer(set, serve)
	g := argv.CommonGroup(groupBatch)
	set.Int(&o.inputLen, "input-len", 32, "Tokens of each prompt.", g)
	set.Int(&o.outputLen, "output-len", 128, "Tokens to generate for each.", g)
	set.Int(&o.batchSize, "batch-size", 8, "Prompts sent at once.", g)
	set.Int(&o.n, "n", 1, "Answers to each prompt.", g)
	set.Int(&o.warmups, "num-iters-warmup", 10, "Batches before those that are measured.", g)
	set.Int(&o.iterations, "num-iters", 30, "Batches to measure.", g)
	defineProfile(set, serve, g)
	set.String(&o.outputJSON, "output-json", "", "Write the latencies as JSON.", g, argv.Metavar("FILE"))
	o.ids.define(set, g)
	defineRunning(set, serve)
	DefineRequest(set, serve)
	set.Config()
	refuseEngineFlags(set)
	set.Unsupported("use-beam-search", argv.NoValue, "a server streams no beam search")
	return set, o
}

func (o *latencyOptions) validate() error {
	if err := validateBatches(o.Options); err != nil {
		return err
	}
	for _, r := range []struct {
		name         string
		value, least int
	}{
		{"input-len", o.inputLen, 1},
		{"output-len", o.outputLen, 1},
		{"batch-size", o.batchSize, 1},
		{"n", o.n, 1},
		{"num-iters-warmup", o.warmups, 0},
		{"num-iters", o.iterations, 1},
	} {
		if r.value < r.least || r.value > math.MaxInt32 {
			return argv.Errorf(r.name, "must be from %d to %d, not %d", r.least, math.MaxInt32, r.value)
		}
	}
	return o.ids.check()
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
	facts, err := bench.Ask(ctx, &o.Spec, host)
	if err != nil {
		return err
	}
	root, err := bench.NewFolder(o.RunDir, host)
	if err != nil {
		return err
	}
	defer journal.InProgress(root)()
	o.ids.noteTexts(o.Options, facts, s.Err)
	run := batchRun{
		Options: o.Options, Streams: s, server: facts, folder: root, warmups: o.warmups * o.batchSize,
		body: samplingBody(o.n),
	}
	batches, v, err := run.do(ctx, drain, batches.BatchOptions{
		Size: o.batchSize, Count: o.iterations, Prompt: o.inputLen, Output: o.outputLen,
		IDs: o.ids.most(facts), Text: o.ids.texts(facts), Seed: o.ids.start(),
	})
	if err != nil && len(batches) == 0 {
		return err
	}
	l := batch.LatenciesOf(batches, o.outputLen*o.n)
	if o.outputJSON != "" && len(l.Seconds) > 0 {
		err = errors.Join(err, writeJSONFile(o.outputJSON, func(w io.Writer) error { return report.LatencyJSON(w, &l) }))
	}
	err = errors.Join(report.LatencyConsole(s.Out, &l), err)
	if !o.Quiet {
		fmt.Fprintf(s.Err, "run: %s\n", root)
	}
	o.Prune(root, host)
	if err != nil {
		return err
	}
	return o.ending(&l, v, facts)
}

func (o *latencyOptions) ending(l *batch.Latencies, v *verdict.Verdict, facts bench.Facts) error {
	switch counted := len(l.Seconds); {
	case counted == 0 && len(l.Failures) > 0:
		return command.Exit(command.ExitNothing, fmt.Errorf("no iteration completed; the line above says why%s", o.ids.advice(facts, l.Failures[0])))
	case counted == 0:
		return command.Exit(command.ExitNothing, errors.New("no iteration completed"))
	case counted < o.iterations:
		return command.Exit(command.ExitPartial, fmt.Errorf("%d of %d iterations are counted: the result is partial", counted, o.iterations))
	case o.Strict && v.Level == verdict.TrustInvalid:
		return command.Exit(command.ExitInvalid, errors.New("the verdict is INVALID, and --strict asks for numbers that can be trusted"))
	}
	return nil
}

// samplingBody has the sampling parameters of vllm bench latency and throughput.
func samplingBody(n int) json.RawMessage {
	if n > 1 {
		return fmt.Appendf(nil, `{"temperature":1.0,"top_p":1.0,"n":%d}`, n)
	}
	return json.RawMessage(`{"temperature":1.0,"top_p":1.0}`)
}
