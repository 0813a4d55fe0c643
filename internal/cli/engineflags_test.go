package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// Flags of the engine that come along from vllm serve get one sentence everywhere: whose they are, and where they go.
func TestEngineFlagsGetOneSentence(t *testing.T) {
	t.Parallel()
	const want = "a flag of the server (vllm serve), not of the benchmark: give it where the server is started, such as in the command of a scenario's target (inferometer run)"
	for _, command := range []string{"bench serve", "bench latency", "bench throughput", "bench shapes", "bench multi-turn", "find --slo failed<1%", "ab --a http://127.0.0.1:1 --b http://127.0.0.1:2", "eval"} {
		for _, flags := range []string{
			"-tp 8", "-tp=8", "-pp 2", "-dp 2", "-q fp8", "--tensor-parallel-size 8", "--tensor_parallel_size=8", "--gpu-memory-utilization 0.9", "--max-model-len 4096", "--dtype float16",
			"--quantization fp8", "--enforce-eager", "--no-enable-prefix-caching", "--block-size 16",
		} {
			args := append(strings.Fields(command), strings.Fields(flags)...)
			var said bytes.Buffer
			code := Main(t.Context(), args, strings.NewReader(""), io.Discard, &said)
			name, _, _ := strings.Cut(strings.Fields(flags)[0], "=")
			name = strings.TrimPrefix(strings.ReplaceAll(name, "_", "-"), "--no-")
			if code != 2 || !strings.Contains(said.String(), want) || !strings.Contains(strings.ReplaceAll(said.String(), "_", "-"), name) {
				t.Errorf("%s %s: %d %s", command, flags, code, &said)
			}
		}
	}
}
