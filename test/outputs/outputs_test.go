// Package outputs_test holds every command that is a pure function of files to the
// bytes it printed before: journals, results, notes and scenarios in, text out. A
// change of structure must leave all of them alone; a change of behaviour shows here
// as a diff to be read and accepted with -update.
package outputs_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "accept what the commands print now")

// large is the size from which only a digest of an output is kept: pages and pictures.
const large = 60_000

// Each line is a command, run in testdata. Its output is kept under the name before
// the colon.
const commands = `
report-closed: report runs/closed
report-closed-details: report runs/closed --details --metric-percentiles 50,90,99.9 --percentile-metrics ttft,tpot,itl,e2el
report-closed-plot: report runs/closed --plot
report-closed-compat: report runs/closed --compat vllm
report-closed-compat-details: report runs/closed --compat vllm --details
report-open: report runs/open
report-open-details: report runs/open --details
report-open-goodput: report runs/open --goodput ttft:25 e2el:60 itl_p99:10
report-faults: report runs/faults
report-faults-details: report runs/faults --details
report-chat: report runs/chat
report-chat-details: report runs/chat --details
report-drafts: report runs/drafts
report-drafts-details: report runs/drafts --details
report-replicas: report runs/replicas
report-replicas-details: report runs/replicas --details
report-eval: report runs/eval
report-eval-details: report runs/eval --details --slo "accuracy>=60% and no_answer_share<=0.3 and cut_off_share<0.2"
report-eval-slo-broken: report runs/eval --format lm-eval --slo "accuracy>=0.8"
report-eval-slo-unknown: report runs/closed --slo "accuracy>=0.8"
report-eval-slo-typo: report runs/eval --slo "accuracy>=80"
report-eval-vllm: report runs/eval --format vllm
report-eval-json: report runs/eval --format json
report-eval-markdown: report runs/closed runs/eval --format markdown
report-eval-csv: report runs/closed runs/eval --format csv
report-eval-html: report runs/closed runs/eval --format html
report-eval-lm-eval: report runs/eval --format lm-eval
report-eval-questions: report runs/eval --format questions
report-eval-questions-none: report runs/closed --format questions
report-eval-svg: report runs/eval --format svg --chart accuracy
report-eval-svg-categories: report runs/eval --format svg --chart categories
report-vllm: report runs/closed --format vllm
report-slo: report runs/open --slo "p99_ttft<=200ms and failed<1%"
report-json: report runs/closed --format json
report-json-detailed: report runs/faults --format json --detailed
report-json-chat: report runs/chat --format json
report-json-drafts: report runs/drafts --format json
report-json-replicas: report runs/replicas --format json
report-all: report runs/closed runs/faster runs/open runs/faults
report-markdown: report runs/closed runs/open runs/drafts --format markdown
report-markdown-slo: report runs/closed runs/open --format markdown --slo "p99_ttft<=200ms and failed<1%"
report-csv: report runs/closed runs/open runs/faults runs/replicas runs/drafts --format csv
report-csv-requests: report runs/faults --format csv --table requests
report-html: report runs/closed runs/open runs/faults --format html
report-html-one: report runs/drafts --format html
report-parquet: report runs/closed runs/faults --format parquet
report-svg: report runs/closed --format svg --chart timeline
report-svg-throughput: report runs/closed runs/faster runs/open --format svg
report-svg-gaps: report runs/drafts --format svg --chart gaps
report-png: report runs/closed --format png --chart timeline
report-timeline: report runs/faults --format timeline
report-dataset-stats: report runs/open --format dataset_stats
report-llmd: report runs/closed --format llmd
report-inferencex: report runs/closed --format inferencex
compare-two: compare runs/closed runs/faster
compare-sides: compare runs/closed,runs/faster runs/open
compare-list: compare runs/closed runs/faster runs/open runs/faults --list
compare-markdown: compare runs/closed runs/faster --format markdown
compare-csv: compare runs/closed runs/faster --format csv
compare-json: compare runs/closed runs/faster --format json
compare-html: compare runs/closed runs/faster --format html
compare-junit: compare runs/closed runs/faster --format junit --gate "p99_ttft<+5% and output_throughput>-3%"
compare-gate: compare runs/closed runs/faster --gate "p99_ttft<+5% and output_throughput>-3%"
compare-eval: compare runs/closed runs/eval --metrics accuracy,no_answer_share,output_throughput
compare-note: compare note.md
tokenize-text: tokenize --tokenizer ../../../tokenizer/testdata/bytes "Hello world: 日本 \x1b"
tokenize-chat: tokenize --tokenizer ../../../tokenizer/testdata/bytes --chat "hi"
tokenize-json: tokenize --tokenizer ../../../tokenizer/testdata/runes --json "Hello world"
run-check: run scenario.yaml --check
run-plan: run scenario.yaml --plan
help: --help
help-serve: bench serve --help
help-latency: bench latency --help
help-throughput: bench throughput --help
help-shapes: bench shapes --help
help-sweep-serve: bench sweep serve --help
help-sweep-workload: bench sweep serve_workload --help
help-sweep-plot: bench sweep plot --help
help-sweep-pareto: bench sweep plot_pareto --help
help-run: run --help
help-find: find --help
help-init: init --help
help-report: report --help
help-serve-report: serve-report --help
help-doctor: doctor --help
help-selftest: selftest --help
help-compare: compare --help
help-ab: ab --help
help-sim: sim --help
help-tokenize: tokenize --help
help-all-serve: bench serve --help-all
help-all-latency: bench latency --help-all
help-all-throughput: bench throughput --help-all
help-all-shapes: bench shapes --help-all
help-all-multi-turn: bench multi-turn --help-all
help-all-find: find --help-all
help-all-ab: ab --help-all
help-all-eval: eval --help-all
help-all-exec: exec --help-all
help-all-run: run --help-all
help-multi-turn: bench multi-turn --help
help-eval: eval --help
help-exec: exec --help
help-agent: agent --help
help-upload: upload --help
help-explain: explain --help
help-record: record --help
help-trace-stats: trace stats --help
help-fleet-init: fleet init --help
help-fleet-status: fleet status --help
help-fleet-attach: fleet attach --help
help-completion: completion --help
help-man: man --help
help-version: version --help
help-bench: help bench
help-bench-sweep: help bench sweep
help-word-flag: help --max-concurrency
help-word-key: help checks_made
help-word-metric: help p99_ttft
help-word-metric-plain: help tpot
help-word-outcome: help truncated
help-word-verdict: help suspect
help-word-check: help ramp_drain
help-word-exit: help 5
help-word-refused: help --use-beam-search
help-word-unknown: help tpott
man-serve: man bench serve
man-run: man run
man-eval: man eval
man-find: man find
man-report: man report
man-compare: man compare
man-sim: man sim
completion-bash: completion bash
completion-zsh: completion zsh
completion-fish: completion fish
list-tasks: eval --list-tasks
explain-closed: explain runs/closed
explain-open: explain runs/open
explain-faults: explain runs/faults
explain-chat: explain runs/chat
explain-drafts: explain runs/drafts
explain-replicas: explain runs/replicas
explain-eval: explain runs/eval
explain-json: explain runs/closed runs/open --json
compare-eval-same: compare runs/eval runs/eval
compare-aiperf: compare ../../../testdata/results/aiperf/profile_export_aiperf.json ../../../testdata/results/guidellm/guidellm_0.8.1_mock_benchmarks.json
compare-metrics: compare runs/closed runs/open --metrics p50_ttft,p99_e2el,output_throughput
spec-plain: bench serve --base-url http://127.0.0.1:9 --num-prompts 5 --print-spec
spec-closed: bench serve --base-url http://127.0.0.1:9 --model m --num-prompts 6 --max-concurrency 2 --random-input-len 8 --random-output-len 3 --seed 7 --label one --metadata gpu=none --print-spec
spec-open: bench serve --base-url http://127.0.0.1:9 --model m --request-rate 20 --burstiness 0.3 --duration 10s --seed 5 --print-spec
spec-stages: bench serve --base-url http://127.0.0.1:9 --model m --random-output-len 2 --stages 10s@2,10s@5-15 --print-spec
spec-slo: bench serve --base-url http://127.0.0.1:9 --num-prompts 2 --max-concurrency 2 --slo "p99_ttft<=200ms and failed<1%" --goodput ttft:25 e2el:60 --until "p99_ttft±5%" --print-spec
spec-chat: bench serve --backend openai-chat --base-url http://127.0.0.1:9 --model m --num-prompts 4 --temperature 0.5 --top-p 0.9 --extra-body "{}" --ignore-eos --print-spec
spec-trace: bench serve --base-url http://127.0.0.1:9 --dataset-name trace --dataset-path ../../../testdata/traces/mooncake_synthetic_trace.jsonl.gz --trace-speed 20 --trace-passes 2 --skip-tokenizer-init --print-spec
spec-users: bench serve --backend openai-chat --base-url http://127.0.0.1:9 --model m --dataset-name multi-turn --multi-turn-num-turns 3 --users 4 --spawn-rate 2 --duration 20s --print-spec
spec-save: bench serve --base-url http://127.0.0.1:9 --model m --num-prompts 4 --save-result --save-detailed --result-dir out --result-filename r.json --percentile-metrics ttft,e2el --metric-percentiles 50,99 --num-warmups 3 --ramp-up-strategy linear --ramp-up-start-rps 1 --ramp-up-end-rps 5 --print-spec
spec-replicas: bench serve --base-url http://127.0.0.1:9 --base-url http://127.0.0.1:10 --model m --num-prompts 4 --print-spec
spec-adapters: bench serve --base-url http://127.0.0.1:9 --model m --lora-modules a b --num-prompts 4 --print-spec
spec-unstreamed: bench serve --base-url http://127.0.0.1:9 --unstreamed --num-prompts 2 --random-input-len 16 --print-spec
spec-scrape: bench serve --base-url http://127.0.0.1:9 --model m --num-prompts 4 --probe-request-rate 1 --print-spec
dry-closed: bench serve --base-url http://127.0.0.1:9 --model m --tokenizer ../../../tokenizer/testdata/bytes --num-prompts 4 --max-concurrency 2 --random-input-len 64 --random-output-len 16 --dry-run
dry-json: bench serve --base-url http://127.0.0.1:9 --model m --tokenizer ../../../tokenizer/testdata/bytes --num-prompts 4 --max-concurrency 2 --random-input-len 64 --random-output-len 16 --dry-run --format json
dry-open: bench serve --base-url http://127.0.0.1:9 --model m --tokenizer ../../../tokenizer/testdata/runes --num-prompts 40 --request-rate 10 --random-input-len 64 --random-output-len 16 --random-prefix-len 64 --seed 3 --dry-run
dry-bursty: bench serve --base-url http://127.0.0.1:9 --model m --skip-tokenizer-init --random-input-len 8 --random-output-len 2 --request-rate 20 --burstiness 0.3 --duration 10s --seed 5 --dry-run
dry-stages: bench serve --base-url http://127.0.0.1:9 --model m --skip-tokenizer-init --random-input-len 8 --random-output-len 2 --stages 10s@2,10s@5-15 --dry-run
dry-chat: bench serve --backend openai-chat --base-url http://127.0.0.1:9 --model m --tokenizer ../../../tokenizer/testdata/bytes --num-prompts 3 --random-input-len 16 --temperature 0 --dry-run
dry-turns: bench serve --base-url http://127.0.0.1:9 --backend openai-chat --model m --tokenizer ../../../tokenizer/testdata/bytes --dataset-name multi-turn --num-prompts 2 --multi-turn-num-turns 3 --random-input-len 100 --random-output-len 20 --dry-run
dry-sharegpt: bench serve --base-url http://127.0.0.1:9 --model m --tokenizer ../../../tokenizer/testdata/bytes --dataset-name sharegpt --dataset-path ../../../testdata/sharegpt/sharegpt_mixed.json --num-prompts 5 --dry-run
dry-prefix: bench serve --base-url http://127.0.0.1:9 --model m --tokenizer ../../../tokenizer/testdata/bytes --dataset-name prefix_repetition --num-prompts 12 --dry-run
dry-sonnet: bench serve --base-url http://127.0.0.1:9 --model m --tokenizer ../../../tokenizer/testdata/bytes --dataset-name sonnet --num-prompts 4 --dry-run
dry-images: bench serve --backend openai-chat --base-url http://127.0.0.1:9 --model m --tokenizer ../../../tokenizer/testdata/bytes --dataset-name random-mm --num-prompts 2 --dry-run
dry-eval: eval --task gsm8k --dataset-path ../../../testdata/accuracy/gsm8k_test.jsonl --num-fewshot 0 --num-prompts 3 --model m --tokenizer ../../../tokenizer/testdata/bytes --base-url http://127.0.0.1:9 --dry-run
dry-eval-sums: eval --task sums --model m --tokenizer ../../../tokenizer/testdata/bytes --base-url http://127.0.0.1:9 --num-prompts 3 --dry-run
dry-embeddings: bench serve --backend openai-embeddings --base-url http://127.0.0.1:9 --model m --tokenizer ../../../tokenizer/testdata/bytes --num-prompts 3 --random-input-len 16 --dry-run
dry-rerank: bench serve --backend vllm-rerank --base-url http://127.0.0.1:9 --model m --tokenizer ../../../tokenizer/testdata/bytes --dataset-name random-rerank --num-prompts 3 --random-input-len 64 --dry-run
dry-custom: bench serve --backend custom --protocol-file ../../../examples/protocols/completions.yaml --base-url http://127.0.0.1:9 --model m --tokenizer ../../../tokenizer/testdata/bytes --num-prompts 3 --random-input-len 16 --dry-run
dry-sweep: bench sweep serve --serve-cmd "vllm serve m" --bench-cmd "bench serve --model m" --bench-params bench-params.json -e first --dry-run
dry-sweep-workload: bench sweep serve_workload --serve-cmd "vllm serve m" --bench-cmd "bench serve --model m" -e load --dry-run
multi-turn-dry: bench multi-turn -i turns.json -m m -p 2 -k 6 -u http://127.0.0.1:9 -- --tokenizer ../../../tokenizer/testdata/bytes --dry-run
exec-dry: exec spec.json --dry-run
exec-dry-json: exec spec.json --dry-run --format json
wrong-command: benhc
wrong-bench: bench srve
wrong-serve: bench serve --max-concurency 3
wrong-serve-value: bench serve --num-prompts many
wrong-serve-choice: bench serve --dataset-name randm
wrong-serve-together: bench serve --request-rate 5 --stages 10s@2
wrong-serve-range: bench serve --burstiness -1 --request-rate 4 --num-prompts 2
wrong-latency: bench latency --batch-sice 3
wrong-throughput: bench throughput --num-promts 3
wrong-shapes: bench shapes --promt 3
wrong-multi-turn: bench multi-turn -m m
wrong-sweep: bench sweep serv
wrong-sweep-serve: bench sweep serve --sere-cmd x
wrong-run: run scenario.yaml --chek
wrong-run-file: run nothing.yaml --check
wrong-find: find --slo "p99_tft<=3ms" --base-url http://127.0.0.1:9
wrong-find-none: find
wrong-ab: ab http://127.0.0.1:9
wrong-ab-flag: ab --agianst x
wrong-eval: eval --taks x
wrong-eval-task: eval --task gsm9k --model m
wrong-exec: exec nothing.json
wrong-report: report runs/closed --format jsn
wrong-report-none: report
wrong-report-run: report runs/nothing
wrong-report-metric: report runs/closed --percentile-metrics tftt
wrong-report-chart: report runs/closed --format svg --chart tmeline
wrong-compare: compare runs/closed runs/faster --gate "p99_tft<+5%"
wrong-compare-one: compare runs/nothing runs/closed
wrong-explain: explain runs/nothing
wrong-trace: trace stat x
wrong-trace-file: trace stats note.md
wrong-tokenize: tokenize --tokenizer nowhere/at/all x
wrong-sim: sim --tftt 3ms
wrong-man: man benhc
wrong-completion: completion tcsh
wrong-upload: upload runs/closed bucket
wrong-record: record --targt x
wrong-agent: agent --nat x
wrong-fleet: fleet stats
wrong-serve-report: serve-report runs/nothing --lisen x
wrong-init: init --bas-url x
wrong-doctor: doctor --jsn
wrong-selftest: selftest --fastt
run-check-capacity: run ../../../examples/gallery/capacity/scenario.yaml --check
run-plan-capacity: run ../../../examples/gallery/capacity/scenario.yaml --plan
run-check-fp8-accuracy: run ../../../examples/fp8-accuracy.yaml --check
run-plan-fp8-accuracy: run ../../../examples/fp8-accuracy.yaml --plan
run-check-llamacpp-vs-vllm: run ../../../examples/llamacpp-vs-vllm.yaml --check
run-plan-llamacpp-vs-vllm: run ../../../examples/llamacpp-vs-vllm.yaml --plan
run-check-quantisations: run ../../../examples/quantisations.yaml --check
run-plan-quantisations: run ../../../examples/quantisations.yaml --plan
run-check-replicas: run ../../../examples/gallery/replicas/scenario.yaml --check
run-plan-replicas: run ../../../examples/gallery/replicas/scenario.yaml --plan
run-check-request-rates: run ../../../examples/request-rates.yaml --check
run-plan-request-rates: run ../../../examples/request-rates.yaml --plan
run-check-tp8-vs-replicas-vs-spec: run ../../../examples/tp8-vs-replicas-vs-spec.yaml --check
run-plan-tp8-vs-replicas-vs-spec: run ../../../examples/tp8-vs-replicas-vs-spec.yaml --plan
run-wrong-environment: run ../../../internal/plan/scenario/testdata/errors/environment.yaml --check
run-wrong-excluded: run ../../../internal/plan/scenario/testdata/errors/excluded.yaml --check
run-wrong-extends_error: run ../../../internal/plan/scenario/testdata/errors/extends_error.yaml --check
run-wrong-extends_missing: run ../../../internal/plan/scenario/testdata/errors/extends_missing.yaml --check
run-wrong-flags: run ../../../internal/plan/scenario/testdata/errors/flags.yaml --check
run-wrong-laughs: run ../../../internal/plan/scenario/testdata/errors/laughs.yaml --check
run-wrong-matrix: run ../../../internal/plan/scenario/testdata/errors/matrix.yaml --check
run-wrong-matrix_value: run ../../../internal/plan/scenario/testdata/errors/matrix_value.yaml --check
run-wrong-not_yaml: run ../../../internal/plan/scenario/testdata/errors/not_yaml.yaml --check
run-wrong-nothing: run ../../../internal/plan/scenario/testdata/errors/nothing.yaml --check
run-wrong-per_slot: run ../../../internal/plan/scenario/testdata/errors/per_slot.yaml --check
run-wrong-placeholder: run ../../../internal/plan/scenario/testdata/errors/placeholder.yaml --check
run-wrong-replicas: run ../../../internal/plan/scenario/testdata/errors/replicas.yaml --check
run-wrong-slo: run ../../../internal/plan/scenario/testdata/errors/slo.yaml --check
run-wrong-slo_request: run ../../../internal/plan/scenario/testdata/errors/slo_request.yaml --check
run-wrong-target_kinds: run ../../../internal/plan/scenario/testdata/errors/target_kinds.yaml --check
run-wrong-twice: run ../../../internal/plan/scenario/testdata/errors/twice.yaml --check
run-wrong-unknown_key: run ../../../internal/plan/scenario/testdata/errors/unknown_key.yaml --check
run-wrong-values: run ../../../internal/plan/scenario/testdata/errors/values.yaml --check
run-wrong-wrong_types: run ../../../internal/plan/scenario/testdata/errors/wrong_types.yaml --check
trace-mooncake: trace stats ../../../testdata/traces/mooncake_synthetic_trace.jsonl.gz
trace-mooncake-json: trace stats ../../../testdata/traces/mooncake_conversation_head3000.jsonl.gz --json
trace-azure: trace stats ../../../testdata/traces/AzureLLMInferenceTrace_conv_2024_head5.csv
trace-burstgpt: trace stats ../../../testdata/traces/BurstGPT_1_head400.csv.gz
trace-vidur: trace stats ../../../testdata/traces/vidur_arxiv_summarization_head200.csv
trace-dynamo: trace stats ../../../testdata/traces/dynamo_pi_request_trace.jsonl.gz
trace-weka: trace stats ../../../testdata/traces/weka
dry-trace: bench serve --base-url http://127.0.0.1:9 --model m --skip-tokenizer-init --dataset-name trace --dataset-path ../../../testdata/traces/BurstGPT_1_head400.csv.gz --trace-speed 20 --num-prompts 20 --dry-run
dry-trace-blocks: bench serve --base-url http://127.0.0.1:9 --model m --tokenizer ../../../tokenizer/testdata/bytes --dataset-name trace --dataset-path ../../../testdata/traces/mooncake_synthetic_trace.jsonl.gz --num-prompts 5 --trace-send ids --dry-run
compare-guidellm: compare ../../../testdata/results/guidellm/guidellm_0.8.1_mock_benchmarks.json ../../../testdata/results/guidellm/llmd_guidellm_0.8.0dev18_report.json
compare-inference-perf: compare ../../../testdata/results/inference-perf/stage_0_lifecycle_metrics.json ../../../testdata/results/inference-perf/summary_lifecycle_metrics.json
compare-llama-bench: compare ../../../testdata/results/llama-bench/readme_output.json ../../../testdata/results/llama-bench/smollm2_cpu.json
compare-llama-tables: compare ../../../testdata/results/llama-bench/readme_output_tables.md
compare-vllm-console: compare ../../../testdata/results/vllm_bench/vllm_0.32_bench_serve_console.txt ../../../testdata/results/vllm_bench/vllm_bench_rust_console.txt
compare-vllm-detailed: compare ../../../testdata/results/vllm_bench/vllm_0.32_bench_serve_detailed.json ../../../testdata/results/vllm_bench/vllm_bench_rust_detailed.json
`

