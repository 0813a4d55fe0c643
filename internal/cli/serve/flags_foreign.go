package serve

import "github.com/inferometer/inferometer/internal/cli/argv"

// foreignFlags names what people bring along in command lines of other programs, with
// what to do about each.
func foreignFlags(set *argv.Set) {
	set.Foreign("is llama.cpp's: give it to llama-server; what llama-bench measures is inferometer bench shapes",
		"-ngl", "--n-gpu-layers", "-fa", "--flash-attn", "-m", "-c", "--ctx-size", "-np", "--parallel", "-cb", "--cont-batching", "--kv-unified", "--cache-reuse", "-n", "-pg")
	for name, advice := range map[string]string{
		"--endpoint-type": "is the old name: use --backend",
		"--dataset":       "is the old name: use --dataset-name and --dataset-path, as in --dataset-name sharegpt --dataset-path FILE",
		"--num-iters":     "is of inferometer bench latency", "--num-iters-warmup": "is of inferometer bench latency", "--batch-size": "is of inferometer bench latency",
		"--output-json":   "is of inferometer bench latency and throughput: here use --save-result and --result-filename",
		"--best-of":       "is not known to servers any more: leave it out",
		"-H":              "is locust's: use --base-url",
		"--provider":      "is fw-ai/benchmark's: use --backend",
		"--headless":      "is locust's: leave it out",
		"-u":              "is locust's: use --users",
		"-r":              "is locust's: use --spawn-rate",
		"-t":              "is locust's: use --duration",
		"--run-time":      "is locust's: use --duration",
		"-p":              "is fw-ai/benchmark's for --random-input-len; llama-bench's is in inferometer bench shapes",
		"--prompt-tokens": "is fw-ai/benchmark's: use --random-input-len",
		"-o":              "is fw-ai/benchmark's: use --random-output-len",
		"--max-tokens":    "is fw-ai/benchmark's: use --random-output-len, or --output-len for any dataset",
		"--chat":          "is fw-ai/benchmark's: use --backend openai-chat",
		"--stream":        "is fw-ai/benchmark's: leave it out, answers are streamed always",
		"--api-key":       "is given in the variable OPENAI_API_KEY, where no list of processes shows it",
	} {
		set.Foreign(advice, name)
	}
}
