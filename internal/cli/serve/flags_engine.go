package serve

import "github.com/inferometer/inferometer/internal/cli/argv"

// refuseEngineFlags declares the flags of vLLM's engine that people give to
// vllm bench latency and throughput, which start one; we measure a server that runs.
func refuseEngineFlags(set *argv.Set) {
	const reason = "it belongs to the engine, and the server already runs: start that with it"
	for _, name := range []string{
		"tensor-parallel-size", "pipeline-parallel-size", "data-parallel-size", "dtype", "quantization", "kv-cache-dtype", "max-model-len",
		"max-num-seqs", "max-num-batched-tokens", "gpu-memory-utilization", "load-format", "speculative-config", "compilation-config",
		"attention-backend", "block-size", "num-gpu-blocks-override", "cpu-offload-gb", "distributed-executor-backend", "hf-overrides",
		"revision", "tokenizer-revision", "download-dir", "swap-space", "device", "kv-transfer-config", "max-loras", "max-lora-rank",
		"limit-mm-per-prompt", "model-loader-extra-config", "profiler-config",
	} {
		if set.Lookup(name) == nil { // the revision of a tokenizer is ours to know, too
			set.Unsupported(name, argv.OneValue, reason)
		}
	}
	for _, name := range []string{
		"enforce-eager", "enable-prefix-caching", "enable-chunked-prefill", "enable-expert-parallel", "enable-lora", "async-scheduling",
		"disable-custom-all-reduce", "disable-log-stats", "disable-sliding-window",
	} {
		set.UnsupportedTriBool(name, reason)
	}
	set.Unsupported("disable-detokenize", argv.NoValue, "the answer of a server is text")
}
