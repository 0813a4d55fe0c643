package peers

var sglang = &Tool{
	Name: "SGLang", Of: "sglang.bench_serving, August 2026",
	Commands: []Command{
		{Words: "bench_serving", Here: "bench serve"}, {Words: "sglang.bench_serving", Here: "bench serve"}, {Words: "bench_one_batch", Here: "bench latency"},
	},
	Flags: []Flag{
		{Names: "--random-range-ratio X", Remark: "there, lengths lie between X times the length and the length; here, they vary by X up and down: SGLang's 1 is our 0, a fixed length"},
		{Names: "--output-file FILE", Here: "--save-result --append-result --result-filename %"},
		{Names: "--output-details", Here: "--save-result --save-detailed"},
		{Names: "--disable-stream", Here: "--unstreamed"},
		{Names: "--disable-ignore-eos", Remark: "the dataset `random` always generates all tokens; others do with `--ignore-eos`"},
		{Names: "--extra-request-body JSON", Here: "--extra-body %"},
		{Names: "--apply-chat-template", Remark: "the server applies it with `--backend openai-chat`; datasets of texts have it applied unless `--skip-chat-template`"},
		{Names: "--tokenize-prompt", Remark: "prompts are sent as texts; `inferometer bench shapes` sends token ids"},
		{Names: "--warmup-requests N", Here: "--num-warmups %"},
		{Names: "--flush-cache", Remark: "there is no equivalent: flush it yourself, and say so with `--forget-prompts`"},
		{Names: "--lora-name NAME…", Here: "--lora-modules %", Page: "targets"},
		{Names: "--lora-request-distribution NAME", Here: "--lora-assignment %", Values: map[string]string{"uniform": "random", "skewed": "zipf"}, Page: "targets"},
		{Names: "--lora-zipf-alpha X", Here: "--lora-zipf-exponent %", Page: "targets"},
		{Names: "--use-trace-timestamps", Here: LeaveOut, Remark: "a trace is replayed at its own times", Page: "traces"},
		{Names: "--mooncake-slowdown-factor X", Remark: "`--trace-speed` is its inverse: 0.5 takes twice as long", Page: "traces"},
		{Names: "--gsp-num-groups N", Here: "--dataset-name prefix_repetition --prefix-repetition-num-prefixes %"},
		{Names: "--gsp-prompts-per-group N", Remark: "`--num-prompts` is the number of all prompts: the groups times N"},
		{Names: "--gsp-system-prompt-len N", Here: "--prefix-repetition-prefix-len %"},
		{Names: "--gsp-question-len N", Here: "--prefix-repetition-suffix-len %"},
		{Names: "--gsp-output-len N", Here: "--prefix-repetition-output-len %"},
		{Names: "--sharegpt-context-len N", Remark: "there is no equivalent: prompts that are too long are left out by the rules of vLLM's client"},
		{Names: "--image-count N, --image-resolution", Remark: "images are `--dataset-name random-mm` with `--random-mm-bucket-config`", Page: "protocols"},
		{Names: "--pd-separated, --profile-prefill-url URL, --profile-decode-url", Remark: "`--profile` starts the profiler of the server that is measured"},
		{Names: "--return-logprob", Remark: "`--logprobs N` asks for them"},
		{Names: "--tag TEXT", Here: "--label %"},
	},
}

var llmperf = &Tool{
	Name: "llmperf", Of: "token_benchmark_ray.py of its main branch",
	Commands: []Command{{Words: "token_benchmark_ray.py", Here: "bench serve"}, {Words: "llmperf", Here: "bench serve"}},
	Flags: []Flag{
		{Names: "--mean-input-tokens N", Here: "--random-input-len %"},
		{Names: "--stddev-input-tokens X", Remark: "lengths that vary are `--input-len-dist normal:mean=…,std=…`", Page: "datasets"},
		{Names: "--mean-output-tokens N", Here: "--random-output-len %"},
		{Names: "--stddev-output-tokens X", Remark: "lengths that vary are `--output-len-dist normal:mean=…,std=…`", Page: "datasets"},
		{Names: "--num-concurrent-requests N", Here: "--max-concurrency %"},
		{Names: "--max-num-completed-requests N", Here: "--num-prompts %"},
		{Names: "--timeout SECONDS", Here: "--duration %", Remark: "it bounds the run; one request is bounded by `--request-timeout`"},
		{Names: "--additional-sampling-params JSON", Here: "--extra-body %"},
		{Names: "--results-dir DIR", Here: "-o %"},
		{Names: "--llm-api NAME", Here: "--backend %", Values: map[string]string{"openai": "openai-chat", "anthropic": "anthropic"}, Remark: "its `openai` is chat, here `openai-chat`"},
		{Names: "--metadata TEXT", Remark: "several keys have spaces between them here: `--metadata a=1 b=2`"},
		{Names: "--log-prompts", Here: "--journal-texts"},
	},
}

var locust = &Tool{
	Name: "locust", Of: "its main branch",
	Commands: []Command{{Words: "locust", Here: "bench serve"}},
	Flags: []Flag{
		{Names: "-H URL", Here: "--base-url %"},
		{Names: "--host URL", Remark: "there it takes a URL: here that is `--base-url`, and `--host` is a name or an address"},
		{Names: "-u N", Here: "--users %"},
		{Names: "-r RATE, --hatch-rate", Here: "--spawn-rate %"},
		{Names: "-t TIME, --run-time", Here: "--duration %"},
		{Names: "--headless, --autostart, --only-summary", Here: LeaveOut, Remark: "there is no web interface"},
		{Names: "-f FILE, --locustfile", Remark: "there are no scripts: what is sent is a dataset, a trace or conversations", Page: "datasets"},
		{Names: "--csv NAME, --html FILE", Here: LeaveOut, Remark: "`inferometer report RUN -o runs.csv` or `-o report.html` writes it afterwards"},
		{Names: "--json", Here: "--format json"},
		{Names: "--stop-timeout SECONDS, -s", Here: LeaveOut, Remark: "what is in flight at the end is waited for"},
		{Names: "--master, --worker, --expect-workers N", Remark: "several machines are a fleet: `--fleet` and `inferometer agent`", Page: "fleet"},
		{Names: "--exit-code-on-error N", Remark: "limits with an exit code are `--slo \"failed<1%\"`", Page: "exit-codes"},
	},
}

