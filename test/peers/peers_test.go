// Package peers holds real results of other tools beside ours: `vllm bench serve` and
// GuideLLM, run against the same simulator with a load of the same shape, and then
// compared. `make test-peers` gets both (about 12 GB) and runs it; it is too large for CI.
package peers

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/test/realserver"
)

// patience is how long a tool may take; on a busy machine Python needs a minute to start.
const patience = 10 * time.Minute

const how = "make test-peers"

// shape is the load that all three are asked for.
const (
	requests    = "200"
	concurrency = "8"
	promptLen   = "64"
	outputLen   = "32"
)

func TestBesideOtherTools(t *testing.T) {
	vllm := realserver.Lines(t, "INFEROMETER_VLLM", 2, how)
	guidellm := realserver.Lines(t, "INFEROMETER_GUIDELLM", 1, how)[0]
	model := vllm[1] // its tokenizer is everybody's, so that a token is a token
	program := realserver.Build(t)
	port := realserver.FreePort(t)
	sim := realserver.Start(t, port, time.Minute, nil, program, "sim", "--listen", "127.0.0.1:"+port,
		"--ttft", "50ms", "--itl", "10ms", "--tokenizer", model)

	dir := t.TempDir()
	flags := []string{
		"--backend", "vllm", "--base-url", sim.Base, "--model", "sim", "--tokenizer", model, "--dataset-name", "random", "--random-input-len", promptLen,
		"--random-output-len", outputLen, "--num-prompts", requests, "--max-concurrency", concurrency, "--percentile-metrics", "ttft,tpot,itl,e2el",
	}
	env := []string{"HF_HUB_OFFLINE=1", "VLLM_NO_USAGE_STATS=1"}
	for _, tool := range []struct{ name, command, seed string }{{"ours", program, "1"}, {"vllm", vllm[0], "2"}} {
		b := realserver.StartBench(t, env, tool.command, append([]string{"--seed", tool.seed}, flags...)...)
		b.Wait(t, 0, patience)
		if err := os.Rename(filepath.Join(b.Dir, "result.json"), filepath.Join(dir, tool.name+".json")); err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, env, guidellm, "run", "--backend", "kind=openai_http,target="+sim.Base+",model=sim,request_format=/v1/completions",
		"--profile", "kind=concurrent,streams="+concurrency, "--constraint", "kind=max_requests,count="+requests,
		"--tokenizer", "kind=huggingface_auto,model="+model, "--data", "kind=synthetic_text,prompt_tokens="+promptLen+",output_tokens="+outputLen,
		"--output", "kind=json,path=guidellm.json", "--disable-console-interactive")

	files := []string{"ours.json", "vllm.json", "guidellm.json"}
	table := run(t, dir, nil, program, append([]string{"compare", "--format", "markdown"}, files...)...)
	t.Logf("inferometer compare %s\n%s", strings.Join(files, " "), table)
	for _, want := range []string{
		"| tool | inferometer | vllm bench serve |  | guidellm |  |",
		"| completed | 200 of 200 | 200 of 200 |  | 200 of 200 |  |",
		"| mean TTFT ms ", "| mean TPOT ms ", "| mean E2EL ms ", "| output tok/s ",
		// What each means by the words, in the foot.
		"- vllm bench serve: itl is the time between chunks, not between tokens",
		"- guidellm: tpot here is GuideLLM's inter_token_latency",
		"- guidellm: throughput of tokens is the sum of tokens by the duration",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("the table has no %q", want)
		}
	}
	if strings.Contains(table, "TTFT ms | unknown") || strings.Contains(table, "of ?") {
		t.Error("something was not read")
	}
}

// run runs a program to its end and gives what it printed.
func run(t *testing.T, dir string, env []string, program string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var failed strings.Builder
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s\n%s", program, err, out, failed.String())
	}
	return string(out)
}
