"""The program's commands as functions, each flag a keyword with its type.

Written from the program's own declarations by
    go test ./internal/cli -run TestPythonCommands -update
A keyword that is left out, or None, is not given to the program: its default is the program's.
"""

from typing import Any, Dict, Literal, Mapping, Optional, Sequence, Union

from . import _compare, _experiment, _find, _run
from ._compare import Comparison, Side
from ._experiment import Experiment
from ._find import Found
from ._run import Run
from ._words import Path, Span

# How values become words, where it is not by their own type alone.
_BENCH: Dict[str, str] = {
    "header": "pairs=",
    "client_share": "json",
    "stages": "json",
    "ramp_rate": "json",
    "targets": "commas",
    "replica": "commas",
    "metrics_url": "commas",
    "fault": "json",
    "server_log": "commas",
    "allow_read": "json",
    "extra_body": "json",
    "chat_template_kwargs": "json",
    "chat_template_date": "json",
    "lora_modules": "words",
    "random_range_ratio": "json",
    "input_len_dist": "json",
    "output_len_dist": "json",
    "think_time": "json",
    "self_timed": "two-way",
    "trace_barriers": "two-way",
    "trace_split": "two-way",
    "trace_models": "commas",
    "random_mm_limit_mm_per_prompt": "json",
    "random_mm_bucket_config": "json",
    "metadata": "pairs=",
    "timeline_itl_thresholds": "commas",
    "percentile_metrics": "commas",
    "metric_percentiles": "commas",
    "goodput": "pairs:",
    "fleet_label": "json",
    "agents": "commas",
}
_FIND: Dict[str, str] = {
    "tolerance": "json",
    "header": "pairs=",
    "client_share": "json",
    "targets": "commas",
    "replica": "commas",
    "metrics_url": "commas",
    "fault": "json",
    "server_log": "commas",
    "allow_read": "json",
    "extra_body": "json",
    "chat_template_kwargs": "json",
    "chat_template_date": "json",
    "lora_modules": "words",
    "random_range_ratio": "json",
    "input_len_dist": "json",
    "output_len_dist": "json",
    "think_time": "json",
    "self_timed": "two-way",
    "trace_barriers": "two-way",
    "trace_split": "two-way",
    "trace_models": "commas",
    "random_mm_limit_mm_per_prompt": "json",
    "random_mm_bucket_config": "json",
    "fleet_label": "json",
}
_COMPARE: Dict[str, str] = {
    "metrics": "commas",
}
_RUN: Dict[str, str] = {
    "only": "commas",
    "set": "pairs=",
}


