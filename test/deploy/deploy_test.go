// Package deploy runs what deploy/ has for other projects' harnesses against the simulator, with the
// variables that these projects set, and has their own code read the results where it is at hand.
package deploy

import (
	"context"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/sim/subprocess"
	"github.com/inferometer/inferometer/internal/testfiles"
	"github.com/inferometer/inferometer/test/realserver"
)

var update = flag.Bool("update", false, "write the golden files")

const patience = 5 * time.Minute

// tools skips a test on a machine without the programs that a script needs.
func tools(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("the script needs %s, which is not installed", name)
		}
	}
}

func startSim(t *testing.T, program string, flags ...string) *subprocess.Sim {
	t.Helper()
	sim, err := subprocess.Start(program, append([]string{"--ttft", "20ms", "--itl", "2ms"}, flags...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sim.Stop() })
	return sim
}

// script runs a program with more variables and gives its exit code and what it printed.
func script(t *testing.T, dir string, env []string, program string, args ...string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func readJSON(t *testing.T, path string) (into map[string]any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return into
}

// keys are the paths of all values of an object, sorted.
func keys(prefix string, of map[string]any) (all []string) {
	for _, k := range slices.Sorted(maps.Keys(of)) {
		if inner, ok := of[k].(map[string]any); ok {
			all = append(all, keys(prefix+k+".", inner)...)
		} else {
			all = append(all, prefix+k)
		}
	}
	return all
}

func golden(t *testing.T, name string, got []string) {
	t.Helper()
	path, text := filepath.Join("testdata", name), strings.Join(got, "\n")+"\n"
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("%s: keys are\n%s\nwant\n%s", name, text, want)
	}
}

func TestLLMDBenchmark(t *testing.T) {
	tools(t, "bash", "yq", "jq", "awk", "python3")
	program := realserver.Build(t)
	sim := startSim(t, program)
	from := filepath.Join(testfiles.Root(t), "deploy", "llm-d-benchmark")
	space, results := t.TempDir(), filepath.Join(t.TempDir(), "results")
	if err := os.CopyFS(space, os.DirFS(filepath.Join(from, "workload"))); err != nil {
		t.Fatal(err)
	}
	profile, err := os.ReadFile(filepath.Join(space, "profiles", "inferometer", "sanity_random.yaml.in"))
	if err != nil {
		t.Fatal(err)
	}
	rendered := strings.NewReplacer("REPLACE_ENV_LLMDBENCH_HARNESS_STACK_ENDPOINT_URL", sim.URL, "REPLACE_ENV_LLMDBENCH_DEPLOY_CURRENT_MODEL", "sim").Replace(string(profile))
	if err := os.WriteFile(filepath.Join(space, "profiles", "inferometer", "sanity_random.yaml"), []byte(rendered), 0o644); err != nil {
		t.Fatal(err)
	}
	env := []string{
		"INFEROMETER=" + program, "LLMDBENCH_RUN_EXPERIMENT_RESULTS_DIR=" + results, "LLMDBENCH_RUN_WORKSPACE_DIR=" + space,
		"LLMDBENCH_RUN_EXPERIMENT_HARNESS_WORKLOAD_NAME=sanity_random.yaml", "LLMDBENCH_RUN_EXPERIMENT_ID=inferometer-1763300000-abc",
		"LLMDBENCH_DESCRIPTION_TEXT=a \"quoted\" text: yes\nand a line", "LLMDBENCH_DESCRIPTION_KEYWORDS=one, two",
	}
	harness := filepath.Join(space, "harnesses", "inferometer-llm-d-benchmark.sh")
	if code, out := script(t, space, env, harness); code != 0 {
		t.Fatalf("the harness ended with %d\n%s", code, out)
	}
	if code, out := script(t, space, env, filepath.Join(from, "llmdbenchmark", "analysis", "scripts", "inferometer-analyze_results.sh")); code != 0 {
		t.Fatalf("the analysis ended with %d\n%s", code, out)
	}
	path := filepath.Join(results, "benchmark_report_v0.2,_inferometer.json.yaml")
	report, result := readJSON(t, path), readJSON(t, filepath.Join(results, "inferometer.json"))
	golden(t, "benchmark_report.keys", slices.DeleteFunc(keys("", report), func(k string) bool { return strings.Contains(k, ".native.args.") }))
	aggregate := report["results"].(map[string]any)["request_performance"].(map[string]any)["aggregate"].(map[string]any)
	ttft := aggregate["latency"].(map[string]any)["time_to_first_token"].(map[string]any)
	if ttft["p50"] != result["median_ttft_ms"] || ttft["p99p9"] != result["p99.9_ttft_ms"] || aggregate["requests"].(map[string]any)["total"] != result["num_prompts"] {
		t.Errorf("the report has %v, the result %v and %v", ttft, result["median_ttft_ms"], result["p99.9_ttft_ms"])
	}
	if summary, err := os.ReadFile(filepath.Join(results, "analysis", "summary.txt")); err != nil || !strings.Contains(string(summary), "Successful requests:") {
		t.Errorf("the summary: %v %q", err, summary)
	}
	missing := append(slices.Clone(env), "LLMDBENCH_RUN_EXPERIMENT_HARNESS_WORKLOAD_NAME=sanity_randon.yaml")
	if code, out := script(t, space, missing, harness); code != 2 || !strings.Contains(out, "no profile") {
		t.Errorf("a profile that is not there: exit code %d, %s", code, out)
	}
	loadedByTheirs(t, path, ttft["p99"].(float64))
}