var k6 = &Tool{
	Name: "k6", Of: "its main branch",
	Commands: []Command{{Words: "k6", Here: "bench serve"}, {Words: "k6 run", Here: "bench serve", Remark: "sends a dataset, a trace or conversations, and runs no script"}},
	Flags: []Flag{
		{Names: "--vus N, -u", Here: "--max-concurrency %", Remark: "a closed loop"},
		{Names: "-d TIME", Here: "--duration %"},
		{Names: "--iterations N, -i", Here: "--num-prompts %"},
		{Names: "--rps RATE", Here: "--request-rate %", Remark: "arrivals are Poisson; `--burstiness inf` is a constant rate", Page: "pace"},
		{Names: "--stage TIME:N", Remark: "stages are of rates: `--stages 10s@5,60s@5-50`", Page: "pace"},
		{Names: "--insecure-skip-tls-verify", Here: "--insecure"},
		{Names: "--no-connection-reuse, --no-vu-connection-reuse", Here: "--no-keep-alive"},
		{Names: "--tag NAME=VALUE", Here: "--metadata %"},
		{Names: "--summary-export FILE", Here: "--save-result --result-filename %"},
		{Names: "--summary-trend-stats TEXT", Remark: "percentiles are `--metric-percentiles 50,95,99`"},
		{Names: "--execution-segment TEXT", Remark: "several machines are a fleet: `--fleet` and `inferometer agent`", Page: "fleet"},
	},
}

// fireworks is the load test whose words --users and --qps are accepted here.
var fireworks = &Tool{
	Name: "fw-ai/benchmark", Of: "load_test.py of its main branch",
	Commands: []Command{{Words: "load_test.py", Here: "bench serve"}},
	Flags: []Flag{
		{Names: "--provider NAME", Here: "--backend %", Values: map[string]string{"openai": "openai", "vllm": "vllm", "tgi": "tgi", "triton-infer": "trtllm"}},
		{Names: "--prompt-tokens N, -p", Here: "--random-input-len %"},
		{Names: "--max-tokens N", Here: "--random-output-len %", Remark: "`--output-len` for any dataset"},
		{Names: "--chat", Here: "--backend openai-chat"},
		{Names: "--stream", Here: LeaveOut, Remark: "answers are streamed unless `--unstreamed` is given"},
	},
}

var llamacpp = &Tool{
	Name: "llama.cpp", Of: "llama-server and llama-bench",
	Commands: []Command{{Words: "llama-bench", Here: "bench shapes"}, {Words: "llama-server", Here: "sim", Remark: "is a simulated server, without a model"}},
	Flags: []Flag{
		{Names: "-ngl N, --n-gpu-layers, -fa N, --flash-attn, -c N, --ctx-size, -np N, --parallel, -cb, --cont-batching, --kv-unified, --cache-reuse", Remark: "it belongs to `llama-server`"},
		{Names: "-m FILE", Remark: "it belongs to `llama-server`"},
		{Names: "-n N, -pg", Remark: "what llama-bench measures is `inferometer bench shapes`"},
		{Names: "-p N", Remark: "what llama-bench measures is `inferometer bench shapes`"},
	},
}

var lmEval = &Tool{Name: "lm-evaluation-harness", Of: "its commands", Commands: []Command{{Words: "lm_eval", Here: "eval"}, {Words: "lm-eval", Here: "eval"}}}

// vllm has what its own client called otherwise in older versions, and what other commands of it have.
var vllm = &Tool{
	Name: "vLLM", Of: "0.32 and before",
	Commands: []Command{
		{Words: "vllm bench serve", Here: "bench serve"},
		{Words: "vllm bench latency", Here: "bench latency"},
		{Words: "vllm bench throughput", Here: "bench throughput"},
		{Words: "vllm bench sweep", Here: "bench sweep"},
		{Words: "vllm bench", Here: "bench serve"},
		{Words: "vllm", Here: "bench serve"},
		{Words: "vllm serve", Remark: "starts a server; start it with vLLM, and measure it with `inferometer bench serve`"},
		{Words: "benchmark_serving.py", Here: "bench serve"},
		{Words: "serve", Here: "bench serve", Remark: "measures a server that runs"},
		{Words: "bench startup", Remark: "measures how a server starts, which a client can't"},
	},
	Flags: []Flag{
		{Names: "--endpoint-type NAME", Here: "--backend %", Values: map[string]string{"vllm": "vllm", "openai": "openai", "openai-chat": "openai-chat", "openai-audio": "openai-audio", "openai-embeddings": "openai-embeddings"}},
		{Names: "--dataset FILE", Here: "--dataset-name sharegpt --dataset-path %"},
		{Names: "--num-iters N, --num-iters-warmup, --batch-size", Remark: "it is a flag of `inferometer bench latency`"},
		{Names: "--output-json FILE", Here: "--save-result --result-filename %"},
		{Names: "--best-of N", Here: LeaveOut, Remark: "servers no longer know it"},
	},
}