def bench(
    base_url: Optional[str] = None,
    *,
    show: Optional[bool] = None,
    backend: Optional[Literal["auto", "vllm", "openai", "openai-chat", "openai-audio", "sglang", "tgi", "openai-embeddings", "openai-embeddings-chat", "openai-embeddings-clip", "openai-embeddings-vlm2vec", "infinity-embeddings", "infinity-embeddings-clip", "vllm-pooling", "vllm-rerank", "ollama", "ollama-chat", "llamacpp", "trtllm", "kserve", "openai-responses", "anthropic", "custom"]] = None,
    protocol_file: Optional[Path] = None,
    host: Optional[str] = None,
    port: Optional[int] = None,
    header: Optional[Union[Mapping[str, Any], Sequence[str]]] = None,
    endpoint: Optional[str] = None,
    model: Optional[str] = None,
    served_model_name: Optional[str] = None,
    tokenizer: Optional[Path] = None,
    tokenizer_revision: Optional[str] = None,
    tokenizer_mode: Optional[Literal["auto", "hf", "mistral"]] = None,
    skip_tokenizer_init: Optional[bool] = None,
    request_id_prefix: Optional[str] = None,
    session_header: Optional[str] = None,
    trace_id: Optional[str] = None,
    insecure: Optional[bool] = None,
    label: Optional[str] = None,
    trust_remote_code: Optional[bool] = None,
    num_prompts: Optional[int] = None,
    request_rate: Optional[float] = None,
    burstiness: Optional[float] = None,
    ready_check_timeout_sec: Optional[int] = None,
    max_concurrency: Optional[int] = None,
    max_requests: Optional[int] = None,
    max_conversations: Optional[int] = None,
    num_warmups: Optional[int] = None,
    seed: Optional[int] = None,
    client_share: Optional[Union[str, float, Mapping[str, Any]]] = None,
    request_cancellation_rate: Optional[float] = None,
    request_cancellation_delay: Optional[Span] = None,
    request_cancellation_tokens: Optional[int] = None,
    ramp_up_strategy: Optional[Literal["linear", "exponential"]] = None,
    ramp_up_start_rps: Optional[int] = None,
    ramp_up_end_rps: Optional[int] = None,
    duration: Optional[Span] = None,
    stages: Optional[Union[str, float, Mapping[str, Any]]] = None,
    ramp_rate: Optional[Union[str, float, Mapping[str, Any]]] = None,
    ramp_duration: Optional[Span] = None,
    unstreamed: Optional[bool] = None,
    targets: Optional[Union[str, Sequence[str]]] = None,
    balance: Optional[Literal["round-robin", "least-in-flight", "sticky"]] = None,
    replica_key: Optional[str] = None,
    engine: Optional[Literal["auto", "loop", "nethttp"]] = None,
    http2: Optional[bool] = None,
    no_keep_alive: Optional[bool] = None,
    proxy: Optional[str] = None,
    replica: Optional[Union[str, Sequence[str]]] = None,
    metrics_url: Optional[Union[str, Sequence[str]]] = None,
    metrics_map: Optional[Path] = None,
    request_timeout: Optional[Span] = None,
    deadline: Optional[Span] = None,
    until: Optional[str] = None,
    batch_size: Optional[int] = None,
    fault: Optional[Union[str, float, Mapping[str, Any]]] = None,
    continuous_usage: Optional[bool] = None,
    run_dir: Optional[Path] = None,
    keep_runs: Optional[int] = None,
    journal_texts: Optional[bool] = None,
    scrape_every: Optional[Span] = None,
    server_log: Optional[Union[str, Sequence[str]]] = None,
    hardware: Optional[str] = None,
    forget_prompts: Optional[bool] = None,
    save_conversations: Optional[Path] = None,
    strict: Optional[bool] = None,
    compat: Optional[Literal["vllm"]] = None,
    integrity_sample: Optional[int] = None,
    price_per_hour: Optional[float] = None,
    gpus: Optional[int] = None,
    allow_code: Optional[bool] = None,
    power: Optional[str] = None,
    details: Optional[bool] = None,
    allow_read: Optional[Union[str, float, Mapping[str, Any]]] = None,
    users: Optional[int] = None,
    spawn_rate: Optional[float] = None,
    qps: Optional[float] = None,
    qps_distribution: Optional[Literal["constant", "exponential"]] = None,
    summary_file: Optional[Path] = None,
    multi_turn: Optional[bool] = None,
    multi_turn_concurrency: Optional[int] = None,
    multi_turn_delay_ms: Optional[int] = None,
    probe_request_rate: Optional[float] = None,
    profile: Optional[bool] = None,
    temperature: Optional[float] = None,
    top_p: Optional[float] = None,
    top_k: Optional[int] = None,
    min_p: Optional[float] = None,
    frequency_penalty: Optional[float] = None,
    presence_penalty: Optional[float] = None,
    repetition_penalty: Optional[float] = None,
    ignore_eos: Optional[bool] = None,
    logprobs: Optional[int] = None,
    extra_body: Optional[Union[str, Mapping[str, Any]]] = None,
    dataset_name: Optional[Literal["random", "sharegpt", "custom", "sonnet", "prefix_repetition", "spec_bench", "speed_bench", "hf", "multi-turn", "conversations", "burstgpt", "timed_trace", "trace", "random-mm", "random-rerank", "custom_image", "custom_audio", "eval"]] = None,
    dataset_revision: Optional[str] = None,
    dataset_path: Optional[Path] = None,
    no_oversample: Optional[bool] = None,
    skip_chat_template: Optional[bool] = None,
    enable_multimodal_chat: Optional[bool] = None,
    disable_shuffle: Optional[bool] = None,
    chat_template_kwargs: Optional[Union[str, float, Mapping[str, Any]]] = None,
    chat_template_date: Optional[Union[str, float, Mapping[str, Any]]] = None,
    lora_modules: Optional[Union[str, Sequence[str]]] = None,
    lora_assignment: Optional[Literal["random", "round-robin", "zipf"]] = None,
    lora_zipf_exponent: Optional[float] = None,
    input_len: Optional[int] = None,
    output_len: Optional[int] = None,
    random_input_len: Optional[int] = None,
    random_output_len: Optional[int] = None,
    random_prefix_len: Optional[int] = None,
    random_range_ratio: Optional[Union[str, float, Mapping[str, Any]]] = None,
    random_batch_size: Optional[int] = None,
    input_len_dist: Optional[Union[str, float, Mapping[str, Any]]] = None,
    output_len_dist: Optional[Union[str, float, Mapping[str, Any]]] = None,
    prefix_share: Optional[float] = None,
    prefix_count: Optional[int] = None,
    sharegpt_output_len: Optional[int] = None,
    custom_output_len: Optional[int] = None,
    sonnet_input_len: Optional[int] = None,
    sonnet_output_len: Optional[int] = None,
    sonnet_prefix_len: Optional[int] = None,
    prefix_repetition_prefix_len: Optional[int] = None,
    prefix_repetition_suffix_len: Optional[int] = None,
    prefix_repetition_num_prefixes: Optional[int] = None,
    prefix_repetition_output_len: Optional[int] = None,
    prefix_repetition_zipf: Optional[float] = None,
    spec_bench_output_len: Optional[int] = None,
    spec_bench_category: Optional[str] = None,
    speed_bench_dataset_subset: Optional[Literal["qualitative", "throughput_1k", "throughput_2k", "throughput_8k", "throughput_16k", "throughput_32k"]] = None,
    speed_bench_output_len: Optional[int] = None,
    speed_bench_category: Optional[str] = None,
    hf_subset: Optional[str] = None,
    hf_split: Optional[str] = None,
    hf_name: Optional[str] = None,
    hf_output_len: Optional[int] = None,
    no_stream: Optional[bool] = None,
    hf_prompt_column: Optional[str] = None,
    hf_answer_column: Optional[str] = None,
    hf_image_column: Optional[str] = None,
    blazedit_min_distance: Optional[float] = None,
    blazedit_max_distance: Optional[float] = None,
    bfcl_categories: Optional[str] = None,
    multi_turn_num_turns: Optional[int] = None,
    multi_turn_min_turns: Optional[int] = None,
    multi_turn_max_turns: Optional[int] = None,
    per_turn_input_len: Optional[int] = None,
    multi_turn_prefix_global_ratio: Optional[float] = None,
    multi_turn_prefix_conversation_ratio: Optional[float] = None,
    max_model_len: Optional[int] = None,
    think_time: Optional[Union[str, float, Mapping[str, Any]]] = None,
    history: Optional[Literal["live", "recorded"]] = None,
    history_reasoning: Optional[bool] = None,
    conversations_output_len: Optional[int] = None,
    timed_trace_chunk_hash_size: Optional[int] = None,
    timed_trace_sec_multiplier: Optional[float] = None,
    timed_trace_label_timestamp: Optional[str] = None,
    timed_trace_label_input_length: Optional[str] = None,
    timed_trace_label_output_length: Optional[str] = None,
    timed_trace_label_hash_ids: Optional[str] = None,
    timed_trace_hash_seed: Optional[int] = None,
    self_timed: Optional[bool] = None,
    trace_format: Optional[str] = None,
    trace_speed: Optional[float] = None,
    trace_from: Optional[Span] = None,
    trace_to: Optional[Span] = None,
    trace_loop: Optional[Literal["auto", "closed", "open"]] = None,
    trace_passes: Optional[int] = None,
    trace_max_input: Optional[int] = None,
    trace_long: Optional[Literal["refuse", "clip", "skip"]] = None,
    trace_output_len: Optional[int] = None,
    trace_send: Optional[Literal["text", "ids"]] = None,
    trace_preset: Optional[Literal["faithful", "agentx", "inferencex", "mlperf-agentic"]] = None,
    trace_start_min: Optional[float] = None,
    trace_start_max: Optional[float] = None,
    trace_primers: Optional[Literal["spread", "burst", "none"]] = None,
    trace_warm_turns: Optional[int] = None,
    trace_cache_bust: Optional[Literal["words", "marker", "salt", "none"]] = None,
    trace_bust_id: Optional[str] = None,
    trace_idle_cap: Optional[Span] = None,
    trace_tree_idle_cap: Optional[Span] = None,
    trace_joins: Optional[Literal["pause", "at-once"]] = None,
    trace_spawns: Optional[Literal["pause", "at-once"]] = None,
    trace_barriers: Optional[bool] = None,
    trace_split: Optional[bool] = None,
    trace_failed: Optional[Literal["go-on", "end-branch", "end-conversation"]] = None,
    trace_overflow: Optional[Literal["end-branch", "failed"]] = None,
    trace_abort: Optional[float] = None,
    trace_grace: Optional[Span] = None,
    trace_max_context: Optional[int] = None,
    trace_trees: Optional[int] = None,
    trace_max_pause: Optional[Span] = None,
    trace_models: Optional[Union[str, Sequence[str]]] = None,
    trace_counts: Optional[Literal["prompt", "messages"]] = None,
    trace_sessions: Optional[Literal["conversation", "branch"]] = None,
    cache_block_size: Optional[int] = None,
    random_mm_base_items_per_request: Optional[int] = None,
    random_mm_num_mm_items_range_ratio: Optional[float] = None,
    random_mm_limit_mm_per_prompt: Optional[Union[str, float, Mapping[str, Any]]] = None,
    random_mm_bucket_config: Optional[Union[str, float, Mapping[str, Any]]] = None,
    no_reranker: Optional[bool] = None,
    custom_ensure_client_side_data: Optional[bool] = None,
    task: Optional[Path] = None,
    examples: Optional[Path] = None,
    num_fewshot: Optional[int] = None,
    fewshot_seed: Optional[int] = None,
    category: Optional[str] = None,
    fewshot_in_one_turn: Optional[bool] = None,
    system_instruction: Optional[str] = None,
    max_answer_tokens: Optional[int] = None,
    metadata: Optional[Union[Mapping[str, Any], Sequence[str]]] = None,
    save_result: Optional[bool] = None,
    save_detailed: Optional[bool] = None,
    append_result: Optional[bool] = None,
    result_dir: Optional[Path] = None,
    result_filename: Optional[Path] = None,
    append_markdown: Optional[Path] = None,
    plot_timeline: Optional[bool] = None,
    timeline_itl_thresholds: Optional[Union[str, float, Sequence[float]]] = None,
    plot_dataset_stats: Optional[bool] = None,
    percentile_metrics: Optional[Union[str, Sequence[str]]] = None,
    metric_percentiles: Optional[Union[str, float, Sequence[float]]] = None,
    goodput: Optional[Union[Mapping[str, Any], Sequence[str]]] = None,
    rules: Optional[Literal["agentx", "inferencex", "mlperf-agentic"]] = None,
    recovery_within: Optional[float] = None,
    fleet: Optional[str] = None,
    fleet_agents: Optional[int] = None,
    fleet_label: Optional[Union[str, float, Mapping[str, Any]]] = None,
    fleet_wait: Optional[Span] = None,
    fleet_lease: Optional[Span] = None,
    config: Optional[Path] = None,
    events: Optional[Path] = None,
    lock: Optional[Path] = None,
    upload: Optional[str] = None,
    upload_plain: Optional[bool] = None,
    prometheus: Optional[str] = None,
    prometheus_linger: Optional[Span] = None,
    otlp: Optional[str] = None,
    agents: Optional[Union[str, Sequence[str]]] = None,
    agent_program: Optional[str] = None,
    agent_nats: Optional[str] = None,
    slo: Optional[str] = None,
) -> Run:
    """Send a workload to an OpenAI-compatible server, measure it, and say whether the numbers can be trusted. The flags are those of vllm bench serve; a flag that is not supported is refused, never ignored.

    Args:
        base_url: The server, as in http://host:8000. Without it: --host and --port.
        show: True lets the program write all it says to standard error, False nothing. None shows its progress in a notebook and on a terminal.
        backend: The protocol. auto asks the server what it is and takes the best one. vllm and openai are completions, openai-chat is chat completions, openai-audio is transcriptions or translations, sglang is SGLang's /generate, tgi is TGI's /generate_stream, openai-embeddings is embeddings, openai-embeddings-chat, openai-embeddings-clip and openai-embeddings-vlm2vec are embeddings of messages, infinity-embeddings and infinity-embeddings-clip are embeddings of the Infinity server, vllm-pooling is vLLM's pooling, vllm-rerank is reranking of documents, ollama is Ollama's generate, with prompts as they are, ollama-chat is Ollama's chat, llamacpp is llama.cpp's own completion, trtllm is Triton's generate_stream with TensorRT-LLM, kserve is Open Inference (KServe V2) over HTTP, openai-responses is OpenAI's Responses, anthropic is Anthropic's Messages, custom is what --protocol-file describes. Default: openai.
        protocol_file: custom: a YAML or JSON file that describes the server's API: path, body, and where answers have their text and counts (docs/protocols.md).
        host: The server's name or address. Default: 127.0.0.1.
        port: The server's port. Default: 8000.
        header: Headers to send with each request. Their values are hidden in the result.
        endpoint: The path of the API. Chosen by the backend (vLLM always takes /v1/completions unless told). Default: /v1/completions, or /v1/chat/completions with openai-chat.
        model: The model's name, and where its tokenizer is looked for. Default: the first that the server lists.
        served_model_name: The name to send as model, where it differs from --model.
        tokenizer: A tokenizer's file (tokenizer.json, .model, tekken.json, .tiktoken, .gguf), a folder that holds one, or a model's name: it is looked for in Hugging Face's cache, and fetched from the hub unless HF_HUB_OFFLINE is set. Default: that of --model.
        tokenizer_revision: The branch, tag or commit of a tokenizer that is named by its model. Default: main.
        tokenizer_mode: Which tokenizer of a folder: auto and hf its tokenizer.json if there is one, mistral its tekken.json or SentencePiece model, as mistral-common. Default: auto.
        skip_tokenizer_init: Use no tokenizer: token counts are the server's, prompt lengths are approximate.
        request_id_prefix: What x-request-id begins with. Default: bench-<8 hex digits>-.
        session_header: The header that tells the turns of one conversation, for a router in front of several servers. Empty sends none. Default: X-Session-ID.
        trace_id: Send W3C's header traceparent with each measured request, all in this trace, so that the server's spans are found: 32 hexadecimal digits, or random for one of its own. Default: none; random with --otlp.
        insecure: Don't check the server's TLS certificate.
        label: A name for the run, in the result and its file name.
        trust_remote_code: Accepted and without effect: code from a model's repository is never run here.
        num_prompts: How many requests to send. With --duration, --stages or --ramp-rate: at most so many, and without a bound unless given. Default: 1000.
        request_rate: Requests per second. inf sends as fast as --max-concurrency allows. Default: inf.
        burstiness: How even arrivals are: 1 is Poisson, below 1 comes in bursts, above is more even, inf is constant. Default: 1.
        ready_check_timeout_sec: Wait this long for the server to answer a request. 0 does not ask. Default: 0.
        max_concurrency: Maximum number of requests in flight. Default: no bound.
        max_requests: Of conversations: end after this many requests. Default: no bound.
        max_conversations: Maximum number of open conversations, of a dataset that has them. --max-concurrency bounds their requests. Default: no bound.
        num_warmups: Requests before the measurement. Their prompts are not those that are measured. Default: 0.
        seed: Seed of prompts and arrival times. The same seed sends the same bytes. Default: 0.
        client_share: Send only this client's share of the requests, such as 2/8 for the second of eight clients, or 2/3:1,1,4 with weights. All clients together send what one alone would, at the same times. Default: all.
        request_cancellation_rate: Hang up on this percentage of the requests, drawn by --seed: their outcome is hung_up, neither a success nor a failure. What the server went on to generate for nobody is reported by its counters. Default: 0.
        request_cancellation_delay: When to hang up: so long after all of the request was sent, in seconds or as in 500ms. Default: 0 without --request-cancellation-tokens.
        request_cancellation_tokens: When to hang up: after so many tokens of the answer. With --request-cancellation-delay: whichever comes first. Default: no bound.
        ramp_up_strategy: Raise the rate with each request, from --ramp-up-start-rps to --ramp-up-end-rps.
        ramp_up_start_rps: Rate of the first request.
        ramp_up_end_rps: Rate of the last request.
        duration: Send for this long, then wait for the requests in flight. Default: until --num-prompts are sent.
        stages: Rates one after the other, as in 10s@5,60s@50,10s@5; 60s@5-50 ramps.
        ramp_rate: Raise the rate in time, as in 5..50, over --ramp-duration.
        ramp_duration: How long the ramp of --ramp-rate lasts.
        unstreamed: Ask for each answer in one piece: end-to-end latency and throughput, and no times of tokens. --no-stream says the same with any dataset but hf, of which it is vLLM's own flag.
        targets: Several servers, loaded together as one, in place of --base-url.
        balance: How one of --targets is chosen for a request. sticky: by the beginning of its prompt. Default: round-robin.
        replica_key: Where answers say which replica served them: header:NAME, json:PATH (names of fields with dots, in an event or in the whole answer) or none. auto knows the headers of smg, LiteLLM, llm-d and our simulator, and asks Dynamo. Default: auto.
        engine: What carries the requests. loop is an event loop for HTTP/1.1 on Linux; nethttp is Go's client, for everything. Default: auto.
        http2: Offer HTTP/2 to a server behind TLS. Event times are then taken by this process, not by the kernel.
        no_keep_alive: Open a connection for each request, for a server that closes them without notice.
        proxy: A proxy for all requests, or none for no proxy at all. Default: as HTTP_PROXY, HTTPS_PROXY and NO_PROXY say.
        replica: A server behind the router that is loaded, as in http://gpu-a:8000, or prefill=URL and decode=URL where these are apart (prefill:4=URL: it runs on 4 GPUs; prefill:gpu0-3=URL: on these, whose energy is told apart): its metrics are read for themselves. Give it once for each, or with commas between. none asks no router for them. --role ROLE=URL is the same. Default: those that a router lists.
        metrics_url: Where the server's metrics are, if not at its own /metrics: another port, a server behind a gateway, a gateway of its own. Several: one for each of --targets, or all that stand behind one address. The API key goes only to the server's own host and port.
        metrics_map: A YAML file that says what metrics of a server mean that are not known: docs/server-metrics.md.
        request_timeout: Give up on a request after this long; its outcome is timeout. vLLM waits 6h, and so does --compat vllm. Default: 10m.
        deadline: Stop the whole run after this long, with a partial result. Default: none.
        until: Send until the 95 % intervals are this narrow, as in p99_ttft±5% (or +-5%), with "and" between several; docs/conditions.md has the grammar. --num-prompts, --duration and --deadline are bounds. Default: 100,000 requests at most.
        batch_size: Send requests in batches of so many: the next one begins when the last answer of the one before has come, as the rollouts of reinforcement learning do. Needs --max-concurrency. Default: none.
        fault: Run a command of yours during the load, as in "10s: kubectl delete pod llm-0" or "500 requests: COMMAND", and note in the journal when: docs/faults.md. A scenario has more to do to servers that it starts.
        continuous_usage: Ask for usage in each event, so that the time between tokens is known where an event holds several. vLLM and SGLang know it.
        run_dir: Folder for the run's journal and result. Default: a new one in the user's state folder.
        keep_runs: How many runs to keep in the state folder. 0 keeps all. Default: 100.
        journal_texts: Keep prompts and generated texts in the journal.
        scrape_every: How often to read the server's metrics during the load, on a connection of their own. 0 reads them before and after it only. Default: 1s.
        server_log: A log of vLLM, read during the load where the server has no metrics. Several: one for each of --targets.
        hardware: What to ask for power, clocks, temperatures and throttling of the server's devices, once a second: nvidia-smi, amd-smi, rocm-smi, sysfs, rapl, dcgm=URL, amd=URL, node=URL, with commas between several, as in nvidia-smi,rapl or dcgm=http://gpu-box:9400; or none. auto asks what this machine has, if the server is on it. Default: auto.
        forget_prompts: The server's prefix cache is empty, by a restart or a reset: forget which prompts earlier runs sent to it.
        save_conversations: Write the conversations that are complete, with the server's answers, as a JSON array.
        strict: End with exit code 4 when the verdict is INVALID.
        compat: Compute the numbers of vLLM 0.32 where ours differ on purpose.
        integrity_sample: After the load, send this many of its prompts again, one at a time, and compare the texts. Needs --temperature 0. Default: 0.
        price_per_hour: What one GPU costs an hour, in any currency: gives the cost of a million tokens.
        gpus: How many GPUs the servers run on together: gives jobs per GPU-hour, and counts in --price-per-hour and --power, which are of one GPU without it.
        allow_code: Run programs that are answers of a task such as HumanEval, with this machine's Python, in a sandbox without a network, with limits of time and memory (docs/code.md). Linux only.
        power: Watts of one GPU, or rapl for this machine's processors, or prometheus:URL?query=…: gives joules per token.
        details: Print all tables after the summary: latencies, intervals, what the server says, the verdict's reasons. The page and the JSON always have them.
        allow_read: A folder from which files are read that a task's file, or that of a dataset, names outside of its own folder. It may be given several times. Default: none.
        users: A closed loop of so many users: --max-concurrency in the words of fw-ai/benchmark.
        spawn_rate: Users that begin a second. --duration then counts from the moment when all are there. inf begins with all. Default: inf.
        qps: Requests a second, evenly: --request-rate in the words of fw-ai/benchmark.
        qps_distribution: How the requests of --qps are spaced. Default: constant.
        summary_file: Append one row to a CSV file with the columns of fw-ai/benchmark.
        multi_turn: Conversations, in the words of vllm-bench: --dataset-name random is then multi-turn, and sharegpt conversations.
        multi_turn_concurrency: Maximum number of conversation requests in flight: --max-concurrency in the words of vllm-bench.
        multi_turn_delay_ms: Milliseconds from an answer to the next turn: --think-time in the words of vllm-bench.
        probe_request_rate: Besides the load, send this many one-token requests a second, outside of --max-concurrency, one at a time, and report their latency by itself. Default: 0.
        profile: Start vLLM's profiler before the load and stop it after: POST /start_profile and /stop_profile. The server needs --profiler-config.
        temperature: Sampling temperature. Default: the server's.
        top_p: Sample from the most likely tokens that make up this share.
        top_k: Sample from this many most likely tokens.
        min_p: Sample from tokens at least this likely, relative to the likeliest.
        frequency_penalty: Penalty by how often a token has occurred.
        presence_penalty: Penalty if a token has occurred at all.
        repetition_penalty: Factor against repetition. Default: 1 with completions, else the server's.
        ignore_eos: Generate all tokens asked for. Always on with the random dataset.
        logprobs: Ask for this many log probabilities a token; completions only.
        extra_body: Fields to put into each request; they override all others. --extra-body.KEY VALUE works too.
        dataset_name: Where the prompts come from. Default: random.
        dataset_revision: hf: the branch, tag or commit of a set on Hugging Face's hub. Default: main.
        dataset_path: The dataset's file, for sharegpt, custom, sonnet, spec_bench, speed_bench, hf, conversations, burstgpt, timed_trace, trace, custom_image, custom_audio and eval.
        no_oversample: Send fewer requests rather than prompts twice, where the dataset is too small.
        skip_chat_template: Send prompts as they are, without the model's chat template.
        enable_multimodal_chat: Send text and media as one chat message that is made here.
        disable_shuffle: Keep the dataset's order.
        chat_template_kwargs: Variables for the model's chat template where prompts are rendered here, as in '{"enable_thinking": false}'. For the server's own template use --extra-body.
        chat_template_date: The day that chat templates see as today, as 2026-01-31 or 2026-01-31T12:00:00, so that each run sends the same prompts. Default: 2026-01-01.
        lora_modules: Adapters of the server: each request asks for one of them in place of the model.
        lora_assignment: How an adapter is chosen for a request, or for a conversation: zipf asks for the first ones more often. Default: random.
        lora_zipf_exponent: How uneven --lora-assignment zipf is: the n-th adapter has the weight 1/n^X. Default: 1.
        input_len: Prompt tokens for the dataset: random, sonnet, multi-turn, random-mm and random-rerank. Wins over their own flags.
        output_len: Output tokens for the dataset: random, sharegpt, custom, sonnet, prefix_repetition, spec_bench, hf, multi-turn, conversations, trace, random-mm, custom_image, custom_audio and eval. Wins over their own flags.
        random_input_len: random, multi-turn, random-mm, random-rerank: tokens of a prompt. Default: 1024.
        random_output_len: random, multi-turn, random-mm: tokens to generate. Default: 128.
        random_prefix_len: random, multi-turn, random-mm: tokens that all prompts begin with, besides the input length. Default: 0.
        random_range_ratio: random, multi-turn, random-mm, random-rerank: lengths vary by this share up and down, from 0 to below 1; {"input": 0.1, "output": 0.5} for each. Default: 0.
        random_batch_size: random, multi-turn, random-rerank: prompts in one request, for pooling backends. Default: 1.
        input_len_dist: random, multi-turn: prompt lengths from a distribution, in place of --random-input-len: fixed:len=512, uniform:min=1,max=900, normal:mean=512,std=128, lognormal:mean=512,sigma=1,max=4096, zipf:a=1.2,max=8192, empirical:file=TRACE.
        output_len_dist: random, multi-turn: output lengths likewise, in place of --random-output-len.
        prefix_share: random, multi-turn: this share of each prompt is its beginning, which others have too: what a server's prefix cache can know. It is a part of the input length. Default: 0.
        prefix_count: random, multi-turn: different beginnings for --prefix-share; prompts take them in turn. Default: 1.
        sharegpt_output_len: sharegpt: tokens to generate. Default: as long as the recorded answer.
        custom_output_len: custom, custom_image, custom_audio: tokens to generate. -1 takes output_tokens of the row. Default: 256.
        sonnet_input_len: sonnet: tokens of a prompt. Older vLLM. Default: 550.
        sonnet_output_len: sonnet: tokens to generate. Older vLLM. Default: 150.
        sonnet_prefix_len: sonnet: tokens that all prompts begin with. Older vLLM. Default: 200.
        prefix_repetition_prefix_len: prefix_repetition: tokens of a prefix. Default: 256.
        prefix_repetition_suffix_len: prefix_repetition: tokens after the prefix. Default: 256.
        prefix_repetition_num_prefixes: prefix_repetition: how many prefixes. Default: 10.
        prefix_repetition_output_len: prefix_repetition: tokens to generate. Default: 128.
        prefix_repetition_zipf: prefix_repetition: how unequal prefixes are: the k-th is drawn in proportion to 1/k to this power. 0: all equally often. Default: 0.
        spec_bench_output_len: spec_bench: tokens to generate. Default: 256.
        spec_bench_category: spec_bench: only questions of this category. Default: all.
        speed_bench_dataset_subset: speed_bench: which of its files. Default: qualitative.
        speed_bench_output_len: speed_bench: tokens to generate. Default: 4096.
        speed_bench_category: speed_bench: only prompts of this category. Default: all.
        hf_subset: hf: which subset of the set. Default: its only one, or the one that vLLM takes.
        hf_split: hf: which split of the set. Default: the one that vLLM takes, or train.
        hf_name: hf: the set's name, where the path is a folder or file. Default: the path.
        hf_output_len: hf: tokens to generate. Default: by set, or as long as the recorded answer.
        no_stream: hf: shuffle all rows, not through a buffer of 1000.
        hf_prompt_column: hf: the column with the prompts, for a set that is not known. Default: found by name.
        hf_answer_column: hf: the column whose text is as long as what to generate, or whose number says how many tokens, for a set that is not known. Default: none: 256 tokens.
        hf_image_column: hf: the column with an image, or a list of them, for a set that is not known. Default: none.
        blazedit_min_distance: hf: vdaita/edit_*: least distance between the code before and after. Default: 0.
        blazedit_max_distance: hf: vdaita/edit_*: largest distance. Default: 1.
        bfcl_categories: hf: Berkeley-Function-Calling-Leaderboard: its categories. Default: simple,live_simple,multiple.
        multi_turn_num_turns: multi-turn: requests of a conversation. Default: 3.
        multi_turn_min_turns: multi-turn: fewest requests of a conversation, which is then drawn evenly. 0: --multi-turn-num-turns. Default: 0.
        multi_turn_max_turns: multi-turn, conversations: most requests of a conversation. 0: --multi-turn-num-turns, or all of the file. Default: 0.
        per_turn_input_len: multi-turn: tokens of the user's messages after the first. 0: as the first. Default: 0.
        multi_turn_prefix_global_ratio: multi-turn: share of each message that all conversations share. There is then no history. Default: 0.
        multi_turn_prefix_conversation_ratio: multi-turn: share of each message that the turns of one conversation share. There is then no history. Default: 0.
        max_model_len: multi-turn: end a conversation before the turn with which its messages and answers would be longer. 0: no bound. Default: 0.
        think_time: multi-turn, conversations: time from an answer to the next turn: 2s, or drawn, as exponential:2s, uniform:1s:3s, normal:2s:500ms, lognormal:2s:1s (mean, deviation). Default: 0s.
        history: multi-turn, conversations, trace: what stands before a turn as the earlier answers: the server's own, or those of the dataset, which keep prompts equal on all servers. Default: live.
        history_reasoning: multi-turn, conversations: keep the server's reasoning in the history too.
        conversations_output_len: conversations: tokens to generate in each turn that does not say it. Default: as long as the recorded answer.
        timed_trace_chunk_hash_size: timed_trace: tokens of a block: 16 in Bailian's traces, 512 in Mooncake's. Default: 16.
        timed_trace_sec_multiplier: timed_trace: times × this are seconds: 0.001 for Mooncake. Default: 1.
        timed_trace_label_timestamp: timed_trace: the key of the time. Default: timestamp.
        timed_trace_label_input_length: timed_trace: the key of the prompt's tokens. Default: input_length.
        timed_trace_label_output_length: timed_trace: the key of the tokens to generate. Default: output_length.
        timed_trace_label_hash_ids: timed_trace: the key of the list of block ids. Default: hash_ids.
        timed_trace_hash_seed: timed_trace: tokens are those of vLLM's client under PYTHONHASHSEED=N; without that variable its own differ from start to start. Default: 0.
        self_timed: timed_trace, trace: send at the trace's own times, or, with --no-self-timed, at the run's pace.
        trace_format: trace: the file's format; auto tells it from the file. inferometer trace stats --help lists them. Default: auto.
        trace_speed: trace: so many times as fast as it was. Default: 1.
        trace_from: trace: begin so long after the trace's first request; that moment is the start of the run. Default: 0.
        trace_to: trace: end so long after the trace's first request. Default: the end.
        trace_loop: trace: closed: each turn waits for the answers that it waited for when it was recorded, and then for the recorded pause. open: each request at its recorded time. auto: closed where the trace has sessions (docs/agents.md). Default: auto.
        trace_passes: trace: play it so many times, one after the other, each time with other prompts. Default: 1.
        trace_max_input: trace: longest prompt in tokens; --trace-long says what happens to longer ones. Default: no limit.
        trace_long: trace: prompts above --trace-max-input: refuse the trace, clip them, or skip their rows. Default: refuse.
        trace_output_len: trace: tokens to generate, in place of the trace's.
        trace_send: trace: prompts are texts, or lists of token ids (completions only). Default: text.
        trace_preset: trace: what the other settings of the closed loop are unless they are given: faithful to the recording, or as another benchmark has them (docs/agents.md). Default: faithful.
        trace_start_min: trace: closed loop: the first conversations begin inside their trace, at a point drawn from here to --trace-start-max, as shares of its recorded time. Default: 0.
        trace_start_max: trace: closed loop: the latest such point. 0: all begin at the beginning. Default: 0.
        trace_primers: trace: closed loop: one-token requests that fill the server's cache before the start for traces that begin inside: spread as they were recorded, in one burst, or none. Default: spread.
        trace_warm_turns: trace: closed loop: after the primers, play so many further turns of each first conversation with one token and without pauses. Default: 0.
        trace_cache_bust: trace: closed loop: what keeps one play of a trace from finding another in the server's cache: other words, a marker before the first user message, MLPerf's salts around the system prompt, or nothing. Default: words.
        trace_bust_id: trace: closed loop: what the marker is made of besides the play, its lane and the trace. Default: the seed.
        trace_idle_cap: trace: closed loop: while nothing is in flight, wait at most so long: all pauses are shortened together. Default: none.
        trace_tree_idle_cap: trace: closed loop: the same for each conversation by itself. Default: none.
        trace_joins: trace: closed loop: a turn that takes up what sub-agents found comes after the recorded pause, or at once when the last of them has ended. Default: pause.
        trace_spawns: trace: closed loop: a sub-agent begins after the recorded pause, or at once when its parent's turn has ended; one that began before the job's first turn is then left out. Default: pause.
        trace_barriers: trace: closed loop: a turn also waits for turns of other agents that had ended before it in the recording. Default: true.
        trace_split: trace: closed loop: tell agents apart that a trace has in one list, by their prompts. Default: true.
        trace_failed: trace: closed loop: what a failed turn ends: nothing, its agent, or its conversation. Default: end-conversation.
        trace_overflow: trace: closed loop: a prompt that is too long for the server ends its agent and counts apart, or is a failed turn like others. Default: end-branch.
        trace_abort: trace: closed loop: stop the run when more than this share of its requests has failed, once as many have ended as conversations may be open, and 10 at least. Default: never.
        trace_grace: trace: closed loop: how long answers are waited for after --duration; then they are cancelled. Default: until they end.
        trace_max_context: trace: closed loop: leave out traces with a prompt and answer of more tokens. Default: no limit.
        trace_trees: trace: closed loop: use the first so many traces of those that are left. Default: all.
        trace_max_pause: trace: closed loop: the longest pause between two turns, after --trace-speed. 0 leaves out all pauses. Default: no limit.
        trace_models: trace: closed loop: models to ask for in place of the recorded ones, in the order in which those appear in each trace. Default: --model for all.
        trace_counts: trace: closed loop: a recorded length is that of the whole prompt with the chat template, or of the messages alone, as AIPerf has it. Default: prompt.
        trace_sessions: trace: closed loop: whether all agents of a conversation send the same value in --session-header, or each its own. Default: conversation.
        cache_block_size: trace: closed loop: tokens of a block of the server's prefix cache, for the hit rate of what was sent. Default: 16.
        random_mm_base_items_per_request: random-mm: images and videos in a request. Default: 1.
        random_mm_num_mm_items_range_ratio: random-mm: their number varies by this share up and down; 1 allows none. Default: 0.
        random_mm_limit_mm_per_prompt: random-mm: at most so many of each kind in a request. Default: {"image": 255, "video": 1}.
        random_mm_bucket_config: random-mm: sizes as (height, width, frames), each with its probability. One frame is an image, more are a video. Default: {(256, 256, 1): 0.5, (720, 1280, 1): 0.5, (720, 1280, 16): 0}.
        no_reranker: random-rerank: the model embeds query and documents one by one; all have the input length.
        custom_ensure_client_side_data: custom_image: read images here and send their bytes; else the server gets paths and URLs.
        task: eval: the task: a built-in one by its name, or a file (docs/tasks.md).
        examples: eval: the file or folder of the worked examples. Default: as the task says.
        num_fewshot: eval: worked examples before each question. Default: as the task says.
        fewshot_seed: eval: seed by which worked examples are drawn, as lm-eval draws them. Default: 1234.
        category: eval: ask only the questions of this category. Default: all.
        fewshot_in_one_turn: eval: of a chat: all worked examples are a part of the one message, not turns of their own.
        system_instruction: eval: an instruction: the system message of a chat; of a completion, the text before all.
        max_answer_tokens: eval: most tokens of an answer. Default: as the task says.
        metadata: Keys to add to the result.
        save_result: Write the result as JSON.
        save_detailed: With --save-result: also each request's lengths, times, text and error.
        append_result: Add the result to the file, as one more line.
        result_dir: Folder for the result; made if absent. Default: the current one.
        result_filename: Name of the result's file. Default: from label, rate, model and time.
        append_markdown: Add the run to this file of notes, as a section with its command, figures and verdict; inferometer compare reads it back.
        plot_timeline: Write a page of the requests in time beside the result: NAME.timeline.html.
        timeline_itl_thresholds: Two times in ms that divide gaps between tokens into three classes in the timeline, as in 25,50. Default: 25,50.
        plot_dataset_stats: Write a picture of the lengths of prompts and answers beside the result: NAME.dataset_stats.png.
        percentile_metrics: Metrics to report: ttft, tpot, itl, e2el, client_queue_time, e2el_including_client_queue, ttft_first_turn, ttft_later_turns, job, job_model, tool_call. Default: ttft,tpot,itl.
        metric_percentiles: Which percentiles of them to report. Default: 99.
        goodput: Count requests that keep these limits in ms, as in ttft:200 itl_p99:50 tpot:30 e2el:5000; docs/conditions.md has the grammar, docs/metrics.md all names.
        rules: Judge the run of agents by the rules of others: which it meets, which it breaks, and whether it may be submitted. Exit code 7 if one is broken, 6 if one is not known; docs/rules.md has them all.
        recovery_within: By how much worse than before a fault counts as recovered from it; docs/faults.md has the method. Default: 10.
        fleet: Have the load sent by agents on other machines (inferometer agent), found through this NATS: an address, or the file that inferometer fleet init wrote for leaders; docs/fleet.md. Default: this process sends it.
        fleet_agents: How many agents take part. Default: all that are free.
        fleet_label: Only agents with this label. It may be given several times.
        fleet_wait: How long to wait for agents to come, and after the last one has ended for the journals of those that are silent. Default: 30s.
        fleet_lease: An agent without contact to NATS for this long stops sending. Default: 15s.
        config: Read flags from a YAML file: a mapping of flag names to values. Flags on the command line win.
        events: Write what happens as JSON lines while it happens: a state each second, each request that ended, and the end with the verdict (docs/live.md). - is standard output; the result is then printed to standard error.
        lock: Where FILE is absent: write down there what the run sends and when. Where it exists: send the same bytes at the same times, or refuse before anything is sent and say what differs; docs/spec.md.
        upload: Put the run's journal, result and Spec into this bucket of an S3-compatible store afterwards, under the name of the run's folder. Keys, region and endpoint are AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL.
        upload_plain: Upload without TLS even to a store on another machine.
        prometheus: Expose the run to Prometheus while it lasts, at http://ADDRESS/metrics, as in :9464 or 127.0.0.1:9464; port 0 picks a free one (docs/live.md).
        prometheus_linger: After the run, wait up to this long for one more scrape, so that Prometheus gets the last values. Default: 15s.
        otlp: Send the run to an OpenTelemetry collector by OTLP over HTTP: a span for each request, and metrics. An address such as http://127.0.0.1:4318, or env for that of OTEL_EXPORTER_OTLP_ENDPOINT. OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES are read too.
        agents: Start an agent on each of these machines with the system's ssh, for this run only. Needs --fleet, and keys that ask for no password.
        agent_program: Where the program is on the machines of --agents. Default: inferometer, in their PATH.
        agent_nats: What the agents of --agents connect with: an address, or a file of inferometer fleet init. Default: agent.json beside the file of --fleet, or its address.
        slo: Limits that the run must keep, as in "p99_ttft<=500ms and failed<0.1%". Exit code 7 if one is broken, 6 if one is not known; docs/conditions.md has the grammar.
    """
    return _run.bench(locals(), _BENCH)


