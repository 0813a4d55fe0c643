// Package spec is one run as a value: a Spec says what is sent, when, to whom, what
// is kept and how it is judged; Execute does it and writes the journal; Child does the
// same in a process of its own.
package spec

import (
	"encoding/json"
	"time"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/share"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/spec/fault"
)

// SpecVersion is the version of the file's form. A reader refuses any other.
const SpecVersion = 1

// Spec is everything that decides what a run does. It is plain data, and as JSON it
// is a file that others can run (docs/spec.md). There is no secret in it: a secret is
// named by the environment variable that holds it.
//
// The tags of its fields are the only description of an option of a run (package option
// has what they mean): flags, keys, defaults, bounds, help and documents are made of them.
type Spec struct {
	Version int `json:"version"`
	Server  `json:"server" group:"Server and model"`
	Dataset `json:"dataset" group:"Dataset"`
	Pace    `json:"pace" group:"Load shape"`
	Load    `json:"load" group:"Load shape"`
	Request `json:"request" group:"Request content"`
	Keep    `json:"keep" group:"Inferometer"`
	Judge   `json:"judge" group:"Inferometer"`
	Fleet   `json:"fleet,omitempty" group:"Fleet"`

	May *Allowed `json:"-"` // what the user lets files do; nil: no more than usual. A file has no word for it
}