func TestOutputs(t *testing.T) {
	bin := build(t)
	for line := range strings.Lines(strings.TrimSpace(commands)) {
		name, args, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			t.Fatalf("%q names no output", line)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden(t, filepath.Join("testdata", "golden", name), run(t, bin, words(args)))
		})
	}
}

// TestSite holds each page of a folder of runs to its digest.
func TestSite(t *testing.T) {
	bin := build(t)
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "runs"), os.DirFS(filepath.Join("testdata", "runs"))); err != nil {
		t.Fatal(err)
	}
	// A young folder without a result is a run that goes on.
	old := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := filepath.WalkDir(filepath.Join(dir, "runs"), func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, old, old))
	}); err != nil {
		t.Fatal(err)
	}
	site := filepath.Join(dir, "site")
	if out, err := exec.Command(bin, "serve-report", filepath.Join(dir, "runs"), "-o", site).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var list []byte
	if err := filepath.WalkDir(site, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		page, err := os.ReadFile(path)
		name, _ := filepath.Rel(site, path)
		page = bytes.ReplaceAll(page, []byte(dir+"/"), nil)
		list = fmt.Appendf(list, "%x %d %s\n", sha256.Sum256(page), len(page), name)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	golden(t, filepath.Join("testdata", "golden", "site"), list)
}