def find(
    slo: str,
    base_url: Optional[str] = None,
    *,
    show: Optional[bool] = None,
    vary: Optional[Literal["rate", "concurrency", "conversations"]] = None,
    from_: Optional[float] = None,
    to: Optional[float] = None,
    tolerance: Optional[Union[str, float, Mapping[str, Any]]] = None,
    max_time: Optional[Span] = None,
    probe: Optional[Span] = None,
    confirm: Optional[Span] = None,
    cooldown: Optional[Span] = None,
    map: Optional[str] = None,
    output: Optional[Path] = None,
    fresh: Optional[bool] = None,
    any_verdict: Optional[bool] = None,
    backend: Optional[Literal["auto", "vllm", "openai", "openai-chat", "openai-audio", "sglang", "tgi", "openai-embeddings", "openai-embeddings-chat", "openai-embeddings-clip", "openai-embeddings-vlm2vec", "infinity-embeddings", "infinity-embeddings-clip", "vllm-pooling", "vllm-rerank", "ollama", "ollama-chat", "llamacpp", "trtllm", "kserve", "openai-responses", "anthropic", "custom"]] = None,
    protocol_file: Optional[Path] = None,
    host: Optional[str] = None,
    port: Optional[int] = None,
    header: Optional[Union[Mapping[str, Any], Sequence[str]]] = None,
    endpoint: Optional[str] = None,
    model: Optional[str] = None,
    served_model_name: Optional[str] = None,
    tokenizer: Optional[Path] = None,
    tokenizer_revision: Optional[str] = None,
    tokenizer_mode: Optional[Literal["auto", "hf", "mistral"]] = None,
    skip_tokenizer_init: Optional[bool] = None,
    request_id_prefix: Optional[str] = None,
    session_header: Optional[str] = None,
    trace_id: Optional[str] = None,
    insecure: Optional[bool] = None,
    label: Optional[str] = None,
    trust_remote_code: Optional[bool] = None,
    request_rate: Optional[float] = None,
    burstiness: Optional[float] = None,
    ready_check_timeout_sec: Optional[int] = None,
    max_concurrency: Optional[int] = None,
    max_requests: Optional[int] = None,
    max_conversations: Optional[int] = None,
    num_warmups: Optional[int] = None,
    seed: Optional[int] = None,
    client_share: Optional[Union[str, float, Mapping[str, Any]]] = None,
    request_cancellation_rate: Optional[float] = None,
    request_cancellation_delay: Optional[Span] = None,
    request_cancellation_tokens: Optional[int] = None,
    unstreamed: Optional[bool] = None,
    targets: Optional[Union[str, Sequence[str]]] = None,
    balance: Optional[Literal["round-robin", "least-in-flight", "sticky"]] = None,
    replica_key: Optional[str] = None,
    engine: Optional[Literal["auto", "loop", "nethttp"]] = None,
    http2: Optional[bool] = None,
    no_keep_alive: Optional[bool] = None,
    proxy: Optional[str] = None,
    replica: Optional[Union[str, Sequence[str]]] = None,
    metrics_url: Optional[Union[str, Sequence[str]]] = None,
    metrics_map: Optional[Path] = None,
    request_timeout: Optional[Span] = None,
    batch_size: Optional[int] = None,
    fault: Optional[Union[str, float, Mapping[str, Any]]] = None,
    continuous_usage: Optional[bool] = None,
    journal_texts: Optional[bool] = None,
    scrape_every: Optional[Span] = None,
    server_log: Optional[Union[str, Sequence[str]]] = None,
    hardware: Optional[str] = None,
    forget_prompts: Optional[bool] = None,
    save_conversations: Optional[Path] = None,
    compat: Optional[Literal["vllm"]] = None,
    integrity_sample: Optional[int] = None,
    price_per_hour: Optional[float] = None,
    gpus: Optional[int] = None,
    allow_code: Optional[bool] = None,
    power: Optional[str] = None,
    allow_read: Optional[Union[str, float, Mapping[str, Any]]] = None,
    temperature: Optional[float] = None,
    top_p: Optional[float] = None,
    top_k: Optional[int] = None,
    min_p: Optional[float] = None,
    frequency_penalty: Optional[float] = None,
    presence_penalty: Optional[float] = None,
    repetition_penalty: Optional[float] = None,
    ignore_eos: Optional[bool] = None,
    logprobs: Optional[int] = None,
    extra_body: Optional[Union[str, Mapping[str, Any]]] = None,
    dataset_name: Optional[Literal["random", "sharegpt", "custom", "sonnet", "prefix_repetition", "spec_bench", "speed_bench", "hf", "multi-turn", "conversations", "burstgpt", "timed_trace", "trace", "random-mm", "random-rerank", "custom_image", "custom_audio", "eval"]] = None,
    dataset_revision: Optional[str] = None,
    dataset_path: Optional[Path] = None,
    no_oversample: Optional[bool] = None,
    skip_chat_template: Optional[bool] = None,
    enable_multimodal_chat: Optional[bool] = None,
    disable_shuffle: Optional[bool] = None,
    chat_template_kwargs: Optional[Union[str, float, Mapping[str, Any]]] = None,
    chat_template_date: Optional[Union[str, float, Mapping[str, Any]]] = None,
    lora_modules: Optional[Union[str, Sequence[str]]] = None,
    lora_assignment: Optional[Literal["random", "round-robin", "zipf"]] = None,
    lora_zipf_exponent: Optional[float] = None,
    input_len: Optional[int] = None,
    output_len: Optional[int] = None,
    random_input_len: Optional[int] = None,
    random_output_len: Optional[int] = None,
    random_prefix_len: Optional[int] = None,
    random_range_ratio: Optional[Union[str, float, Mapping[str, Any]]] = None,
    random_batch_size: Optional[int] = None,
    input_len_dist: Optional[Union[str, float, Mapping[str, Any]]] = None,
    output_len_dist: Optional[Union[str, float, Mapping[str, Any]]] = None,
    prefix_share: Optional[float] = None,
    prefix_count: Optional[int] = None,
    sharegpt_output_len: Optional[int] = None,
    custom_output_len: Optional[int] = None,
    sonnet_input_len: Optional[int] = None,
    sonnet_output_len: Optional[int] = None,
    sonnet_prefix_len: Optional[int] = None,
    prefix_repetition_prefix_len: Optional[int] = None,
    prefix_repetition_suffix_len: Optional[int] = None,
    prefix_repetition_num_prefixes: Optional[int] = None,
    prefix_repetition_output_len: Optional[int] = None,
    prefix_repetition_zipf: Optional[float] = None,
    spec_bench_output_len: Optional[int] = None,
    spec_bench_category: Optional[str] = None,
    speed_bench_dataset_subset: Optional[Literal["qualitative", "throughput_1k", "throughput_2k", "throughput_8k", "throughput_16k", "throughput_32k"]] = None,
    speed_bench_output_len: Optional[int] = None,
    speed_bench_category: Optional[str] = None,
    hf_subset: Optional[str] = None,
    hf_split: Optional[str] = None,
    hf_name: Optional[str] = None,
    hf_output_len: Optional[int] = None,
    no_stream: Optional[bool] = None,
    hf_prompt_column: Optional[str] = None,
    hf_answer_column: Optional[str] = None,
    hf_image_column: Optional[str] = None,
    blazedit_min_distance: Optional[float] = None,
    blazedit_max_distance: Optional[float] = None,
    bfcl_categories: Optional[str] = None,
    multi_turn_num_turns: Optional[int] = None,
    multi_turn_min_turns: Optional[int] = None,
    multi_turn_max_turns: Optional[int] = None,
    per_turn_input_len: Optional[int] = None,
    multi_turn_prefix_global_ratio: Optional[float] = None,
    multi_turn_prefix_conversation_ratio: Optional[float] = None,
    max_model_len: Optional[int] = None,
    think_time: Optional[Union[str, float, Mapping[str, Any]]] = None,
    history: Optional[Literal["live", "recorded"]] = None,
    history_reasoning: Optional[bool] = None,
    conversations_output_len: Optional[int] = None,
    timed_trace_chunk_hash_size: Optional[int] = None,
    timed_trace_sec_multiplier: Optional[float] = None,
    timed_trace_label_timestamp: Optional[str] = None,
    timed_trace_label_input_length: Optional[str] = None,
    timed_trace_label_output_length: Optional[str] = None,
    timed_trace_label_hash_ids: Optional[str] = None,
    timed_trace_hash_seed: Optional[int] = None,
    self_timed: Optional[bool] = None,
    trace_format: Optional[str] = None,
    trace_speed: Optional[float] = None,
    trace_from: Optional[Span] = None,
    trace_to: Optional[Span] = None,
    trace_loop: Optional[Literal["auto", "closed", "open"]] = None,
    trace_passes: Optional[int] = None,
    trace_max_input: Optional[int] = None,
    trace_long: Optional[Literal["refuse", "clip", "skip"]] = None,
    trace_output_len: Optional[int] = None,
    trace_send: Optional[Literal["text", "ids"]] = None,
    trace_preset: Optional[Literal["faithful", "agentx", "inferencex", "mlperf-agentic"]] = None,
    trace_start_min: Optional[float] = None,
    trace_start_max: Optional[float] = None,
    trace_primers: Optional[Literal["spread", "burst", "none"]] = None,
    trace_warm_turns: Optional[int] = None,
    trace_cache_bust: Optional[Literal["words", "marker", "salt", "none"]] = None,
    trace_bust_id: Optional[str] = None,
    trace_idle_cap: Optional[Span] = None,
    trace_tree_idle_cap: Optional[Span] = None,
    trace_joins: Optional[Literal["pause", "at-once"]] = None,
    trace_spawns: Optional[Literal["pause", "at-once"]] = None,
    trace_barriers: Optional[bool] = None,
    trace_split: Optional[bool] = None,
    trace_failed: Optional[Literal["go-on", "end-branch", "end-conversation"]] = None,
    trace_overflow: Optional[Literal["end-branch", "failed"]] = None,
    trace_abort: Optional[float] = None,
    trace_grace: Optional[Span] = None,
    trace_max_context: Optional[int] = None,
    trace_trees: Optional[int] = None,
    trace_max_pause: Optional[Span] = None,
    trace_models: Optional[Union[str, Sequence[str]]] = None,
    trace_counts: Optional[Literal["prompt", "messages"]] = None,
    trace_sessions: Optional[Literal["conversation", "branch"]] = None,
    cache_block_size: Optional[int] = None,
    random_mm_base_items_per_request: Optional[int] = None,
    random_mm_num_mm_items_range_ratio: Optional[float] = None,
    random_mm_limit_mm_per_prompt: Optional[Union[str, float, Mapping[str, Any]]] = None,
    random_mm_bucket_config: Optional[Union[str, float, Mapping[str, Any]]] = None,
    no_reranker: Optional[bool] = None,
    custom_ensure_client_side_data: Optional[bool] = None,
    task: Optional[Path] = None,
    examples: Optional[Path] = None,
    num_fewshot: Optional[int] = None,
    fewshot_seed: Optional[int] = None,
    category: Optional[str] = None,
    fewshot_in_one_turn: Optional[bool] = None,
    system_instruction: Optional[str] = None,
    max_answer_tokens: Optional[int] = None,
    fleet: Optional[str] = None,
    fleet_agents: Optional[int] = None,
    fleet_label: Optional[Union[str, float, Mapping[str, Any]]] = None,
    fleet_wait: Optional[Span] = None,
    fleet_lease: Optional[Span] = None,
) -> Found:
    """Find the highest rate or concurrency at which an SLO holds. Each probe is a short run of bench serve, placed where it tells most; a long run confirms the answer. The flags of bench serve say what is sent and where.

    Args:
        slo: What must hold, as in "p99_ttft<=500ms and failed<0.1%"; docs/conditions.md has the grammar.
        base_url: The server, as in http://host:8000. Without it: --host and --port.
        show: True lets the program write all it says to standard error, False nothing. None shows its progress in a notebook and on a terminal.
        vary: What is raised: requests a second, requests at a time, or conversations at a time. Default: rate.
        from_: The first load to try, and the lowest. Default: 1, and lower if needed.
        to: The highest load to try. Default: no bound.
        tolerance: How precise the answer must be: half of its 95 % interval. Default: 5%.
        max_time: End the search after this long, with what is known then. Default: 20m.
        probe: How long the first probes are; close to the edge they are longer. Default: 10s.
        confirm: How long the run is that confirms the answer. Default: 1m.
        cooldown: The pause between probes where the server does not report when it is idle. Default: 1s.
        map: Search once for each value of a flag of bench serve, as in input-len=128,512,2048.
        output: Folder for the probes and the answer. A search that was interrupted goes on from it. Default: results/find.
        fresh: Forget the probes of an earlier search in the folder.
        any_verdict: Also count probes whose verdict is INVALID, or that something on this machine disturbed.
        backend: The protocol. auto asks the server what it is and takes the best one. vllm and openai are completions, openai-chat is chat completions, openai-audio is transcriptions or translations, sglang is SGLang's /generate, tgi is TGI's /generate_stream, openai-embeddings is embeddings, openai-embeddings-chat, openai-embeddings-clip and openai-embeddings-vlm2vec are embeddings of messages, infinity-embeddings and infinity-embeddings-clip are embeddings of the Infinity server, vllm-pooling is vLLM's pooling, vllm-rerank is reranking of documents, ollama is Ollama's generate, with prompts as they are, ollama-chat is Ollama's chat, llamacpp is llama.cpp's own completion, trtllm is Triton's generate_stream with TensorRT-LLM, kserve is Open Inference (KServe V2) over HTTP, openai-responses is OpenAI's Responses, anthropic is Anthropic's Messages, custom is what --protocol-file describes. Default: openai.
        protocol_file: custom: a YAML or JSON file that describes the server's API: path, body, and where answers have their text and counts (docs/protocols.md).
        host: The server's name or address. Default: 127.0.0.1.
        port: The server's port. Default: 8000.
        header: Headers to send with each request. Their values are hidden in the result.
        endpoint: The path of the API. Chosen by the backend (vLLM always takes /v1/completions unless told). Default: /v1/completions, or /v1/chat/completions with openai-chat.
        model: The model's name, and where its tokenizer is looked for. Default: the first that the server lists.
        served_model_name: The name to send as model, where it differs from --model.
        tokenizer: A tokenizer's file (tokenizer.json, .model, tekken.json, .tiktoken, .gguf), a folder that holds one, or a model's name: it is looked for in Hugging Face's cache, and fetched from the hub unless HF_HUB_OFFLINE is set. Default: that of --model.
        tokenizer_revision: The branch, tag or commit of a tokenizer that is named by its model. Default: main.
        tokenizer_mode: Which tokenizer of a folder: auto and hf its tokenizer.json if there is one, mistral its tekken.json or SentencePiece model, as mistral-common. Default: auto.
        skip_tokenizer_init: Use no tokenizer: token counts are the server's, prompt lengths are approximate.
        request_id_prefix: What x-request-id begins with. Default: bench-<8 hex digits>-.
        session_header: The header that tells the turns of one conversation, for a router in front of several servers. Empty sends none. Default: X-Session-ID.
        trace_id: Send W3C's header traceparent with each measured request, all in this trace, so that the server's spans are found: 32 hexadecimal digits, or random for one of its own. Default: none; random with --otlp.
        insecure: Don't check the server's TLS certificate.
        label: A name for the run, in the result and its file name.
        trust_remote_code: Accepted and without effect: code from a model's repository is never run here.
        request_rate: Requests per second. inf sends as fast as --max-concurrency allows. Default: inf.
        burstiness: How even arrivals are: 1 is Poisson, below 1 comes in bursts, above is more even, inf is constant. Default: 1.
        ready_check_timeout_sec: Wait this long for the server to answer a request. 0 does not ask. Default: 0.
        max_concurrency: Maximum number of requests in flight. Default: no bound.
        max_requests: Of conversations: end after this many requests. Default: no bound.
        max_conversations: Maximum number of open conversations, of a dataset that has them. --max-concurrency bounds their requests. Default: no bound.
        num_warmups: Requests before the measurement. Their prompts are not those that are measured. Default: 0.
        seed: Seed of prompts and arrival times. The same seed sends the same bytes. Default: 0.
        client_share: Send only this client's share of the requests, such as 2/8 for the second of eight clients, or 2/3:1,1,4 with weights. All clients together send what one alone would, at the same times. Default: all.
        request_cancellation_rate: Hang up on this percentage of the requests, drawn by --seed: their outcome is hung_up, neither a success nor a failure. What the server went on to generate for nobody is reported by its counters. Default: 0.
        request_cancellation_delay: When to hang up: so long after all of the request was sent, in seconds or as in 500ms. Default: 0 without --request-cancellation-tokens.
        request_cancellation_tokens: When to hang up: after so many tokens of the answer. With --request-cancellation-delay: whichever comes first. Default: no bound.
        unstreamed: Ask for each answer in one piece: end-to-end latency and throughput, and no times of tokens. --no-stream says the same with any dataset but hf, of which it is vLLM's own flag.
        targets: Several servers, loaded together as one, in place of --base-url.
        balance: How one of --targets is chosen for a request. sticky: by the beginning of its prompt. Default: round-robin.
        replica_key: Where answers say which replica served them: header:NAME, json:PATH (names of fields with dots, in an event or in the whole answer) or none. auto knows the headers of smg, LiteLLM, llm-d and our simulator, and asks Dynamo. Default: auto.
        engine: What carries the requests. loop is an event loop for HTTP/1.1 on Linux; nethttp is Go's client, for everything. Default: auto.
        http2: Offer HTTP/2 to a server behind TLS. Event times are then taken by this process, not by the kernel.
        no_keep_alive: Open a connection for each request, for a server that closes them without notice.
        proxy: A proxy for all requests, or none for no proxy at all. Default: as HTTP_PROXY, HTTPS_PROXY and NO_PROXY say.
        replica: A server behind the router that is loaded, as in http://gpu-a:8000, or prefill=URL and decode=URL where these are apart (prefill:4=URL: it runs on 4 GPUs; prefill:gpu0-3=URL: on these, whose energy is told apart): its metrics are read for themselves. Give it once for each, or with commas between. none asks no router for them. --role ROLE=URL is the same. Default: those that a router lists.
        metrics_url: Where the server's metrics are, if not at its own /metrics: another port, a server behind a gateway, a gateway of its own. Several: one for each of --targets, or all that stand behind one address. The API key goes only to the server's own host and port.
        metrics_map: A YAML file that says what metrics of a server mean that are not known: docs/server-metrics.md.
        request_timeout: Give up on a request after this long; its outcome is timeout. vLLM waits 6h, and so does --compat vllm. Default: 10m.
        batch_size: Send requests in batches of so many: the next one begins when the last answer of the one before has come, as the rollouts of reinforcement learning do. Needs --max-concurrency. Default: none.
        fault: Run a command of yours during the load, as in "10s: kubectl delete pod llm-0" or "500 requests: COMMAND", and note in the journal when: docs/faults.md. A scenario has more to do to servers that it starts.
        continuous_usage: Ask for usage in each event, so that the time between tokens is known where an event holds several. vLLM and SGLang know it.
        journal_texts: Keep prompts and generated texts in the journal.
        scrape_every: How often to read the server's metrics during the load, on a connection of their own. 0 reads them before and after it only. Default: 1s.
        server_log: A log of vLLM, read during the load where the server has no metrics. Several: one for each of --targets.
        hardware: What to ask for power, clocks, temperatures and throttling of the server's devices, once a second: nvidia-smi, amd-smi, rocm-smi, sysfs, rapl, dcgm=URL, amd=URL, node=URL, with commas between several, as in nvidia-smi,rapl or dcgm=http://gpu-box:9400; or none. auto asks what this machine has, if the server is on it. Default: auto.
        forget_prompts: The server's prefix cache is empty, by a restart or a reset: forget which prompts earlier runs sent to it.
        save_conversations: Write the conversations that are complete, with the server's answers, as a JSON array.
        compat: Compute the numbers of vLLM 0.32 where ours differ on purpose.
        integrity_sample: After the load, send this many of its prompts again, one at a time, and compare the texts. Needs --temperature 0. Default: 0.
        price_per_hour: What one GPU costs an hour, in any currency: gives the cost of a million tokens.
        gpus: How many GPUs the servers run on together: gives jobs per GPU-hour, and counts in --price-per-hour and --power, which are of one GPU without it.
        allow_code: Run programs that are answers of a task such as HumanEval, with this machine's Python, in a sandbox without a network, with limits of time and memory (docs/code.md). Linux only.
        power: Watts of one GPU, or rapl for this machine's processors, or prometheus:URL?query=…: gives joules per token.
        allow_read: A folder from which files are read that a task's file, or that of a dataset, names outside of its own folder. It may be given several times. Default: none.
        temperature: Sampling temperature. Default: the server's.
        top_p: Sample from the most likely tokens that make up this share.
        top_k: Sample from this many most likely tokens.
        min_p: Sample from tokens at least this likely, relative to the likeliest.
        frequency_penalty: Penalty by how often a token has occurred.
        presence_penalty: Penalty if a token has occurred at all.
        repetition_penalty: Factor against repetition. Default: 1 with completions, else the server's.
        ignore_eos: Generate all tokens asked for. Always on with the random dataset.
        logprobs: Ask for this many log probabilities a token; completions only.
        extra_body: Fields to put into each request; they override all others. --extra-body.KEY VALUE works too.
        dataset_name: Where the prompts come from. Default: random.
        dataset_revision: hf: the branch, tag or commit of a set on Hugging Face's hub. Default: main.
        dataset_path: The dataset's file, for sharegpt, custom, sonnet, spec_bench, speed_bench, hf, conversations, burstgpt, timed_trace, trace, custom_image, custom_audio and eval.
        no_oversample: Send fewer requests rather than prompts twice, where the dataset is too small.
        skip_chat_template: Send prompts as they are, without the model's chat template.
        enable_multimodal_chat: Send text and media as one chat message that is made here.
        disable_shuffle: Keep the dataset's order.
        chat_template_kwargs: Variables for the model's chat template where prompts are rendered here, as in '{"enable_thinking": false}'. For the server's own template use --extra-body.
        chat_template_date: The day that chat templates see as today, as 2026-01-31 or 2026-01-31T12:00:00, so that each run sends the same prompts. Default: 2026-01-01.
        lora_modules: Adapters of the server: each request asks for one of them in place of the model.
        lora_assignment: How an adapter is chosen for a request, or for a conversation: zipf asks for the first ones more often. Default: random.
        lora_zipf_exponent: How uneven --lora-assignment zipf is: the n-th adapter has the weight 1/n^X. Default: 1.
        input_len: Prompt tokens for the dataset: random, sonnet, multi-turn, random-mm and random-rerank. Wins over their own flags.
        output_len: Output tokens for the dataset: random, sharegpt, custom, sonnet, prefix_repetition, spec_bench, hf, multi-turn, conversations, trace, random-mm, custom_image, custom_audio and eval. Wins over their own flags.
        random_input_len: random, multi-turn, random-mm, random-rerank: tokens of a prompt. Default: 1024.
        random_output_len: random, multi-turn, random-mm: tokens to generate. Default: 128.
        random_prefix_len: random, multi-turn, random-mm: tokens that all prompts begin with, besides the input length. Default: 0.
        random_range_ratio: random, multi-turn, random-mm, random-rerank: lengths vary by this share up and down, from 0 to below 1; {"input": 0.1, "output": 0.5} for each. Default: 0.
        random_batch_size: random, multi-turn, random-rerank: prompts in one request, for pooling backends. Default: 1.
        input_len_dist: random, multi-turn: prompt lengths from a distribution, in place of --random-input-len: fixed:len=512, uniform:min=1,max=900, normal:mean=512,std=128, lognormal:mean=512,sigma=1,max=4096, zipf:a=1.2,max=8192, empirical:file=TRACE.
        output_len_dist: random, multi-turn: output lengths likewise, in place of --random-output-len.
        prefix_share: random, multi-turn: this share of each prompt is its beginning, which others have too: what a server's prefix cache can know. It is a part of the input length. Default: 0.
        prefix_count: random, multi-turn: different beginnings for --prefix-share; prompts take them in turn. Default: 1.
        sharegpt_output_len: sharegpt: tokens to generate. Default: as long as the recorded answer.
        custom_output_len: custom, custom_image, custom_audio: tokens to generate. -1 takes output_tokens of the row. Default: 256.
        sonnet_input_len: sonnet: tokens of a prompt. Older vLLM. Default: 550.
        sonnet_output_len: sonnet: tokens to generate. Older vLLM. Default: 150.
        sonnet_prefix_len: sonnet: tokens that all prompts begin with. Older vLLM. Default: 200.
        prefix_repetition_prefix_len: prefix_repetition: tokens of a prefix. Default: 256.
        prefix_repetition_suffix_len: prefix_repetition: tokens after the prefix. Default: 256.
        prefix_repetition_num_prefixes: prefix_repetition: how many prefixes. Default: 10.
        prefix_repetition_output_len: prefix_repetition: tokens to generate. Default: 128.
        prefix_repetition_zipf: prefix_repetition: how unequal prefixes are: the k-th is drawn in proportion to 1/k to this power. 0: all equally often. Default: 0.
        spec_bench_output_len: spec_bench: tokens to generate. Default: 256.
        spec_bench_category: spec_bench: only questions of this category. Default: all.
        speed_bench_dataset_subset: speed_bench: which of its files. Default: qualitative.
        speed_bench_output_len: speed_bench: tokens to generate. Default: 4096.
        speed_bench_category: speed_bench: only prompts of this category. Default: all.
        hf_subset: hf: which subset of the set. Default: its only one, or the one that vLLM takes.
        hf_split: hf: which split of the set. Default: the one that vLLM takes, or train.
        hf_name: hf: the set's name, where the path is a folder or file. Default: the path.
        hf_output_len: hf: tokens to generate. Default: by set, or as long as the recorded answer.
        no_stream: hf: shuffle all rows, not through a buffer of 1000.
        hf_prompt_column: hf: the column with the prompts, for a set that is not known. Default: found by name.
        hf_answer_column: hf: the column whose text is as long as what to generate, or whose number says how many tokens, for a set that is not known. Default: none: 256 tokens.
        hf_image_column: hf: the column with an image, or a list of them, for a set that is not known. Default: none.
        blazedit_min_distance: hf: vdaita/edit_*: least distance between the code before and after. Default: 0.
        blazedit_max_distance: hf: vdaita/edit_*: largest distance. Default: 1.
        bfcl_categories: hf: Berkeley-Function-Calling-Leaderboard: its categories. Default: simple,live_simple,multiple.
        multi_turn_num_turns: multi-turn: requests of a conversation. Default: 3.
        multi_turn_min_turns: multi-turn: fewest requests of a conversation, which is then drawn evenly. 0: --multi-turn-num-turns. Default: 0.
        multi_turn_max_turns: multi-turn, conversations: most requests of a conversation. 0: --multi-turn-num-turns, or all of the file. Default: 0.
        per_turn_input_len: multi-turn: tokens of the user's messages after the first. 0: as the first. Default: 0.
        multi_turn_prefix_global_ratio: multi-turn: share of each message that all conversations share. There is then no history. Default: 0.
        multi_turn_prefix_conversation_ratio: multi-turn: share of each message that the turns of one conversation share. There is then no history. Default: 0.
        max_model_len: multi-turn: end a conversation before the turn with which its messages and answers would be longer. 0: no bound. Default: 0.
        think_time: multi-turn, conversations: time from an answer to the next turn: 2s, or drawn, as exponential:2s, uniform:1s:3s, normal:2s:500ms, lognormal:2s:1s (mean, deviation). Default: 0s.
        history: multi-turn, conversations, trace: what stands before a turn as the earlier answers: the server's own, or those of the dataset, which keep prompts equal on all servers. Default: live.
        history_reasoning: multi-turn, conversations: keep the server's reasoning in the history too.
        conversations_output_len: conversations: tokens to generate in each turn that does not say it. Default: as long as the recorded answer.
        timed_trace_chunk_hash_size: timed_trace: tokens of a block: 16 in Bailian's traces, 512 in Mooncake's. Default: 16.
        timed_trace_sec_multiplier: timed_trace: times × this are seconds: 0.001 for Mooncake. Default: 1.
        timed_trace_label_timestamp: timed_trace: the key of the time. Default: timestamp.
        timed_trace_label_input_length: timed_trace: the key of the prompt's tokens. Default: input_length.
        timed_trace_label_output_length: timed_trace: the key of the tokens to generate. Default: output_length.
        timed_trace_label_hash_ids: timed_trace: the key of the list of block ids. Default: hash_ids.
        timed_trace_hash_seed: timed_trace: tokens are those of vLLM's client under PYTHONHASHSEED=N; without that variable its own differ from start to start. Default: 0.
        self_timed: timed_trace, trace: send at the trace's own times, or, with --no-self-timed, at the run's pace.
        trace_format: trace: the file's format; auto tells it from the file. inferometer trace stats --help lists them. Default: auto.
        trace_speed: trace: so many times as fast as it was. Default: 1.
        trace_from: trace: begin so long after the trace's first request; that moment is the start of the run. Default: 0.
        trace_to: trace: end so long after the trace's first request. Default: the end.
        trace_loop: trace: closed: each turn waits for the answers that it waited for when it was recorded, and then for the recorded pause. open: each request at its recorded time. auto: closed where the trace has sessions (docs/agents.md). Default: auto.
        trace_passes: trace: play it so many times, one after the other, each time with other prompts. Default: 1.
        trace_max_input: trace: longest prompt in tokens; --trace-long says what happens to longer ones. Default: no limit.
        trace_long: trace: prompts above --trace-max-input: refuse the trace, clip them, or skip their rows. Default: refuse.
        trace_output_len: trace: tokens to generate, in place of the trace's.
        trace_send: trace: prompts are texts, or lists of token ids (completions only). Default: text.
        trace_preset: trace: what the other settings of the closed loop are unless they are given: faithful to the recording, or as another benchmark has them (docs/agents.md). Default: faithful.
        trace_start_min: trace: closed loop: the first conversations begin inside their trace, at a point drawn from here to --trace-start-max, as shares of its recorded time. Default: 0.
        trace_start_max: trace: closed loop: the latest such point. 0: all begin at the beginning. Default: 0.
        trace_primers: trace: closed loop: one-token requests that fill the server's cache before the start for traces that begin inside: spread as they were recorded, in one burst, or none. Default: spread.
        trace_warm_turns: trace: closed loop: after the primers, play so many further turns of each first conversation with one token and without pauses. Default: 0.
        trace_cache_bust: trace: closed loop: what keeps one play of a trace from finding another in the server's cache: other words, a marker before the first user message, MLPerf's salts around the system prompt, or nothing. Default: words.
        trace_bust_id: trace: closed loop: what the marker is made of besides the play, its lane and the trace. Default: the seed.
        trace_idle_cap: trace: closed loop: while nothing is in flight, wait at most so long: all pauses are shortened together. Default: none.
        trace_tree_idle_cap: trace: closed loop: the same for each conversation by itself. Default: none.
        trace_joins: trace: closed loop: a turn that takes up what sub-agents found comes after the recorded pause, or at once when the last of them has ended. Default: pause.
        trace_spawns: trace: closed loop: a sub-agent begins after the recorded pause, or at once when its parent's turn has ended; one that began before the job's first turn is then left out. Default: pause.
        trace_barriers: trace: closed loop: a turn also waits for turns of other agents that had ended before it in the recording. Default: true.
        trace_split: trace: closed loop: tell agents apart that a trace has in one list, by their prompts. Default: true.
        trace_failed: trace: closed loop: what a failed turn ends: nothing, its agent, or its conversation. Default: end-conversation.
        trace_overflow: trace: closed loop: a prompt that is too long for the server ends its agent and counts apart, or is a failed turn like others. Default: end-branch.
        trace_abort: trace: closed loop: stop the run when more than this share of its requests has failed, once as many have ended as conversations may be open, and 10 at least. Default: never.
        trace_grace: trace: closed loop: how long answers are waited for after --duration; then they are cancelled. Default: until they end.
        trace_max_context: trace: closed loop: leave out traces with a prompt and answer of more tokens. Default: no limit.
        trace_trees: trace: closed loop: use the first so many traces of those that are left. Default: all.
        trace_max_pause: trace: closed loop: the longest pause between two turns, after --trace-speed. 0 leaves out all pauses. Default: no limit.
        trace_models: trace: closed loop: models to ask for in place of the recorded ones, in the order in which those appear in each trace. Default: --model for all.
        trace_counts: trace: closed loop: a recorded length is that of the whole prompt with the chat template, or of the messages alone, as AIPerf has it. Default: prompt.
        trace_sessions: trace: closed loop: whether all agents of a conversation send the same value in --session-header, or each its own. Default: conversation.
        cache_block_size: trace: closed loop: tokens of a block of the server's prefix cache, for the hit rate of what was sent. Default: 16.
        random_mm_base_items_per_request: random-mm: images and videos in a request. Default: 1.
        random_mm_num_mm_items_range_ratio: random-mm: their number varies by this share up and down; 1 allows none. Default: 0.
        random_mm_limit_mm_per_prompt: random-mm: at most so many of each kind in a request. Default: {"image": 255, "video": 1}.
        random_mm_bucket_config: random-mm: sizes as (height, width, frames), each with its probability. One frame is an image, more are a video. Default: {(256, 256, 1): 0.5, (720, 1280, 1): 0.5, (720, 1280, 16): 0}.
        no_reranker: random-rerank: the model embeds query and documents one by one; all have the input length.
        custom_ensure_client_side_data: custom_image: read images here and send their bytes; else the server gets paths and URLs.
        task: eval: the task: a built-in one by its name, or a file (docs/tasks.md).
        examples: eval: the file or folder of the worked examples. Default: as the task says.
        num_fewshot: eval: worked examples before each question. Default: as the task says.
        fewshot_seed: eval: seed by which worked examples are drawn, as lm-eval draws them. Default: 1234.
        category: eval: ask only the questions of this category. Default: all.
        fewshot_in_one_turn: eval: of a chat: all worked examples are a part of the one message, not turns of their own.
        system_instruction: eval: an instruction: the system message of a chat; of a completion, the text before all.
        max_answer_tokens: eval: most tokens of an answer. Default: as the task says.
        fleet: Have the load sent by agents on other machines (inferometer agent), found through this NATS: an address, or the file that inferometer fleet init wrote for leaders; docs/fleet.md. Default: this process sends it.
        fleet_agents: How many agents take part. Default: all that are free.
        fleet_label: Only agents with this label. It may be given several times.
        fleet_wait: How long to wait for agents to come, and after the last one has ended for the journals of those that are silent. Default: 30s.
        fleet_lease: An agent without contact to NATS for this long stops sending. Default: 15s.
    """
    return _find.find(locals(), _FIND)


