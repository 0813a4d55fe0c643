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
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "accept what the commands print now")

// large is the size from which only a digest of an output is kept: pages and pictures.
const large = 60_000

// Each line is a command, run in testdata. Its output is kept under the name before
// the colon.
const commands = `
report-closed: report runs/closed
report-closed-ci: report runs/closed --ci --metric-percentiles 50,90,99.9 --percentile-metrics ttft,tpot,itl,e2el
report-closed-plot: report runs/closed --plot
report-closed-compat: report runs/closed --compat vllm
report-open: report runs/open
report-open-goodput: report runs/open --goodput ttft:25 e2el:60 itl_p99:10
report-faults: report runs/faults
report-chat: report runs/chat
report-drafts: report runs/drafts
report-replicas: report runs/replicas
report-eval: report runs/eval
report-eval-ci: report runs/eval --ci --slo "accuracy>=60% and no_answer_share<=0.3 and cut_off_share<0.2"
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
`

func TestOutputs(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "inferometer")
	// Without the commit in its version: pages name the version that wrote them.
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", bin, "../../cmd/inferometer").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
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
	plain := strings.NewReplacer(here+"/", "", bin, "inferometer") // the same on every machine
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
