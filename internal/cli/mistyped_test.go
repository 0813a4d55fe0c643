package cli

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/compat/shlex"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// mistyped are command lines as people type them who come from another tool, from a web page or
// in a hurry. What each is answered is in testdata/mistyped.md.
var mistyped = []struct{ title, lines string }{
	{"Slips", `
bench serve --modle x
bench serve --num-promts 5
bench serve --concurency 8
bench serv --model x
bnch serve
comapre a b
bench serve --dataset-name rand
bench serve --backend vlm
bench serve --backend chat
bench serve --backend openai-chat-completions
bench sweep serv
help tpto
frobnicate
bench serve --xyzzy`},
	{"Dashes, quotes and switches", `
bench serve -model x
bench serve -output-len 5
bench serve –model x
bench serve —max-concurrency=8
bench serve --label “mine”
bench serve --save-result true
bench serve --save-result=false
bench serve --random-input-len 128 256
bench serve --num-prompts
--model x --num-prompts 5
bench --model x`},
	{"Numbers and times", `
bench serve --num-prompts 1k
bench serve --num-prompts 1,000
bench serve --num-prompts 1e3
bench serve --num-prompts 10s
bench serve --request-rate 50%
bench serve --request-rate 5/s
bench serve --temperature 0,5
bench serve --duration 10sec --max-concurrency 1
bench serve --duration 1day --max-concurrency 1`},
	{"Flags of another command of ours", `
compare --slo 'p99_ttft<=1s' a b
report --base-url http://127.0.0.1:9 run
doctor --num-prompts 5
explain --format json run
bench serve -o result.json
bench serve -o page.html
bench serve -o 64`},
	{"AIPerf and genai-perf", `
bench serve --concurrency 16
profile --model m --url http://127.0.0.1:9 --endpoint-type chat --streaming --isl 128 --osl 32 --concurrency 16 --request-count 100 --random-seed 1
aiperf profile -m m -u http://127.0.0.1:9 --request-rate 5 --benchmark-duration 60 --ui simple --artifact-dir out
genai-perf profile -m m -u 127.0.0.1:9 --synthetic-input-tokens-mean 200 --output-tokens-mean 100 --measurement-interval 4000
profile --model m --num-prompts 50
bench serve --api-key sk-123 --concurrency 3 --header Authorization=sk-456
bench serve --isl 128 --isl-stddev 10`},
	{"GuideLLM", `
benchmark --target http://127.0.0.1:9 --rate-type concurrent --rate 8 --max-seconds 30 --data prompt_tokens=256,output_tokens=128
guidellm benchmark --target http://127.0.0.1:9 --max-requests 100 --processor m
guidellm run --backend kind=openai_http,target=http://127.0.0.1:9 --profile kind=concurrent,streams=16 --constraint kind=max_requests,count=100`},
	{"SGLang, llmperf, locust, k6 and others", `
bench_serving --backend sglang --num-prompts 10 --output-file out.jsonl --warmup-requests 2
token_benchmark_ray.py --model m --mean-input-tokens 550 --mean-output-tokens 150 --num-concurrent-requests 4 --max-num-completed-requests 20 --timeout 60 --results-dir out
bench serve --num-concurrent-requests 4
locust -H http://127.0.0.1:9 -u 10 -r 2 -t 1m --headless
k6 run --vus 10 --duration 30s script.js
bench serve --vus 10
bench serve -u 10
bench serve -u http://127.0.0.1:9
bench serve --rps 5
find --concurrency 5 --slo 'p99_ttft<=1s'
vllm bench serve --model m --num-prompts 5
vllm serve m
serve --model m
bench serve -tp 8
bench serve -ngl 99
llama-bench -m model.gguf
lm_eval --tasks gsm8k
help --concurrency`},
}

// Every wrong command line is answered with what to type, in few lines, and sends nothing. The
// answers are in testdata/mistyped.md, written with -update.
func TestMistyped(t *testing.T) {
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	var doc strings.Builder
	doc.WriteString("# What mistyped and foreign command lines are answered\n\nWritten by `go test ./internal/cli -run TestMistyped -update`.\n")
	n := 0
	for _, part := range mistyped {
		fmt.Fprintf(&doc, "\n## %s\n", part.title)
		for line := range strings.SplitSeq(strings.TrimSpace(part.lines), "\n") {
			n++
			args, err := shlex.Split(line)
			if err != nil {
				t.Fatal(err)
			}
			var out, errs bytes.Buffer
			code := Main(t.Context(), args, strings.NewReader(""), &out, &errs)
			answer := out.String() + errs.String()
			fmt.Fprintf(&doc, "\n```console\n$ inferometer %s\n%s```\nexit code %d\n", line, answer, code)
			if code != command.ExitUsage && !strings.HasPrefix(line, "help --") {
				t.Errorf("%s: exit code %d", line, code)
			}
			if hints := strings.Count(answer, "--help"); hints > 1 {
				t.Errorf("%s: %d hints at the help", line, hints)
			}
			if strings.Contains(answer, "sk-") {
				t.Errorf("%s: a secret is shown", line)
			}
			if _, mended, ok := strings.Cut(answer, "Type:\n  inferometer bench serve "); ok {
				tryMended(t, line, mended)
			}
		}
	}
	if n < 40 {
		t.Errorf("only %d lines", n)
	}
	t.Chdir(home)
	testfiles.Written(t, *update, "internal/cli/testdata/mistyped.md", doc.String())
}

// tryMended takes a command line that people are told to type: it is one that bench serve reads.
func tryMended(t *testing.T, line, mended string) {
	t.Helper()
	args, err := shlex.Split(strings.TrimSpace(mended))
	if err != nil {
		t.Fatal(err)
	}
	set, _ := serve.Flags()
	if err := set.Parse(args); err != nil {
		t.Errorf("%s: is told to type %s: %v", line, mended, err)
	}
}