def compare(
    *results: Side,
    show: Optional[bool] = None,
    gate: Optional[str] = None,
    metrics: Optional[Union[str, Sequence[str]]] = None,
) -> Comparison:
    """Compare results with the first one: for each metric the change, its bounds, and whether it is real. Answers of two runs of inferometer eval are paired by their questions. A result is a run's folder, a scenario's (results/NAME: its points are paired by their values of the matrix), a point in it (results/NAME/POINT), our JSON, or what another tool wrote: vllm bench serve (JSON, JSONL, or its console block in any text), SGLang, GuideLLM, AIPerf, genai-perf, inference-perf, InferenceX, llama-bench, locust (its summary or --summary-file), lm-eval's table, the JSON of bench latency and bench throughput, or a table that someone made by hand. Join repeats of one side with commas.

    Args:
        *results: Runs, their folders, or files of results, ours and other tools'; a list is repeats of one side. The first is what the others are held against.
        show: True lets the program write all it says to standard error, False nothing. None shows its progress in a notebook and on a terminal.
        gate: Limits on changes, as in "p99_ttft<+5% and output_throughput>-3%", or "accuracy" for no loss beyond chance; docs/conditions.md has the grammar.
        metrics: Only these metrics, as in p99_ttft,output_throughput. Default: the usual ones.
    """
    return _compare.compare(locals(), _COMPARE)


