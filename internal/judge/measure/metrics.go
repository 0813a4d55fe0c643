package measure

// Better says which direction of a number is an improvement.
type Better string

// The directions.
const (
	Lower  Better = "lower"
	Higher Better = "higher"
)

// Metric is the one home of a latency: its name in keys and flags, its words on
// the console, its unit, its definition, and how a request gives its value.
type Metric struct {
	Name   string // as in mean_{name}_ms and --percentile-metrics
	Short  string // as in "Mean TTFT (ms)"
	Title  string // the heading of its block on the console
	Unit   string
	Better Better
	Doc    string // the definition, in one line; docs/metrics.md holds the same

	// NeedsTokenizer: vLLM leaves it out of the result when it has no tokenizer.
	NeedsTokenizer bool
	// Value is a success's value in seconds; ok is false where it has none.
	// It is nil for a metric with many values a request.
	Value func(r *Row) (v float64, ok bool)
}

// Metrics are the latencies that --percentile-metrics can name, in the order in
// which a result shows them.
func Metrics() []Metric {
	return []Metric{
		{
			Name: "ttft", Short: "TTFT", Title: "Time to First Token", Unit: "ms", Better: Lower, NeedsTokenizer: true,
			Doc:   "time from sending a request to its first token chunk",
			Value: func(r *Row) (float64, bool) { return r.TTFT(), true },
		},
		{
			Name: "tpot", Short: "TPOT", Title: "Time per Output Token (excl. 1st token)", Unit: "ms", Better: Lower, NeedsTokenizer: true,
			Doc:   "(latency − ttft) / (output tokens − 1), one value a request; requests of one token have none",
			Value: (*Row).TPOT,
		},
		{
			Name: "itl", Short: "ITL", Title: "Inter-token Latency", Unit: "ms", Better: Lower, NeedsTokenizer: true,
			Doc: "time between consecutive token chunks, all gaps of all requests together; it is inter-chunk, whatever its name",
		},
		{
			Name: "e2el", Short: "E2EL", Title: "End-to-end Latency", Unit: "ms", Better: Lower,
			Doc:   "time from sending a request to its last token chunk",
			Value: func(r *Row) (float64, bool) { return r.Latency(), true },
		},
		{
			Name: "client_queue_time", Short: "Client Queue Time", Title: "Client Queue Time", Unit: "ms", Better: Lower,
			Doc:   "time that a request waited in the client for a slot of --max-concurrency",
			Value: func(r *Row) (float64, bool) { return r.QueueTime(), true },
		},
		{
			Name: "e2el_including_client_queue", Short: "E2EL incl. Client Queue", Title: "End-to-end Latency incl. Client Queue",
			Unit: "ms", Better: Lower,
			Doc:   "e2el + client_queue_time of the same request",
			Value: func(r *Row) (float64, bool) { return r.Latency() + r.QueueTime(), true },
		},
	}
}

// Number is the one home of a number of the whole run.
type Number struct {
	Name   string
	Unit   string
	Better Better // empty where neither direction is better
	Doc    string
	Of     func(r *Result) float64
}

// Numbers are the numbers of the whole run, in the order of the result.
func Numbers() []Number {
	return []Number{
		{
			"duration", "s", "", "time from the start of the run to the end of its last request",
			func(r *Result) float64 { return r.Duration },
		},
		{
			"completed", "requests", Higher, "requests that succeeded",
			func(r *Result) float64 { return float64(r.Completed) },
		},
		{
			"failed", "requests", Lower, "requests that did not succeed, whatever the outcome",
			func(r *Result) float64 { return float64(r.Failed) },
		},
		{
			"total_input_tokens", "tokens", "", "prompt tokens of the successes, as the server counted, else as planned",
			func(r *Result) float64 { return float64(r.InputTokens) },
		},
		{
			"total_output_tokens", "tokens", "", "output tokens of the successes",
			func(r *Result) float64 { return float64(r.OutputTokens) },
		},
		{
			"request_throughput", "req/s", Higher, "completed / duration",
			func(r *Result) float64 { return r.RequestThroughput },
		},
		{
			"request_goodput", "req/s", Higher, "successes that met every --goodput target / duration",
			func(r *Result) float64 { return r.goodput() },
		},
		{
			"output_token_goodput", "tok/s", Higher, "output tokens of the successes that met every --goodput target / duration",
			func(r *Result) float64 { return r.tokenGoodput() },
		},
		{
			"output_throughput", "tok/s", Higher, "total_output_tokens / duration",
			func(r *Result) float64 { return r.OutputThroughput },
		},
		{
			"total_token_throughput", "tok/s", Higher, "(total_input_tokens + total_output_tokens) / duration",
			func(r *Result) float64 { return r.TotalTokenThroughput },
		},
		{
			"max_output_tokens_per_s", "tok/s", Higher, "the most output tokens in one of the seconds since the first send",
			func(r *Result) float64 { return r.peakTokens() },
		},
		{
			"max_concurrent_requests", "requests", "", "the most requests that were open at one moment",
			func(r *Result) float64 { return float64(r.PeakConcurrent) },
		},
	}
}
