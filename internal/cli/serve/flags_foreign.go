package serve

import (
	"slices"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/peers"
)

// refuseFlags declares the flags of vllm bench serve that we don't do, each with
// the reason that the user reads when it is set. A flag that is declared already, by a
// dataset that is there now, is none of them: its line here can go.
func refuseFlags(set *argv.Set) {
	refuse := func(reason string, arity argv.Arity, names ...string) {
		for _, name := range names {
			if set.Lookup(name) == nil {
				set.Unsupported(name, arity, reason)
			}
		}
	}

	refuse("vLLM's client accepts it and sends nothing, so that it changes nothing; leave it out", argv.NoValue, "use-beam-search")

	refuse("it goes with the sounds of the dataset hf, which can't be read by this version", argv.OneValue, "asr-min-audio-len-sec", "asr-max-audio-len-sec")
}

// ofTheServer is what is said of a flag of vLLM's engine: people bring them along from vllm serve, and from vllm bench
// latency and throughput, which start one. We measure a server that runs.
const ofTheServer = "a flag of the server (vllm serve), not of the benchmark: give it where the server is started, such as in the command of a scenario's target (inferometer run)"

// engineValues are flags of the engine that take a value, engineSwitches those that take none and have a --no- beside
// them, engineShort the short names and what other versions had.
var (
	engineValues = []string{
		"tensor-parallel-size", "pipeline-parallel-size", "data-parallel-size", "dtype", "quantization", "kv-cache-dtype", maxModelLen,
		"max-num-seqs", "max-num-batched-tokens", "gpu-memory-utilization", "load-format", "speculative-config", "compilation-config",
		"attention-backend", "block-size", "num-gpu-blocks-override", "cpu-offload-gb", "distributed-executor-backend", "hf-overrides",
		"revision", "tokenizer-revision", "download-dir", "swap-space", "device", "kv-transfer-config", "max-loras", "max-lora-rank",
		"limit-mm-per-prompt", "model-loader-extra-config", "profiler-config",
	}
	engineSwitches = []string{
		"enforce-eager", "enable-prefix-caching", "enable-chunked-prefill", "enable-expert-parallel", "enable-lora", "async-scheduling",
		"disable-custom-all-reduce", "disable-log-stats", "disable-sliding-window",
	}
	engineShort = []string{
		"-tp", "-pp", "-dp", "-dcp", "-pcp", "-ep", "-q", "-O", "-cc", "--speculative-model", "--num-speculative-tokens", "--num-scheduler-steps",
		"--use-v2-block-manager", "--disable-log-requests", "--max-seq-len-to-capture", "--tool-call-parser", "--reasoning-parser", "--enable-auto-tool-choice",
	}
)

// maxModelLen is the engine's, and the dataset multi-turn has one of its own.
const maxModelLen = "max-model-len"

// EngineFlags names the flags of the engine and of other load generators, for all commands that measure a server. A
// command's own flags win.
func EngineFlags(set *argv.Set) {
	names := slices.Clone(engineShort)
	for _, name := range slices.Concat(engineValues, engineSwitches) {
		names = append(names, "--"+name)
	}
	for _, name := range engineSwitches {
		names = append(names, "--no-"+name)
	}
	set.Foreign("is "+ofTheServer, names...)
	peers.Declare(set)
}

// RefuseEngineFlags declares them where vLLM's own command has them: latency and throughput.
func RefuseEngineFlags(set *argv.Set) {
	for _, name := range engineValues {
		if set.Lookup(name) == nil { // the revision of a tokenizer is ours to know, too
			set.Unsupported(name, argv.OneValue, "it is "+ofTheServer)
		}
	}
	for _, name := range engineSwitches {
		set.UnsupportedTriBool(name, "it is "+ofTheServer)
	}
	set.Unsupported("disable-detokenize", argv.NoValue, "the answer of a server is text")
}

// checkEngine refuses the engine's flag of which a dataset has its own, where that dataset is not the one.
func (o *Options) checkEngine(set *argv.Set) error {
	if f := set.Lookup(maxModelLen); f != nil && f.Unsupported == "" && set.Seen(maxModelLen) && o.DatasetName != "multi-turn" {
		return argv.Errorf(maxModelLen, "is %s; with --dataset-name multi-turn it bounds a conversation", ofTheServer)
	}
	return nil
}
