package serving

// Name is a metric's name and what it means. A histogram is named without _sum, _count and
// _bucket.
type Name struct {
	Server  string // whose name it is, for people
	Name    string
	Label   string // with Value: only lines with this label; empty: all lines of the name
	Value   string
	Meaning Meaning
	Scale   float64 // the value in our unit is the server's times this; 0: 1
}

// Names are what we know, in the order in which they are believed: where a server has two
// names for one meaning, the first counts.
var Names = build()

func build() []Name {
	var out []Name
	add := func(server, prefix string, list []Name) {
		for _, n := range list {
			n.Server, n.Name = server, prefix+n.Name
			out = append(out, n)
		}
	}
	add("vLLM", "vllm:", vllm)
	add("SGLang", "sglang:", sglang)
	add("TGI", "tgi_", tgi)
	add("llama.cpp", "llamacpp:", llamacpp)
	add("TensorRT-LLM", "trtllm_", trtllm)
	add("Triton", "nv_", triton)
	add("LMDeploy", "lmdeploy:", lmdeploy)
	// Exporters that allow no colon, and programs that pass an engine's metrics on.
	add("vLLM by Ray Serve", "ray_vllm_", vllm)
	add("vLLM by Ray Serve", "ray_vllm:", vllm)
	add("vLLM", "vllm_", vllm)
	add("Aphrodite", "aphrodite:", vllm)
	add("SGLang", "sglang_", sglang)
	add("llama.cpp", "llamacpp_", llamacpp)
	add("TensorRT-LLM by Dynamo", "trtllm:", trtllm)
	add("Dynamo", "dynamo_", dynamo)
	add("llm-d router", "llm_d_epp_", llmd)
	add("Gateway API inference extension", "inference_", extension)
	add("LiteLLM", "litellm_", litellm)
	add("vllm-router", "vllm_router_", vllmRouter)
	add("smg", "smg_", smg)
	add("Inferometer's router", "sim_router_", simRouter)
	add("any server on FastAPI", "http_", fastAPI)
	add("vLLM's log", "log:", vllmLog)
	return out
}

// Both engines of vLLM. V0 had gpu_ names, which early versions of V1 still have.
var vllm = []Name{
	{Name: "num_requests_running", Meaning: Running},
	{Name: "num_requests_waiting", Meaning: Waiting},
	{Name: "num_requests_swapped", Meaning: Swapped},
	{Name: "kv_cache_usage_perc", Meaning: CacheUse}, // 0 to 1, whatever its name says
	{Name: "gpu_cache_usage_perc", Meaning: CacheUse},
	{Name: "gpu_prefix_cache_hit_rate", Meaning: PrefixHitRate},
	{Name: "prefix_cache_queries_total", Meaning: PrefixQueries},
	{Name: "gpu_prefix_cache_queries_total", Meaning: PrefixQueries},
	{Name: "prefix_cache_hits_total", Meaning: PrefixHits},
	{Name: "gpu_prefix_cache_hits_total", Meaning: PrefixHits},
	{Name: "num_preemptions_total", Meaning: Preemptions},
	{Name: "prompt_tokens_total", Meaning: PromptTokens},
	{Name: "generation_tokens_total", Meaning: GeneratedTokens},
	{Name: "request_success_total", Meaning: Finished},
	{Name: "request_success_total", Label: "finished_reason", Value: "abort", Meaning: Aborted},
	{Name: "request_success_total", Label: "finished_reason", Value: "error", Meaning: Failed},
	{Name: "spec_decode_num_drafts_total", Meaning: Drafts},
	{Name: "spec_decode_num_draft_tokens_total", Meaning: DraftTokens},
	{Name: "spec_decode_num_accepted_tokens_total", Meaning: AcceptedTokens},
	{Name: "spec_decode_num_emitted_tokens_total", Meaning: EmittedTokens},
	{Name: "prompt_tokens_by_source_total", Label: "source", Value: "local_cache_hit", Meaning: LocalHits},
	{Name: "prompt_tokens_by_source_total", Label: "source", Value: "external_kv_transfer", Meaning: Transferred},
	{Name: "num_requests_waiting_by_reason", Label: "reason", Value: "deferred", Meaning: AwaitTransfer},
	{Name: "nixl_num_failed_transfers_total", Meaning: TransferFailed},
	{Name: "nixl_bytes_transferred_sum", Meaning: TransferBytes},
	{Name: "nixl_xfer_time_seconds", Meaning: Transfer},
	{Name: "iteration_tokens_total_sum", Meaning: IterationTokens},
	{Name: "iteration_tokens_total_count", Meaning: Iterations},
	{Name: "time_to_first_token_seconds", Meaning: TTFT},
	{Name: "inter_token_latency_seconds", Meaning: ITL},
	{Name: "time_per_output_token_seconds", Meaning: ITL},
	{Name: "e2e_request_latency_seconds", Meaning: E2E},
	{Name: "request_queue_time_seconds", Meaning: Queue},
	{Name: "request_prefill_time_seconds", Meaning: Prefill},
	{Name: "request_decode_time_seconds", Meaning: Decode},
	{Name: "request_inference_time_seconds", Meaning: Inference},
}