def run(
    scenario: Path,
    *,
    show: Optional[bool] = None,
    output: Optional[Path] = None,
    fresh: Optional[bool] = None,
    only: Optional[Union[str, Sequence[str]]] = None,
    columns: Optional[str] = None,
    slo: Optional[str] = None,
    upload: Optional[str] = None,
    upload_plain: Optional[bool] = None,
    set: Optional[Union[Mapping[str, Any], Sequence[str]]] = None,
) -> Experiment:
    """Run a whole experiment from one file: start its servers, run every point of its matrix, stop them, and print the table. After an interruption, run it again to continue where it stopped.

    Args:
        scenario: The file of the experiment (docs/scenarios.md).
        show: True lets the program write all it says to standard error, False nothing. None shows its progress in a notebook and on a terminal.
        output: Folder for the results. Default: artifacts.folder of the file, or results/NAME.
        fresh: Forget the results that are there and run every point.
        only: Only points that match all of these: KEY=VALUE of the matrix, or a part of a point's name.
        columns: Columns of the table, as in requests,output_throughput,p99_ttft,mean_tpot,verdict; the file's key columns. Default: the usual ones.
        slo: Limits that every point must keep, in place of the file's key slo. Exit code 7 if one is broken, 6 if one is not known; docs/conditions.md has the grammar.
        upload: Put the run's journal, result and Spec into this bucket of an S3-compatible store afterwards, under the name of the run's folder. Keys, region and endpoint are AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL.
        upload_plain: Upload without TLS even to a store on another machine.
        set: Set keys of the file, as in pace.rate=5 or targets.a.base_url=http://host:8000.
    """
    return _experiment.run(locals(), _RUN)