// Server says to whom requests go, and how.
type Server struct {
	URLs                 []string    `json:"urls" flag:"base-url" common:"true" default:"http://127.0.0.1:8000" metavar:"URL" redact:"urls" help:"The server, as in http://host:8000. Without it: --host and --port."` // without a login and without a path of the API; several are loaded as one
	Login                Value       `json:"login,omitzero"`                                                                                                                                                           // user:password of all of them
	APIKey               Value       `json:"api_key,omitzero"`                                                                                                                                                         // sent as a bearer token
	Headers              HeaderLines `json:"headers,omitempty" flag:"header" common:"true" redact:"pair" help:"Headers to send with each request. Their values are hidden in the result."`
	Balance              string      `json:"balance" flag:"balance" group:"Inferometer" default:"round-robin" help:"How one of --targets is chosen for a request. sticky: by the beginning of its prompt."`
	Backend              string      `json:"backend" flag:"backend" common:"true" default:"openai"`
	Endpoint             string      `json:"endpoint" flag:"endpoint" common:"true" metavar:"PATH" shown:"/v1/completions, or /v1/chat/completions with openai-chat" help:"The path of the API. Chosen by the backend (vLLM always takes /v1/completions unless told)."` // empty: the backend's
	Model                string      `json:"model,omitempty" flag:"model" common:"true" metavar:"NAME" shown:"the first that the server lists" help:"The model's name, and where its tokenizer is looked for."`                                                          // empty: ask the server
	ServedModelName      string      `json:"served_model_name,omitempty" flag:"served-model-name" metavar:"NAME" help:"The name to send as model, where it differs from --model."`
	Tokenizer            string      `json:"tokenizer,omitempty" flag:"tokenizer" common:"true" metavar:"PATH" shown:"that of --model" help:"A tokenizer's file (tokenizer.json, .model, tekken.json, .tiktoken, .gguf), a folder that holds one, or a model's name: it is looked for in Hugging Face's cache, and fetched from the hub unless HF_HUB_OFFLINE is set."`
	TokenizerRevision    string      `json:"tokenizer_revision,omitempty" flag:"tokenizer-revision" whole:"true" metavar:"REVISION" shown:"main" help:"The branch, tag or commit of a tokenizer that is named by its model."` // in a run's folder the commit
	TokenizerMode        string      `json:"tokenizer_mode" flag:"tokenizer-mode" default:"auto" choices:"auto,hf,mistral" refused:"slow,deepseek_v32,deepseek_v4,deepseek_v41,inkling,kimi_audio,kimi_k3,cohere" why:"is Python code of its own; give the tokenizer's file with --tokenizer, or use --skip-tokenizer-init" help:"Which tokenizer of a folder: auto and hf its tokenizer.json if there is one, mistral its tekken.json or SentencePiece model, as mistral-common."`
	SkipTokenizerInit    bool        `json:"skip_tokenizer_init,omitempty" flag:"skip-tokenizer-init" help:"Use no tokenizer: token counts are the server's, prompt lengths are approximate."`
	RequestIDPrefix      string      `json:"request_id_prefix,omitempty" flag:"request-id-prefix" shown:"bench-<8 hex digits>-" help:"What x-request-id begins with."`
	SessionHeader        string      `json:"session_header" flag:"session-header" whole:"true" default:"X-Session-ID" metavar:"NAME" help:"The header that tells the turns of one conversation, for a router in front of several servers. Empty sends none."` // vLLM's router looks at the default
	ReplicaKey           string      `json:"replica_key" flag:"replica-key" group:"Inferometer" whole:"true" default:"auto" metavar:"KEY" help:"Where answers say which replica served them: header:NAME, json:PATH (names of fields with dots, in an event or in the whole answer) or none. auto knows the headers of smg, LiteLLM, llm-d and our simulator, and asks Dynamo."`
	TraceID              string      `json:"trace_id,omitempty" flag:"trace-id" whole:"true" metavar:"ID" shown:"none; random with --otlp" help:"Send W3C's header traceparent with each measured request, all in this trace, so that the server's spans are found: 32 hexadecimal digits, or random for one of its own."` // empty: none is sent
	ReadyCheckTimeoutSec int         `json:"ready_check_timeout_sec,omitempty" flag:"ready-check-timeout-sec" group:"Load shape" default:"0" min:"0" metavar:"SECONDS" help:"Wait this long for the server to answer a request. 0 does not ask."`
	Insecure             bool        `json:"insecure,omitempty" flag:"insecure" help:"Don't check the server's TLS certificate."`
	Engine               string      `json:"engine" flag:"engine" group:"Inferometer" default:"auto" choices:"auto,loop,nethttp" help:"What carries the requests. loop is an event loop for HTTP/1.1 on Linux; nethttp is Go's client, for everything."`
	HTTP2                bool        `json:"http2,omitempty" flag:"http2" group:"Inferometer" help:"Offer HTTP/2 to a server behind TLS. Event times are then taken by this process, not by the kernel."`
	NoKeepAlive          bool        `json:"no_keep_alive,omitempty" flag:"no-keep-alive" group:"Inferometer" help:"Open a connection for each request, for a server that closes them without notice."`
	Proxy                string      `json:"proxy,omitempty" flag:"proxy" group:"Inferometer" metavar:"URL" redact:"url" shown:"as HTTP_PROXY, HTTPS_PROXY and NO_PROXY say" help:"A proxy for all requests, or none for no proxy at all."` // without a login
	ProxyLogin           Value       `json:"proxy_login,omitzero"`

	Replicas    []string        `json:"replicas,omitempty" flag:"replica" group:"Inferometer" whole:"true" repeat:"true" metavar:"[ROLE=]URL" redact:"urls" shown:"those that a router lists" help:"A server behind the router that is loaded, as in http://gpu-a:8000, or prefill=URL and decode=URL where these are apart (prefill:4=URL: it runs on 4 GPUs; prefill:gpu0-3=URL: on these, whose energy is told apart): its metrics are read for themselves. Give it once for each, or with commas between. none asks no router for them. --role ROLE=URL is the same."`
	MetricsURLs []string        `json:"metrics_urls,omitempty" flag:"metrics-url" group:"Inferometer" whole:"true" repeat:"true" metavar:"URL,URL,…" redact:"urls" help:"Where the server's metrics are, if not at its own /metrics: another port, a server behind a gateway, a gateway of its own. Several: one for each of --targets, or all that stand behind one address. The API key goes only to the server's own host and port."`
	MetricsMap  json.RawMessage `json:"metrics_map,omitempty" flag:"metrics-map" group:"Inferometer" whole:"true" metavar:"FILE" help:"A YAML file that says what metrics of a server mean that are not known: docs/server-metrics.md."` // as its file says it

	Protocol json.RawMessage `json:"protocol,omitempty" flag:"protocol-file" whole:"true" metavar:"FILE" help:"custom: a YAML or JSON file that describes the server's API: path, body, and where answers have their text and counts (docs/protocols.md)."` // as its file describes it
}