// SGLang has them with --enable-metrics. A retraction is its word for a preemption.
var sglang = []Name{
	{Name: "num_running_reqs", Meaning: Running},
	{Name: "num_queue_reqs", Meaning: Waiting},
	{Name: "token_usage", Meaning: CacheUse},
	{Name: "cache_hit_rate", Meaning: PrefixHitRate}, // of the last batch
	{Name: "cached_tokens_total", Meaning: PrefixHits},
	{Name: "num_retracted_requests_total", Meaning: Preemptions},
	{Name: "num_retracted_reqs_total", Meaning: Preemptions},
	{Name: "prompt_tokens_total", Meaning: PromptTokens},
	{Name: "generation_tokens_total", Meaning: GeneratedTokens},
	{Name: "num_requests_total", Meaning: Finished},
	{Name: "num_aborted_requests_total", Meaning: Aborted},
	{Name: "spec_verify_calls_total", Meaning: Drafts},
	{Name: "num_decode_transfer_queue_reqs", Meaning: AwaitTransfer},
	{Name: "num_prefill_inflight_queue_reqs", Meaning: AwaitTransfer}, // prefill: computed, and still leaving
	{Name: "num_transfer_failed_reqs_total", Meaning: TransferFailed},
	{Name: "kv_transfer_total_mb_sum", Meaning: TransferBytes, Scale: 1e6},
	{Name: "kv_transfer_latency_ms", Meaning: Transfer, Scale: 1e-3},
	{Name: "time_to_first_token_seconds", Meaning: TTFT},
	{Name: "inter_token_latency_seconds", Meaning: ITL},
	{Name: "time_per_output_token_seconds", Meaning: ITL},
	{Name: "e2e_request_latency_seconds", Meaning: E2E},
	{Name: "queue_time_seconds", Meaning: Queue},
}

// TGI's durations are in seconds, though their names don't say so. A time per token is one
// value a request there.
var tgi = []Name{
	{Name: "batch_current_size", Meaning: Running},
	{Name: "queue_size", Meaning: Waiting},
	{Name: "request_input_length_sum", Meaning: PromptTokens},
	{Name: "request_generated_tokens_sum", Meaning: GeneratedTokens},
	{Name: "request_success", Meaning: Finished},
	{Name: "request_failure", Meaning: Failed},
	{Name: "request_mean_time_per_token_duration", Meaning: ITL},
	{Name: "request_duration", Meaning: E2E},
	{Name: "request_queue_duration", Meaning: Queue},
	{Name: "request_inference_duration", Meaning: Inference},
}

// llama.cpp has no histogram, and counts prompt tokens without cached ones. Forks have an
// older list, with the cache's use and without what it held.
var llamacpp = []Name{
	{Name: "requests_processing", Meaning: Running},
	{Name: "requests_deferred", Meaning: Waiting},
	{Name: "kv_cache_usage_ratio", Meaning: CacheUse},
	{Name: "prompt_tokens_cached_total", Meaning: PrefixHits},
	{Name: "prompt_tokens_total", Meaning: ComputedTokens},
	{Name: "tokens_predicted_total", Meaning: GeneratedTokens},
	{Name: "n_decode_total", Meaning: Iterations},
	{Name: "prompt_seconds_total", Meaning: PrefillSeconds},
	{Name: "tokens_predicted_seconds_total", Meaning: DecodeSeconds},
	{Name: "spec_decode_num_drafts_total", Meaning: Drafts},
	{Name: "spec_decode_num_draft_tokens_total", Meaning: DraftTokens},
	{Name: "spec_decode_num_accepted_tokens_total", Meaning: AcceptedTokens},
}

