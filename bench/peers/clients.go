package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// client is a program to measure.
type client struct {
	name    string
	program string
	args    func(url string, l load, dir string) []string
	result  string   // its result's file, in dir; empty: it shows nothing
	env     []string // beside ours
}

// offline keeps Python's tools from asking the hub for a tokenizer: a local one is given.
var offline = []string{"HF_HUB_OFFLINE=1", "TRANSFORMERS_OFFLINE=1", "VLLM_NO_USAGE_STATS=1"}

// patient lets AIPerf's processes take their time to start on a busy machine; by default it gives up after 30 s. It is
// not told to be offline: it would take the tokenizer's folder for a name on the hub then.
var patient = []string{"AIPERF_SERVICE_REGISTRATION_TIMEOUT=300", "AIPERF_SERVICE_REGISTRATION_MAX_ATTEMPTS=300"}

// bare is the first client: the yardstick of what reading costs.
const bare = "bare"

// clients are those that are here, and a sentence for each that is not. Others are found by the variables
// that the tests use too: what scripts/vllm-cpu.sh, aiperf.sh and guidellm.sh print; vLLM's Rust client by its name in PATH.
func clients(o options) (here []client, absent []string, err error) {
	all := []client{yardstick(o), ours(o)}
	vllm, model, ok := strings.Cut(strings.TrimSpace(os.Getenv("INFEROMETER_VLLM")), "\n")
	if !ok {
		return nil, nil, fmt.Errorf("INFEROMETER_VLLM is not set: it gives the tokenizer to all clients; use make peers")
	}
	all[1].args = withTokenizer(all[1].args, model)
	all = append(all, client{"vLLM", vllm, func(url string, l load, dir string) []string {
		return append([]string{"bench", "serve", "--disable-tqdm", "--tokenizer", model}, vllmFlags(url, l, dir)...)
	}, "result.json", offline})
	if rust, err := exec.LookPath("vllm-bench"); err == nil {
		all = append(all, client{"vLLM, Rust", rust, func(url string, l load, dir string) []string {
			return append([]string{"--disable-tqdm", "--tokenizer", model}, vllmFlags(url, l, dir)...)
		}, "result.json", offline})
	} else {
		absent = append(absent, "vLLM's Rust client: no program `vllm-bench` in PATH")
	}
	for _, tool := range []struct {
		variable string
		make     func(program, model string) client
	}{{"INFEROMETER_AIPERF", aiperf}, {"INFEROMETER_GUIDELLM", guidellm}} {
		c := tool.make(strings.TrimSpace(os.Getenv(tool.variable)), model)
		if c.program == "" {
			absent = append(absent, fmt.Sprintf("%s: %s is not set", c.name, tool.variable))
			continue
		}
		all = append(all, c)
	}
	if o.only == "" {
		return all, absent, nil
	}
	wanted := append(strings.Split(o.only, ","), bare)
	here = slices.DeleteFunc(all, func(c client) bool { return !slices.Contains(wanted, c.name) })
	if len(here) < len(slices.Compact(slices.Sorted(slices.Values(wanted)))) {
		return nil, nil, fmt.Errorf("-only %s: not all of these are here", o.only)
	}
	return here, absent, nil
}

func yardstick(o options) client {
	return client{bare, filepath.Join(o.bin, "bare"), func(url string, l load, _ string) []string {
		_, addr, _ := strings.Cut(url, "://")
		return []string{"-addr", addr, "-streams", strconv.Itoa(l.Streams), "-requests", strconv.Itoa(l.Requests), "-tokens", strconv.Itoa(l.Tokens)}
	}, "", nil}
}

func ours(o options) client {
	return client{"inferometer", filepath.Join(o.bin, "inferometer"), func(url string, l load, dir string) []string {
		return append([]string{"bench", "serve", "--progress", "none", "--run-dir", filepath.Join(dir, "run")}, vllmFlags(url, l, dir)...)
	}, "result.json", nil}
}

func withTokenizer(args func(string, load, string) []string, model string) func(string, load, string) []string {
	return func(url string, l load, dir string) []string { return append(args(url, l, dir), "--tokenizer", model) }
}

// vllmFlags are those that vLLM's two clients and ours have in common.
func vllmFlags(url string, l load, dir string) []string {
	return []string{
		"--backend", "vllm", "--base-url", url, "--endpoint", "/v1/completions", "--model", "sim", "--dataset-name", "random",
		"--random-input-len", strconv.Itoa(promptTokens), "--random-output-len", strconv.Itoa(l.Tokens), "--ignore-eos",
		"--num-prompts", strconv.Itoa(l.Requests), "--max-concurrency", strconv.Itoa(l.Streams),
		"--percentile-metrics", "ttft,tpot,itl,e2el", "--metric-percentiles", "50,99",
		"--save-result", "--result-dir", dir, "--result-filename", "result.json",
	}
}

func aiperf(program, model string) client {
	return client{"AIPerf", program, func(url string, l load, dir string) []string {
		return []string{
			"profile", "--model", "sim", "--url", url, "--endpoint-type", "completions", "--streaming", "--tokenizer", model,
			"--isl", strconv.Itoa(promptTokens), "--isl-stddev", "0", "--osl", strconv.Itoa(l.Tokens), "--osl-stddev", "0",
			"--extra-inputs", "ignore_eos:true", "--use-server-token-count",
			"--concurrency", strconv.Itoa(l.Streams), "--request-count", strconv.Itoa(l.Requests),
			"--ui", "none", "--no-gpu-telemetry", "--no-server-metrics", "--artifact-dir", filepath.Join(dir, "aiperf"),
		}
	}, filepath.Join("aiperf", "profile_export_aiperf.json"), patient}
}

func guidellm(program, model string) client {
	return client{"GuideLLM", program, func(url string, l load, dir string) []string {
		return []string{
			"run", "--backend", "kind=openai_http,target=" + url + ",model=sim,request_format=/v1/completions",
			"--profile", "kind=concurrent,streams=" + strconv.Itoa(l.Streams), "--constraint", "kind=max_requests,count=" + strconv.Itoa(l.Requests),
			"--tokenizer", "kind=huggingface_auto,model=" + model,
			"--data", fmt.Sprintf("kind=synthetic_text,prompt_tokens=%d,output_tokens=%d", promptTokens, l.Tokens),
			"--output", "kind=json,path=" + filepath.Join(dir, "guidellm.json"), "--output", "kind=console", "--disable-console-interactive",
		}
	}, "guidellm.json", offline}
}