// Load says how many requests there are and what ends them.
type Load struct {
	NumPrompts     int  `json:"num_prompts" flag:"num-prompts" common:"true" default:"1000" help:"How many requests to send. With --duration, --stages or --ramp-rate: at most so many, and without a bound unless given."` // 0 where Unbounded, and for all rows of a custom file
	Unbounded      bool `json:"unbounded,omitempty"`                                                                                                                                                                        // the run ends by time or by --until
	MaxConcurrency *int `json:"max_concurrency,omitempty" flag:"max-concurrency" common:"true" min:"1" shown:"no bound" help:"Maximum number of requests in flight."`
	// MaxConversations bounds those that are open; MaxConcurrency the requests in flight.
	MaxRequests      int           `json:"max_requests,omitempty" flag:"max-requests" whole:"true" min:"0" shown:"no bound" help:"Of conversations: end after this many requests."`
	MaxConversations *int          `json:"max_conversations,omitempty" flag:"max-conversations" whole:"true" min:"1" shown:"no bound" help:"Maximum number of open conversations, of a dataset that has them. --max-concurrency bounds their requests."`
	Duration         time.Duration `json:"duration,omitempty" flag:"duration" group:"Inferometer" common:"true" min:"0" shown:"until --num-prompts are sent" help:"Send for this long, then wait for the requests in flight."`
	NumWarmups       int           `json:"num_warmups,omitempty" flag:"num-warmups" common:"true" default:"0" min:"0" help:"Requests before the measurement. Their prompts are not those that are measured."`
	Seed             int           `json:"seed" flag:"seed" common:"true" default:"0" min:"0" max:"4294967295" help:"Seed of prompts and arrival times. The same seed sends the same bytes."` // as NumPy takes one
	RequestTimeout   time.Duration `json:"request_timeout" flag:"request-timeout" group:"Inferometer" default:"10m" above:"0" help:"Give up on a request after this long; its outcome is timeout. vLLM waits 6h, and so does --compat vllm."`
	Deadline         time.Duration `json:"deadline,omitempty" flag:"deadline" group:"Inferometer" min:"0" shown:"none" help:"Stop the whole run after this long, with a partial result."`
	Until            string        `json:"until,omitempty" flag:"until" group:"Inferometer" whole:"true" metavar:"GOALS" shown:"100,000 requests at most" help:"Send until the 95 % intervals are this narrow, as in p99_ttft±5% (or +-5%), with \"and\" between several; docs/conditions.md has the grammar. --num-prompts, --duration and --deadline are bounds."`
	GiveUp           string        `json:"give_up,omitempty" flag:"give-up" group:"Inferometer" whole:"true" hidden:"true" metavar:"SLO" help:"Stop as soon as this SLO can't be met any more. Needs --duration."`
	SpawnRate        float64       `json:"spawn_rate,omitempty" flag:"spawn-rate" group:"Inferometer" min:"0" metavar:"RATE" shown:"inf" help:"Users that begin a second. --duration then counts from the moment when all are there. inf begins with all."`                                                                                  // 0: all at once
	BatchSize        int           `json:"batch_size,omitempty" flag:"batch-size" group:"Inferometer" whole:"true" default:"0" min:"0" shown:"none" help:"Send requests in batches of so many: the next one begins when the last answer of the one before has come, as the rollouts of reinforcement learning do. Needs --max-concurrency."` // 0: each by itself
	Share            share.Share   `json:"share,omitempty" flag:"client-share" whole:"true" metavar:"I/N" shown:"all" help:"Send only this client's share of the requests, such as 2/8 for the second of eight clients, or 2/3:1,1,4 with weights. All clients together send what one alone would, at the same times."`

	RequestCancellationRate   float64        `json:"request_cancellation_rate,omitempty" flag:"request-cancellation-rate" whole:"true" default:"0" min:"0" max:"100" metavar:"PERCENT" help:"Hang up on this percentage of the requests, drawn by --seed: their outcome is hung_up, neither a success nor a failure. What the server went on to generate for nobody is reported by its counters."`
	RequestCancellationDelay  *time.Duration `json:"request_cancellation_delay,omitempty" flag:"request-cancellation-delay" whole:"true" min:"0" metavar:"SECONDS" shown:"0 without --request-cancellation-tokens" help:"When to hang up: so long after all of the request was sent, in seconds or as in 500ms."`
	RequestCancellationTokens int            `json:"request_cancellation_tokens,omitempty" flag:"request-cancellation-tokens" whole:"true" min:"0" metavar:"N" shown:"no bound" help:"When to hang up: after so many tokens of the answer. With --request-cancellation-delay: whichever comes first."`

	Faults fault.List `json:"faults,omitempty" flag:"fault" group:"Inferometer" whole:"true" repeat:"true" metavar:"TIME:COMMAND" help:"Run a command of yours during the load, as in \"10s: kubectl delete pod llm-0\" or \"500 requests: COMMAND\", and note in the journal when: docs/faults.md. A scenario has more to do to servers that it starts."`

	ProbeRequestRate float64 `json:"probe_request_rate,omitempty" flag:"probe-request-rate" default:"0" help:"Besides the load, send this many one-token requests a second, outside of --max-concurrency, one at a time, and report their latency by itself."`
	Profile          bool    `json:"profile,omitempty" flag:"profile" help:"Start vLLM's profiler before the load and stop it after: POST /start_profile and /stop_profile. The server needs --profiler-config."`
}