// trtllm-serve has them at /prometheus/metrics.
var trtllm = []Name{
	{Name: "num_requests_running", Meaning: Running},
	{Name: "num_requests_waiting", Meaning: Waiting},
	{Name: "kv_cache_utilization", Meaning: CacheUse},
	{Name: "kv_cache_hit_rate", Meaning: PrefixHitRate},
	{Name: "prompt_cached_tokens_total", Meaning: PrefixHits},
	{Name: "prompt_tokens_total", Meaning: PromptTokens},
	{Name: "generation_tokens_total", Meaning: GeneratedTokens},
	{Name: "request_success_total", Meaning: Finished},
	{Name: "request_error_total", Meaning: Failed},
	{Name: "kv_transfer_bytes_sum", Meaning: TransferBytes},
	{Name: "kv_transfer_latency_seconds", Meaning: Transfer},
	{Name: "spec_decode_num_draft_tokens_total", Meaning: DraftTokens},
	{Name: "spec_decode_drafted_tokens_total", Meaning: DraftTokens},
	{Name: "spec_decode_num_accepted_tokens_total", Meaning: AcceptedTokens},
	{Name: "spec_decode_accepted_tokens_total", Meaning: AcceptedTokens},
	{Name: "time_to_first_token_seconds", Meaning: TTFT},
	{Name: "time_per_output_token_seconds", Meaning: ITL},
	{Name: "e2e_request_latency_seconds", Meaning: E2E},
	{Name: "request_queue_time_seconds", Meaning: Queue},
	{Name: "request_prefill_time_seconds", Meaning: Prefill},
	{Name: "request_decode_time_seconds", Meaning: Decode},
	{Name: "request_inference_time_seconds", Meaning: Inference},
}

// Triton tells what a number is by a label. Its own durations are sums of microseconds.
var triton = []Name{
	{Name: "trt_llm_request_metrics", Label: "request_type", Value: "scheduled", Meaning: Running},
	{Name: "trt_llm_request_metrics", Label: "request_type", Value: "waiting", Meaning: Waiting},
	{Name: "trt_llm_request_metrics", Label: "request_type", Value: "active", Meaning: InFlight},
	{Name: "trt_llm_kv_cache_block_metrics", Label: "kv_cache_block_type", Value: "fraction", Meaning: CacheUse},
	{Name: "inference_pending_request_count", Meaning: Waiting}, // a gauge, whatever its name says
	{Name: "inference_request_success", Meaning: Finished},
	{Name: "inference_request_failure", Meaning: Failed},
	{Name: "inference_first_response_histogram_ms", Meaning: TTFT, Scale: 1e-3},
	{Name: "inference_queue_duration_us", Meaning: QueueSeconds, Scale: 1e-6},
}

var lmdeploy = []Name{
	{Name: "num_requests_running", Meaning: Running},
	{Name: "num_requests_waiting", Meaning: Waiting},
	{Name: "gpu_cache_usage_perc", Meaning: CacheUse},
	{Name: "prompt_tokens_total", Meaning: PromptTokens},
	{Name: "generation_tokens_total", Meaning: GeneratedTokens},
	{Name: "request_success_total", Meaning: Finished},
	{Name: "time_to_first_token_seconds", Meaning: TTFT},
	{Name: "time_per_output_token_seconds", Meaning: ITL},
	{Name: "e2e_request_latency_seconds", Meaning: E2E},
	{Name: "request_queue_time_seconds", Meaning: Queue},
	{Name: "request_prefill_time_seconds", Meaning: Prefill},
	{Name: "request_decode_time_seconds", Meaning: Decode},
	{Name: "request_inference_time_seconds", Meaning: Inference},
}