// loadedByTheirs has llm-d-benchmark's own classes check a report.
func loadedByTheirs(t *testing.T, path string, p99 float64) {
	t.Helper()
	python, folder, ok := strings.Cut(strings.TrimSpace(os.Getenv("INFEROMETER_LLM_D")), "\n")
	if !ok {
		t.Skip("the report is not checked by llm-d-benchmark's classes: INFEROMETER_LLM_D is not set (a Python with pydantic, numpy and PyYAML, and the folder llmdbenchmark/analysis of a checkout)")
	}
	code, out := script(t, t.TempDir(), []string{"PYTHONPATH=" + folder}, python, "-c", `import json, sys
from benchmark_report.core import import_yaml, load_benchmark_report
report = load_benchmark_report(import_yaml(sys.argv[1]))
print(json.dumps([report.version, report.results.request_performance.aggregate.latency.time_to_first_token.p99]))`, path)
	var got []any
	last := out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:]
	if err := json.Unmarshal([]byte(last), &got); code != 0 || err != nil || got[0] != "0.2" || got[1] != p99 {
		t.Errorf("llm-d-benchmark's classes: exit code %d, %s", code, out)
	}
}

func TestInferenceX(t *testing.T) {
	tools(t, "bash", "awk")
	program := realserver.Build(t)
	sim := startSim(t, program)
	lib, dir := filepath.Join(testfiles.Root(t), "deploy", "inferencex", "benchmark_lib.sh"), t.TempDir()
	port := sim.URL[strings.LastIndex(sim.URL, ":")+1:]
	given := []string{
		"--model", "sim", "--port", port, "--backend", "vllm", "--input-len", "100", "--output-len", "50", "--random-range-ratio", "0.8",
		"--num-prompts", "40", "--max-concurrency", "4", "--result-filename", "point", "--result-dir", dir,
	}
	env := []string{"INFEROMETER=" + program, "INFEROMETER_SKIP_TOKENIZER=1"}
	if code, out := script(t, dir, env, lib, given...); code != 0 {
		t.Fatalf("the runner ended with %d\n%s", code, out)
	}
	result := readJSON(t, filepath.Join(dir, "point.json"))
	// Lengths are drawn from 40 to 50: the mean of 40 is within 3 of the middle but for one run in 10⁹.
	if mean := result["total_output_tokens"].(float64) / 40; mean < 42 || mean > 48 {
		t.Errorf("answers have %g tokens on average, want 45", mean)
	}
	for name, more := range map[string][]string{"a flag that is refused": {"--dsv4"}, "a typo": {"--num-prompt", "4"}, "no value": {"--tokenizer"}, "a ratio of 0": {"--random-range-ratio", "0"}} {
		if code, out := script(t, dir, env, lib, append(slices.Clone(given), more...)...); code != 2 {
			t.Errorf("%s: exit code %d, %s", name, code, out)
		}
	}
	utils := os.Getenv("INFEROMETER_INFERENCEX")
	if utils == "" {
		t.Skip("InferenceX's process_result.py is not run: INFEROMETER_INFERENCEX is not set (the folder utils of a checkout)")
	}
	env = append(env, "RUNNER_TYPE=cpu", "FRAMEWORK=sim", "PRECISION=fp8", "SPEC_DECODING=none", "RESULT_FILENAME=point", "ISL=100", "OSL=50",
		"DISAGG=false", "MODEL_PREFIX=sim", "IMAGE=none", "TP=1", "EP_SIZE=1", "DP_ATTENTION=false")
	if code, out := script(t, dir, env, "python3", filepath.Join(utils, "process_result.py")); code != 0 {
		t.Fatalf("process_result.py ended with %d\n%s", code, out)
	}
	made := readJSON(t, filepath.Join(dir, "agg_point.json"))
	golden(t, "inferencex.keys", keys("", made))
	if made["output_tput_per_gpu"] != result["output_throughput"] || made["p99_ttft"] != result["p99_ttft_ms"].(float64)/1000 {
		t.Errorf("it made %v of %v", made, result["output_throughput"])
	}
}