// Request says what stands in each request beside its prompt; nil is not sent.
type Request struct {
	Temperature       *float64        `json:"temperature,omitempty" flag:"temperature" common:"true" above:"-inf" below:"inf" shown:"the server's" help:"Sampling temperature."`
	TopP              *float64        `json:"top_p,omitempty" flag:"top-p" above:"-inf" below:"inf" help:"Sample from the most likely tokens that make up this share."`
	TopK              *int            `json:"top_k,omitempty" flag:"top-k" help:"Sample from this many most likely tokens."`
	MinP              *float64        `json:"min_p,omitempty" flag:"min-p" above:"-inf" below:"inf" help:"Sample from tokens at least this likely, relative to the likeliest."`
	FrequencyPenalty  *float64        `json:"frequency_penalty,omitempty" flag:"frequency-penalty" above:"-inf" below:"inf" help:"Penalty by how often a token has occurred."`
	PresencePenalty   *float64        `json:"presence_penalty,omitempty" flag:"presence-penalty" above:"-inf" below:"inf" help:"Penalty if a token has occurred at all."`
	RepetitionPenalty *float64        `json:"repetition_penalty,omitempty" flag:"repetition-penalty" above:"-inf" below:"inf" shown:"1 with completions, else the server's" help:"Factor against repetition."`
	IgnoreEOS         bool            `json:"ignore_eos,omitempty" flag:"ignore-eos" common:"true" help:"Generate all tokens asked for. Always on with the random dataset."`
	Logprobs          *int            `json:"logprobs,omitempty" flag:"logprobs" min:"0" help:"Ask for this many log probabilities a token; completions only."`
	ContinuousUsage   bool            `json:"continuous_usage,omitempty" flag:"continuous-usage" group:"Inferometer" help:"Ask for usage in each event, so that the time between tokens is known where an event holds several. vLLM and SGLang know it."`
	Unstreamed        bool            `json:"unstreamed,omitempty" flag:"unstreamed" group:"Inferometer" whole:"true" help:"Ask for each answer in one piece: end-to-end latency and throughput, and no times of tokens. --no-stream says the same with any dataset but hf, of which it is vLLM's own flag."`
	DefaultBody       json.RawMessage `json:"default_body,omitempty"`                                                                                                                                                 // fields that all others win over
	ExtraBody         json.RawMessage `json:"extra_body,omitempty" flag:"extra-body" common:"true" redact:"json" help:"Fields to put into each request; they override all others. --extra-body.KEY VALUE works too."` // {"$env": "NAME"} stands for a secret
}