// Dynamo's frontend counts those that wait among those in flight. Its workers pass on the
// names of their engine.
var dynamo = []Name{
	{Name: "frontend_queued_requests", Meaning: Waiting},
	{Name: "frontend_inflight_requests", Meaning: InFlight},
	{Name: "component_kvstats_gpu_cache_usage_percent", Meaning: CacheUse}, // 0 to 1, whatever its name says
	{Name: "component_kvstats_gpu_prefix_cache_hit_rate", Meaning: PrefixHitRate},
	{Name: "frontend_input_sequence_tokens_sum", Meaning: PromptTokens},
	{Name: "frontend_output_sequence_tokens_sum", Meaning: GeneratedTokens},
	{Name: "frontend_requests_total", Meaning: Finished},
	{Name: "frontend_model_migration_total", Meaning: Migrations},
	{Name: "frontend_router_queue_pending_requests", Meaning: QueuedInRouter},
	{Name: "component_router_kv_transfer_estimated_latency_seconds", Meaning: Transfer}, // up to the first token of decode: an upper bound
	{Name: "frontend_time_to_first_token_seconds", Meaning: TTFT},
	{Name: "frontend_inter_token_latency_seconds", Meaning: ITL},
	{Name: "frontend_request_duration_seconds", Meaning: E2E},
}

// llm-d's endpoint picker sees requests from the gateway: in flight are those that wait in
// an engine too. Averages over engines can't be added up; the queue of each can.
var llmd = []Name{
	{Name: "per_endpoint_queue_size", Meaning: Waiting},
	{Name: "request_running", Meaning: InFlight},
	{Name: "average_kv_cache_utilization", Meaning: CacheUse},
	{Name: "request_cached_tokens_sum", Meaning: PrefixHits},
	{Name: "request_input_tokens_sum", Meaning: PromptTokens},
	{Name: "request_output_tokens_sum", Meaning: GeneratedTokens},
	{Name: "request_total", Meaning: Finished},
	{Name: "request_error_total", Meaning: Failed},
	{Name: "request_ttft_seconds", Meaning: TTFT},
	{Name: "request_streaming_itl_seconds", Meaning: ITL}, // between pieces of the body
	{Name: "request_duration_seconds", Meaning: E2E},
	{Name: "flow_control_request_queue_duration_seconds", Meaning: Queue},
	{Name: "flow_control_queue_size", Meaning: QueuedInRouter},
}

// The extension's names are the router's before it had its own; objective was model before.
var extension = []Name{
	{Name: "pool_per_pod_queue_size", Meaning: Waiting},
	{Name: "objective_running_requests", Meaning: InFlight},
	{Name: "model_running_requests", Meaning: InFlight},
	{Name: "pool_average_kv_cache_utilization", Meaning: CacheUse},
	{Name: "objective_input_tokens_sum", Meaning: PromptTokens},
	{Name: "model_input_tokens_sum", Meaning: PromptTokens},
	{Name: "objective_output_tokens_sum", Meaning: GeneratedTokens},
	{Name: "model_output_tokens_sum", Meaning: GeneratedTokens},
	{Name: "objective_request_total", Meaning: Finished},
	{Name: "model_request_total", Meaning: Finished},
	{Name: "objective_request_error_total", Meaning: Failed},
	{Name: "model_request_error_total", Meaning: Failed},
	{Name: "objective_request_duration_seconds", Meaning: E2E},
	{Name: "model_request_duration_seconds", Meaning: E2E},
	{Name: "extension_flow_control_request_queue_duration_seconds", Meaning: Queue},
	{Name: "extension_flow_control_queue_size", Meaning: QueuedInRouter},
}

var litellm = []Name{
	{Name: "in_flight_requests", Meaning: InFlight},
	{Name: "llm_api_time_to_first_token_metric", Meaning: TTFT},
	{Name: "llm_api_latency_metric", Meaning: E2E},
}

// vllm-router counts requests as they come and as a worker takes them; its own metrics are on another port.
var vllmRouter = []Name{
	{Name: "requests_total", Meaning: Received},
	{Name: "retries_total", Meaning: Retries},
}

// smg and sglang-router, on another port too.
var smg = []Name{
	{Name: "http_requests_total", Meaning: Received},
	{Name: "worker_retries_total", Meaning: Retries},
	{Name: "worker_requests_active", Meaning: InFlight},
	{Name: "router_ttft_seconds", Meaning: TTFT}, // over gRPC only
}

var simRouter = []Name{
	{Name: "requests_total", Meaning: Received},
	{Name: "retries_total", Meaning: Retries},
	{Name: "queued_requests", Meaning: QueuedInRouter},
}

// Servers in Python count by the path: what generates is counted, what only asks is not.
var fastAPI = func() (list []Name) {
	for _, path := range []string{"/v1/chat/completions", "/v1/completions", "/generate"} {
		list = append(list, Name{Name: "requests_total", Label: "handler", Value: path, Meaning: Received})
	}
	return list
}()
