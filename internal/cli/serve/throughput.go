package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/show/report"
	"github.com/inferometer/inferometer/internal/spec"
)

// throughputOptions is what the flags of bench throughput say.
type throughputOptions struct {
	*Options
	backend    string
	dataset    string // the old name of --dataset-path
	prefixLen  *int
	n          int
	outputJSON string
}

const (
	backendVLLMChat = "vllm-chat"
	prefixLen       = "prefix-len" // the general one, which bench serve does not have
)

func throughputFlags() (*argv.Set, *throughputOptions) {
	set := argv.New("inferometer bench throughput",
		"Send everything at once to a running server and measure how long all of it takes. "+
			"The flags are those of vllm bench throughput, but for the engine's, which belong to the server.")
	set.Example("1000 random prompts at once", "inferometer bench throughput --base-url http://127.0.0.1:8000 --input-len 512 --output-len 128")
	set.Example("Recorded conversations, with a file in vLLM's form",
		"inferometer bench throughput --dataset-name sharegpt --dataset-path sharegpt.json --num-prompts 500 --output-json throughput.json")
	_, serve := Flags() // for the defaults of what has no flag here
	o := &throughputOptions{Options: serve}
	set.Choice(&o.backend, "backend", spec.BackendVLLM, []string{spec.BackendVLLM, backendVLLMChat, spec.BackendOpenAI, spec.BackendChat},
		"The protocol. vllm and openai are completions, vllm-chat and openai-chat are chat completions.", argv.CommonGroup(groupServer),
		argv.Later("is an engine in the process of vLLM's benchmark; a server is measured with vllm or vllm-chat", "hf", "mii"))
	DefineServer(set, serve)
	g := argv.CommonGroup(groupLoad)
	serve.Flag(set, "num-prompts", g, argv.Help("How many requests to send."))
	serve.Flag(set, "num-warmups", g)
	serve.Flag(set, "max-concurrency", g)
	serve.Flag(set, "seed", g, argv.Help("Seed of prompts. The same seed sends the same bytes."))
	set.Int(&o.n, "n", 1, "Answers to each prompt.", g)
	serve.Flag(set, "profile", g)
	set.String(&o.outputJSON, "output-json", "", "Write the result as JSON.", g, argv.Metavar("FILE"))
	DefineRunning(set, serve)
	DefineRequest(set, serve)
	DefineDataset(set, serve)
	set.String(&o.dataset, "dataset", "", "The old name of --dataset-path, for sharegpt.", argv.Group(groupDataset), argv.Metavar("FILE"))
	set.OptInt(&o.prefixLen, prefixLen, "Tokens that all prompts begin with: "+strings.TrimPrefix(followers(kindFields(), prefixLen), "the dataset: ")+".", argv.Group(groupDataset))
	set.Config()
	RefuseEngineFlags(set)
	refuseThroughputFlags(set)
	return set, o
}

func refuseThroughputFlags(set *argv.Set) {
	set.Unsupported("async-engine", argv.NoValue, "it chooses between engines in the process; a server has one")
	set.Unsupported("prequeue-requests", argv.NoValue, "a server works on what it has")
	set.Unsupported("hf-max-batch-size", argv.OneValue, "it goes with --backend hf, an engine in the process")
	set.Unsupported("hf-enable-torch-compile", argv.NoValue, "it goes with --backend hf, an engine in the process")
	set.Unsupported("lora-path", argv.OneValue, "name adapters of the server with --lora-modules")
	for _, name := range []string{"asr-min-audio-len-sec", "asr-max-audio-len-sec"} {
		set.Unsupported(name, argv.OneValue, "audio can't be sent by this version")
	}
}

// resolve turns vLLM's ways to say things into those of bench serve.
func (o *throughputOptions) resolve(set *argv.Set) error {
	if err := o.checkEngine(set); err != nil {
		return err
	}
	o.Backend = o.backend
	if o.backend == backendVLLMChat {
		o.Backend = spec.BackendChat
	}
	if o.Path == "" {
		o.Path = o.dataset
	}
	switch { // vLLM's dataset is sharegpt, and random without a file
	case o.Path == "" && o.DatasetName != "prefix_repetition":
		o.DatasetName = "random"
	case !set.Seen("dataset-name"):
		o.DatasetName = "sharegpt"
	}
	if o.prefixLen != nil {
		if *o.prefixLen < 0 {
			return argv.Errorf("prefix-len", "must be at least 0, not %d", *o.prefixLen)
		}
		for _, own := range o.datasets {
			for _, f := range option.Fields(own) {
				if f.Follows == prefixLen && !set.Seen(f.Flag) {
					if err := f.SetText(own, strconv.Itoa(*o.prefixLen)); err != nil {
						return argv.OptionError(prefixLen, err)
					}
				}
			}
		}
	}
	if o.n < 1 || o.n > math.MaxInt16 {
		return argv.Errorf("n", "must be from 1 to %d, not %d", math.MaxInt16, o.n)
	}
	full, _ := Flags() // nothing is set in it: what has no flag here is as bench serve has it
	if err := o.Check(full); err != nil {
		return err
	}
	o.IgnoreEOS = true // as vLLM does for every dataset
	return nil
}

func Throughput(ctx context.Context, s command.Streams, args []string) error {
	set, o := throughputFlags()
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	named := o.DatasetName
	if err := o.resolve(set); err != nil {
		return err
	}
	o.DefaultBody = SamplingBody(o.n)
	o.Command = append([]string{"inferometer", "bench", "throughput"}, set.Redacted(args)...)
	r := newServeRun(o.Options, s)
	if named != o.DatasetName && set.Seen("dataset-name") {
		r.host.Say("note: without --dataset-path the dataset is random, not %s", named)
	}
	ctx, drain, stop := r.show(ctx)
	defer stop()
	err := r.execute(ctx, drain)
	r.screen.Close()
	if err != nil {
		return err
	}
	defer r.run.Close()
	of, err := r.result()
	if of == nil {
		return err
	}
	res, v := of.Result, of.Verdict
	if o.outputJSON != "" {
		err = errors.Join(err, WriteJSONFile(o.outputJSON, func(w io.Writer) error { return report.ThroughputJSON(w, res) }))
	}
	if err := errors.Join(report.ThroughputConsole(s.Out, res), err); err != nil {
		return err
	}
	r.host.Say("run: %s", r.run.Folder())
	bench.Prune(&r.host.Host, &r.Spec, r.run.Folder())
	return throughputEnding(r, res, v)
}

// throughputEnding is bench serve's, but that a request which failed makes the
// result partial: the number is for all of them or for none.
func throughputEnding(r *serveRun, res *measure.Result, v *verdict.Verdict) error {
	if err := r.ending(res, v); err != nil || res.Failed == 0 {
		return err
	}
	return command.Exit(command.ExitPartial, fmt.Errorf("%d of %d requests did not complete: the result is partial", res.Failed, res.Requests))
}

// SamplingBody has the sampling parameters of vllm bench latency and throughput.
func SamplingBody(n int) json.RawMessage {
	if n > 1 {
		return fmt.Appendf(nil, `{"temperature":1.0,"top_p":1.0,"n":%d}`, n)
	}
	return json.RawMessage(`{"temperature":1.0,"top_p":1.0}`)
}