// Keep says what is kept of a run, and where.
type Keep struct {
	Command           []string      `json:"command,omitempty"` // the command line that the Spec was made from, secrets replaced; it is only shown
	Label             string        `json:"label,omitempty" flag:"label" group:"Server and model" help:"A name for the run, in the result and its file name."`
	Metadata          Pairs         `json:"metadata,omitempty" flag:"metadata" group:"Result" help:"Keys to add to the result."`
	RunDir            string        `json:"run_dir,omitempty" flag:"run-dir" common:"true" metavar:"DIR" shown:"a new one in the user's state folder" help:"Folder for the run's journal and result."`
	Resume            bool          `json:"-"` // go on with the questions in RunDir that have no answer; a file has no word for it
	KeepRuns          int           `json:"keep_runs" flag:"keep-runs" default:"100" min:"0" help:"How many runs to keep in the state folder. 0 keeps all."`
	JournalTexts      bool          `json:"journal_texts,omitempty" flag:"journal-texts" help:"Keep prompts and generated texts in the journal."`
	ScrapeEvery       time.Duration `json:"scrape_every" flag:"scrape-every" default:"1s" help:"How often to read the server's metrics during the load, on a connection of their own. 0 reads them before and after it only."`
	ServerLogs        []string      `json:"server_logs,omitempty" flag:"server-log" whole:"true" repeat:"true" metavar:"FILE,FILE,…" help:"A log of vLLM, read during the load where the server has no metrics. Several: one for each of --targets."`
	Hardware          Value         `json:"hardware,omitzero" flag:"hardware" whole:"true" default:"auto" metavar:"SOURCES" redact:"hardware" help:"What to ask for power, clocks, temperatures and throttling of the server's devices, once a second: {names}, with commas between several, as in nvidia-smi,rapl or dcgm=http://gpu-box:9400; or none. auto asks what this machine has, if the server is on it."`
	ForgetPrompts     bool          `json:"forget_prompts,omitempty" flag:"forget-prompts" whole:"true" help:"The server's prefix cache is empty, by a restart or a reset: forget which prompts earlier runs sent to it."`
	SaveResult        bool          `json:"save_result,omitempty" flag:"save-result" group:"Result" common:"true" help:"Write the result as JSON."`
	SaveDetailed      bool          `json:"save_detailed,omitempty" flag:"save-detailed" group:"Result" help:"With --save-result: also each request's lengths, times, text and error."`
	AppendResult      bool          `json:"append_result,omitempty" flag:"append-result" group:"Result" help:"Add the result to the file, as one more line."`
	ResultDir         string        `json:"result_dir,omitempty" flag:"result-dir" group:"Result" metavar:"DIR" shown:"the current one" help:"Folder for the result; made if absent."`
	ResultFilename    string        `json:"result_filename,omitempty" flag:"result-filename" group:"Result" metavar:"FILE" shown:"from label, rate, model and time" help:"Name of the result's file."`
	SaveConversations string        `json:"save_conversations,omitempty" flag:"save-conversations" whole:"true" metavar:"FILE" help:"Write the conversations that are complete, with the server's answers, as a JSON array."`
	AppendMarkdown    string        `json:"append_markdown,omitempty" flag:"append-markdown" group:"Result" whole:"true" metavar:"FILE" help:"Add the run to this file of notes, as a section with its command, figures and verdict; inferometer compare reads it back."`
	SummaryFile       string        `json:"summary_file,omitempty" flag:"summary-file" metavar:"FILE" help:"Append one row to a CSV file with the columns of fw-ai/benchmark."`
	SummaryLoad       string        `json:"summary_load,omitempty"` // the load in the words of that file; empty: the concurrency

	PlotTimeline          bool      `json:"plot_timeline,omitempty" flag:"plot-timeline" group:"Result" help:"Write a page of the requests in time beside the result: NAME.timeline.html."`
	TimelineITLThresholds []float64 `json:"timeline_itl_thresholds,omitempty" flag:"timeline-itl-thresholds" group:"Result" metavar:"MS,MS" shown:"25,50" help:"Two times in ms that divide gaps between tokens into three classes in the timeline, as in 25,50."` // none: vLLM's
	PlotDatasetStats      bool      `json:"plot_dataset_stats,omitempty" flag:"plot-dataset-stats" group:"Result" help:"Write a picture of the lengths of prompts and answers beside the result: NAME.dataset_stats.png."`
}

