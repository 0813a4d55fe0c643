package main

import (
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

// peers are the clients of others that are installed here. vLLM's Python client
// is found by INFEROMETER_VLLM (the two lines that scripts/vllm-cpu.sh prints:
// the command and a model folder with a tokenizer), its Rust client by its name.
func (o options) peers() []client {
	command, model, ok := strings.Cut(strings.TrimSpace(os.Getenv("INFEROMETER_VLLM")), "\n")
	if !ok {
		return nil
	}
	flags := func(sim *subprocess.Sim, streams, requests int) []string {
		endpoint := "/v1/completions"
		if o.backend == "openai-chat" {
			endpoint = "/v1/chat/completions"
		}
		return []string{
			"--backend", o.backend, "--base-url", sim.URL, "--endpoint", endpoint, "--model", "sim", "--tokenizer", model,
			"--dataset-name", "random", "--random-input-len", "256", "--random-output-len", strconv.Itoa(o.tokens),
			"--num-prompts", strconv.Itoa(requests), "--max-concurrency", strconv.Itoa(streams), "--disable-tqdm",
		}
	}
	all := []client{{"vllm bench serve", func(sim *subprocess.Sim, streams, requests int, _ string) *exec.Cmd {
		cmd := exec.Command(command, append([]string{"bench", "serve"}, flags(sim, streams, requests)...)...)
		cmd.Env = append(os.Environ(), "HF_HUB_OFFLINE=1", "VLLM_NO_USAGE_STATS=1")
		return cmd
	}}}
	if rust, err := exec.LookPath("vllm-bench"); err == nil {
		all = append(all, client{"vllm-bench", func(sim *subprocess.Sim, streams, requests int, _ string) *exec.Cmd {
			return exec.Command(rust, flags(sim, streams, requests)...)
		}})
	}
	return all
}
