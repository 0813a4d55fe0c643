package serve

import (
	"errors"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/spec"
)

// TestServeStagesError: the sentence is that of pace, after the flag's name.
func TestServeStagesError(t *testing.T) {
	_, _, err := parseServe("--stages 10s")
	var usage *argv.UsageError
	if !errors.As(err, &usage) || !strings.HasPrefix(err.Error(), "--stages can't be read: ") {
		t.Errorf("got %v", err)
	}
}

// TestServeErrors: what must fail, with the sentence that the user reads.
func TestServeErrors(t *testing.T) {
	tests := []struct{ line, want string }{
		// The validation of vllm bench serve.
		{
			"--goodput p99:5", `--goodput there is no metric "p99" per request or job: there are ttft, tpot, e2el, client_queue_time, e2el_including_client_queue, ttft_first_turn, ttft_later_turns, job, job_model, tool_call, ttft_due, first_token, ` +
				"first_token_due, first_visible, first_visible_due, e2el_due, itl_mean, itl_max, itl_pNN, inter_chunk_mean, " +
				`inter_chunk_max, inter_chunk_pNN, inter_token_mean, inter_token_max, inter_token_pNN; NN is a percentile of the gaps of one request, as in itl_p99`,
		},
		{"--goodput ttft:-1", "--goodput ttft:-1: a limit per request can't be negative"},
		{"--goodput ttft:x", `--goodput "ttft:x" is no clause: write a metric, <= or :, and a value, as in ttft:500`},
		{"--goodput ttft", `--goodput "ttft" is no clause: write a metric, <= or :, and a value, as in ttft:500`},
		{"--goodput ttft:1 ttft:2", "--goodput has two limits for ttft"},
		{"--burstiness 0", "--burstiness must be above 0, not 0"},
		{"--burstiness -1", "--burstiness must be above 0, not -1"},
		{"--ramp-up-strategy linear --request-rate 5", "--ramp-up-strategy can't be used together with --request-rate: both say when requests are sent"},
		{"--ramp-up-strategy linear --ramp-up-end-rps 5", "--ramp-up-strategy needs --ramp-up-start-rps and --ramp-up-end-rps"},
		{"--ramp-up-strategy linear --ramp-up-start-rps -1 --ramp-up-end-rps 5", "--ramp-up-start-rps can't be negative, as -1 is"},
		{"--ramp-up-strategy linear --ramp-up-start-rps 1 --ramp-up-end-rps -5", "--ramp-up-end-rps can't be negative, as -5 is"},
		{"--ramp-up-strategy linear --ramp-up-start-rps 6 --ramp-up-end-rps 5", "--ramp-up-start-rps must not be above --ramp-up-end-rps, as 6 is above 5"},
		{"--ramp-up-strategy exponential --ramp-up-start-rps 0 --ramp-up-end-rps 5", "--ramp-up-start-rps must be above 0: the first request of a rate of 0 would never be sent; a ramp from 0 in time is --ramp-rate 0..5 --ramp-duration 60s"},
		{"--ramp-up-start-rps 1", "--ramp-up-start-rps needs --ramp-up-strategy; linear or exponential"},
		{"--header Authorization", `--header needs KEY=VALUE, not "Authorization"`},
		{"--metadata gpu", `--metadata needs KEY=VALUE, not "gpu"`},
		{"--endpoint /v1/embeddings", `--endpoint must end with completions for --backend openai, not "/v1/embeddings"`},
		{"--backend openai-chat --endpoint /v1/completions", `--endpoint must end with chat/completions for --backend openai-chat, not "/v1/completions"`},
		{"--endpoint /v1/chat/completions", "--endpoint is that of chat, and --backend openai sends completions; use --backend openai-chat"},
		{"--endpoint v1/completions", `--endpoint must begin with a slash, as in /v1/completions, not "v1/completions"`},
		{"--max-concurrency 0", "--max-concurrency must be at least 1, not 0"},
		{"--dataset-path x", "--dataset-path can't be used with --dataset-name random, which is made, not read; name the file's kind with --dataset-name {files}"},
		{"--random-range-ratio 1", "--random-range-ratio must be at least 0 and below 1, not 1"},
		{"--random-range-ratio nan", "--random-range-ratio must be at least 0 and below 1, not NaN"},
		{`--random-range-ratio {"input":0.1}`, `--random-range-ratio needs both ratios, as in {"input": 0.1, "output": 0.5}, not {"input":0.1}`},
		{"--random-range-ratio x", `--random-range-ratio needs a number or a JSON object, not "x"`},
		{"--extra-body [1]", `--extra-body needs a JSON object such as {"key": 1}, not [1]`},

		// Numbers out of their range.
		{"--num-prompts 0", "--num-prompts must be at least 1, not 0"},
		{"--request-rate 0", "--request-rate must be above 0, not 0"},
		{"--port 65536", "--port must be at most 65535, not 65536"},
		{"--seed -1", "--seed must be at least 0, not -1"},
		{"--seed 4294967296", "--seed must be at most 4294967295, not 4294967296"},
		{"--random-input-len 0", "--random-input-len and --random-prefix-len can't both be 0: the prompt would be empty"},
		{"--output-len -1", "--output-len must be at least 1, not -1"},
		{"--dataset-name custom --dataset-path x --custom-output-len 0", "--custom-output-len must be at least 1, or -1, not 0"},
		{"--integrity-sample 8", "--integrity-sample needs --temperature 0: texts that are drawn at random differ by themselves"},
		{"--integrity-sample -1 --temperature 0", "--integrity-sample must be at least 0, not -1"},
		{"--temperature inf", "--temperature must be finite, not inf"},
		{"--metric-percentiles 50,101", "--metric-percentiles must be from 0 to 100, not 101"},
		{"--percentile-metrics ttft,p99", `--percentile-metrics knows ttft, tpot, itl, e2el, client_queue_time, e2el_including_client_queue, ttft_first_turn, ttft_later_turns, job, job_model, tool_call, not "p99"`},

		// The server.
		{"--base-url localhost", `--base-url needs a URL such as http://host:8000, not "localhost"`},
		{"--base-url ftp://me:pw@h", `--base-url needs a URL such as http://host:8000, not "ftp://redacted@h"`},
		{"--targets http://a,http://b --base-url http://c", "--targets can't be used together with --base-url: both say where requests go"},
		{"--targets http://a --port 1", "--targets can't be used together with --port: both say where requests go"},
		{"--targets http://a,b", `--targets needs a URL such as http://host:8000, not "b"`},
		{"--targets http://a/,http://a", "--targets names http://a twice"},
		{"--targets http://me:pw@a,http://b", "--targets must have the same user and password, or none; measure servers of different logins one by one"},
		{"--targets https://a,http://b --http2", "--http2 needs a server behind TLS; give an https URL with --base-url"},
		{"--targets http://a,http://b --balance fair", "--balance must be one of round-robin, least-in-flight, sticky, not \"fair\""},
		{"--host http://x", `--host needs a name or an address, not "http://x"; a URL goes to --base-url`},
		{"--http2", "--http2 needs a server behind TLS; give an https URL with --base-url"},
		{"--proxy x", `--proxy needs a URL such as http://host:8000, not "x"`},
		{"--header a:b=c", `--header has a name that HTTP does not allow: "a:b"`},
		{"--request-id-prefix a\x01b", "--request-id-prefix has a control character, such as a line break, in the value of X-Request-Id"},
		{"--backend openai-chat --logprobs 5", `--logprobs is not sent with --backend openai-chat; use --extra-body '{"logprobs": true, "top_logprobs": 5}'`},

		// Datasets.
		{"--dataset-name sharegpt", "--dataset-path is needed for --dataset-name sharegpt"},
		{"--dataset-name sonnet --dataset-path x --sonnet-input-len 200", "--sonnet-input-len must be above --sonnet-prefix-len, and 200 is not above 200"},
		{"--dataset-name prefix_repetition --num-prompts 5", "--num-prompts must be at least --prefix-repetition-num-prefixes, and 5 is below 10"},

		// Ours.
		{"--ramp-rate 5-50", `--ramp-rate needs two rates such as 5..50, not "5-50"`},
		{"--ramp-rate 0..0", `--ramp-rate needs rates of 0 or more, not both 0, and not "0..0"`},
		{"--ramp-rate 5..50", "--ramp-rate and --ramp-duration go together: one says how high, the other how long"},
		{"--ramp-duration 5s", "--ramp-duration needs --ramp-rate"},
		{"--stages 10s@5 --request-rate 5", "--stages can't be used together with --request-rate: both say when requests are sent"},
		{"--stages 10s@5 --duration 5s", "--duration can't be used together with --stages: they say how long the run lasts"},
		{"--duration 5s", "--duration needs a bound on what is sent; give --max-concurrency, --request-rate or --num-prompts"},
		{"--duration 0", "--duration must be above 0"},
		{"--request-timeout 0", "--request-timeout must be above 0, not 0"},
		{"--duration 5s --ramp-up-strategy linear --ramp-up-start-rps 1 --ramp-up-end-rps 5", "--ramp-up-strategy goes by the number of requests and needs --num-prompts beside --duration; a ramp in time is --ramp-rate 1..5 --ramp-duration 5s"},
		{"--disable-tqdm --progress bar", "--progress bar can't be used together with --disable-tqdm"},
		{"--compat sglang", `--compat must be one of vllm, not "sglang"`},

		// What is known and refused.
		{"--backend vllm-rerank", "--dataset-name random has no queries with documents, which --backend vllm-rerank sends; use random-rerank"},
		{"--backend openai-audio", "--dataset-name random has no sounds, which --backend openai-audio sends; use custom_audio"},
		{"--dataset-name random-mm", "--dataset-name random-mm has images, which --backend openai can't send; use --backend openai-chat"},
		{"--dataset-name random-mm --backend openai-chat --random-mm-bucket-config {}", "--random-mm-bucket-config needs a size with a probability above 0"},
		{"--dataset-name random-mm --backend openai-chat --random-mm-limit-mm-per-prompt {\"image\":0}", "--random-mm-limit-mm-per-prompt says nothing of a kind that --random-mm-bucket-config has"},
		{"--backend openai-embeddings --temperature 0", "--temperature is not sent with --backend openai-embeddings; use --extra-body for a field that the server knows"},
		{"--backend openai-embeddings --goodput ttft:5", "--goodput can only be e2el with --backend openai-embeddings, not ttft: an answer has no tokens"},
		{"--dataset-name random-rerank --backend vllm-rerank --no-reranker", "--random-batch-size must be at least 2 with --no-reranker, not 1: it counts the query too"},
		{"--tokenizer-mode slow", "--tokenizer-mode slow is Python code of its own; give the tokenizer's file with --tokenizer, or use --skip-tokenizer-init"},
		{"--batch-size 8", "--batch-size needs a closed loop: --max-concurrency, and no rate; give --max-concurrency 8 for a whole batch at once"},
		{"--batch-size 8 --max-concurrency 8 --dataset-name multi-turn --backend openai-chat", "--batch-size can't be used with conversations: their turns wait for each other; use --max-conversations"},
		{"--random-batch-size 2", "--dataset-name random has several texts in a request, which --backend openai can't send; use a pooling backend, or leave --random-batch-size at 1"},
		{"--dataset-name timed_trace --dataset-path x --backend openai-chat", "--backend must send completions with --dataset-name timed_trace, whose prompts are token ids; use --backend openai or vllm"},
		{"--dataset-name trace --dataset-path x --trace-format moon", "--trace-format must be auto or one of tree, otel, guidellm, tracelab, mlperf, dag_jsonl, multi_turn, azure, burstgpt, vidur, dynamo, inferometer, bailian, mooncake, weka, agentic, not \"moon\""},
		{"--dataset-name trace --dataset-path x --trace-from 5s --trace-to 5s", "--trace-to must be later than --trace-from, and 5s is not after 5s"},
		{"--dataset-name trace --dataset-path x --until p99_ttft±5%", "--until can't be used with --dataset-name trace, which is sent at its own times: a number has an interval only while the load stays the same"},
		{"--dataset-name trace", "--dataset-path is needed for --dataset-name trace"},
		{"--use-beam-search", "--use-beam-search is not supported: vLLM's client accepts it and sends nothing, so that it changes nothing; leave it out"},
	}
	for _, tt := range tests {
		tt.want = strings.ReplaceAll(tt.want, "{files}", spec.Either(fileDatasets()))
		_, _, err := parseServe(tt.line)
		var usage *argv.UsageError
		if !errors.As(err, &usage) || err.Error() != tt.want {
			t.Errorf("%s:\n got %v\nwant %s", tt.line, err, tt.want)
		}
	}
}

// fileDatasets are the datasets that are read from a file.
func fileDatasets() (names []string) {
	for _, k := range workload.Kinds() {
		if k.File {
			names = append(names, k.Name)
		}
	}
	return names
}