// Judge says what is computed of a run and what it is held against.
type Judge struct {
	PercentileMetrics []string  `json:"percentile_metrics" flag:"percentile-metrics" group:"Result" common:"true" default:"ttft,tpot,itl" help:"Metrics to report: {names}."`
	MetricPercentiles []float64 `json:"metric_percentiles" flag:"metric-percentiles" group:"Result" default:"99" help:"Which percentiles of them to report."`
	Goodput           Limits    `json:"goodput,omitempty" flag:"goodput" group:"Result" common:"true" some:"true" separator:":" help:"Count requests that keep these limits in ms, as in ttft:200 itl_p99:50 tpot:30 e2el:5000; docs/conditions.md has the grammar, docs/metrics.md all names."`
	SLO               string    `json:"slo,omitempty" flag:"slo" group:"Result" common:"true" whole:"true" metavar:"LIMITS" help:"Limits that the run must keep, as in \"p99_ttft<=500ms and failed<0.1%\". Exit code 7 if one is broken, 6 if one is not known; docs/conditions.md has the grammar."`
	Rules             string    `json:"rules,omitempty" flag:"rules" group:"Result" whole:"true" choices:"agentx,inferencex,mlperf-agentic" help:"Judge the run of agents by the rules of others: which it meets, which it breaks, and whether it may be submitted. Exit code 7 if one is broken, 6 if one is not known; docs/rules.md has them all."`
	RecoveryWithin    float64   `json:"recovery_within,omitempty" flag:"recovery-within" group:"Result" default:"10" above:"0" max:"1000" metavar:"PERCENT" help:"By how much worse than before a fault counts as recovered from it; docs/faults.md has the method."`
	Strict            bool      `json:"strict,omitempty" flag:"strict" help:"End with exit code 4 when the verdict is INVALID."`
	Compat            string    `json:"compat,omitempty" flag:"compat" choices:"vllm" help:"Compute the numbers of vLLM 0.32 where ours differ on purpose."`
	IntegritySample   int       `json:"integrity_sample,omitempty" flag:"integrity-sample" default:"0" min:"0" help:"After the load, send this many of its prompts again, one at a time, and compare the texts. Needs --temperature 0."`
	PricePerHour      *float64  `json:"price_per_hour,omitempty" flag:"price-per-hour" whole:"true" above:"0" metavar:"PRICE" help:"What one GPU costs an hour, in any currency: gives the cost of a million tokens."`
	GPUs              *int      `json:"gpus,omitempty" flag:"gpus" whole:"true" min:"1" metavar:"N" help:"How many GPUs the servers run on together: gives jobs per GPU-hour, and counts in --price-per-hour and --power, which are of one GPU without it."`
	AllowCode         bool      `json:"allow_code,omitempty" flag:"allow-code" whole:"true" help:"Run programs that are answers of a task such as HumanEval, with this machine's Python, in a sandbox without a network, with limits of time and memory (docs/code.md). Linux only."`
	Power             Value     `json:"power,omitzero" flag:"power" whole:"true" metavar:"WATTS" redact:"power" help:"Watts of one GPU, or rapl for this machine's processors, or prometheus:URL?query=…: gives joules per token."`
}

// Priced is how many GPUs a price and a power are of: one where nobody said.
func (j *Judge) Priced() int {
	if j.GPUs == nil {
		return 1
	}
	return *j.GPUs
}

// The backends and their paths.
const (
	BackendVLLM   = "vllm"
	BackendOpenAI = "openai"
	BackendChat   = "openai-chat"

	CompletionsEndpoint = "/v1/completions"
	ChatEndpoint        = "/v1/chat/completions"
)

// NoReplicaKey is the replica key of a run that does not ask who served its requests.
const NoReplicaKey = "none"

// vllmRequestTimeout is the only bound that its client has.
const vllmRequestTimeout = 6 * time.Hour

// keyVariable holds the API key unless a Spec names another one.
const keyVariable = "OPENAI_API_KEY"

// Default is the run of bench serve without flags. What a file does not say is as here.
func Default() Spec {
	s := Spec{
		Version: SpecVersion, Server: Server{APIKey: Value{Env: keyVariable}},
		Dataset: Dataset{DatasetOptions: workload.Defaults(defaultDataset).Own},
		Pace:    Pace{PaceName: pace.Burst, PaceOptions: &pace.SpreadOptions{Burstiness: 1}}, // a closed loop where the concurrency is bounded
	}
	option.SetDefaults(&s)
	return s
}