// build gives the path of the command, made of the tree as it is.
func build(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "inferometer")
	// Without the commit in its version: pages name the version that wrote them.
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", bin, "../../cmd/inferometer").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// run gives a command's exit code, output and complaints as one text.
func run(t *testing.T, bin string, args []string) []byte {
	t.Helper()
	cmd := exec.Command(bin, args...)
	cmd.Dir = "testdata"
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "COLUMNS=100", "NO_COLOR=1", "OPENAI_API_KEY=")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	code := 0
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			t.Fatal(err)
		}
		code = exit.ExitCode()
	}
	if strings.Contains(stderr.String(), "\ngoroutine ") {
		t.Fatalf("it panics, which no recorded output can make right:\n%s", stderr.String())
	}
	here, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Dir(filepath.Dir(filepath.Dir(here)))
	plain := strings.NewReplacer(here+"/", "", root+"/", "", bin, "inferometer") // the same on every machine
	out := []byte(plain.Replace(stdout.String()))
	if len(out) > large || bytes.ContainsRune(out, 0) {
		sum := sha256.Sum256(out)
		out = fmt.Appendf(nil, "%d bytes, sha256 %s\n", len(out), hex.EncodeToString(sum[:]))
	}
	text := fmt.Appendf(nil, "exit %d\n", code)
	text = append(text, out...)
	if stderr.Len() > 0 {
		text = append(append(text, "-- stderr --\n"...), plain.Replace(stderr.String())...)
	}
	return text
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test ./test/outputs -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("printed before (-) and now (+):\n%s", diff)
	}
}

// words splits a command line at spaces; double quotes hold words together.
func words(line string) (out []string) {
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}
