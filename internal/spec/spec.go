// Package spec is one run as a value: a Spec says what is sent, when, to whom, what
// is kept and how it is judged; Execute does it and writes the journal; Child does the
// same in a process of its own.
package spec

import (
	"encoding/json"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/hardware"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/share"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// SpecVersion is the version of the file's form. A reader refuses any other.
const SpecVersion = 1

// Spec is everything that decides what a run does. It is plain data, and as JSON it
// is a file that others can run (docs/spec.md). There is no secret in it: a secret is
// named by the environment variable that holds it.
//
// Each field has the name of its flag of bench serve, with underscores, as its key;
// the tag cli names the flag where the two differ.
type Spec struct {
	Version int `json:"version"`
	Server  `json:"server"`
	Dataset `json:"dataset"`
	Pace    `json:"pace"`
	Load    `json:"load"`
	Request `json:"request"`
	Keep    `json:"keep"`
	Judge   `json:"judge"`
	Fleet   `json:"fleet,omitempty"`

	May *Allowed `json:"-"` // what the user lets files do; nil: no more than usual. A file has no word for it
}

// Server says to whom requests go, and how.
type Server struct {
	URLs                 []string `json:"urls" cli:"base-url"` // without a login and without a path of the API; several are loaded as one
	Login                Value    `json:"login,omitzero"`      // user:password of all of them
	APIKey               Value    `json:"api_key,omitzero"`    // sent as a bearer token
	Headers              []Header `json:"headers,omitempty" cli:"header"`
	Balance              string   `json:"balance"`
	Backend              string   `json:"backend"`
	Endpoint             string   `json:"endpoint"`        // empty: the backend's
	Model                string   `json:"model,omitempty"` // empty: ask the server
	ServedModelName      string   `json:"served_model_name,omitempty"`
	Tokenizer            string   `json:"tokenizer,omitempty"`
	TokenizerRevision    string   `json:"tokenizer_revision,omitempty"` // of a tokenizer from the hub; in a run's folder the commit
	TokenizerMode        string   `json:"tokenizer_mode"`
	SkipTokenizerInit    bool     `json:"skip_tokenizer_init,omitempty"`
	RequestIDPrefix      string   `json:"request_id_prefix,omitempty"` // empty: a random one
	SessionHeader        string   `json:"session_header"`              // tells the turns of one conversation; empty: none is sent
	TraceID              string   `json:"trace_id,omitempty"`          // of the header traceparent: 32 hex digits, or random; empty: none is sent
	ReadyCheckTimeoutSec int      `json:"ready_check_timeout_sec,omitempty"`
	Insecure             bool     `json:"insecure,omitempty"`
	Engine               string   `json:"engine"`
	HTTP2                bool     `json:"http2,omitempty"`
	NoKeepAlive          bool     `json:"no_keep_alive,omitempty"`
	Proxy                string   `json:"proxy,omitempty"` // empty: as the environment says; without a login
	ProxyLogin           Value    `json:"proxy_login,omitzero"`

	MetricsURLs []string        `json:"metrics_urls,omitempty" cli:"metrics-url"` // where their metrics are; none: where their kind has them
	MetricsMap  json.RawMessage `json:"metrics_map,omitempty" cli:"metrics-map"`  // what names of metrics mean that we don't know, as its file says it

	Protocol json.RawMessage `json:"protocol,omitempty" cli:"protocol-file"` // what the backend custom speaks, as its file describes it
}

// Load says how many requests there are and what ends them.
type Load struct {
	NumPrompts     int  `json:"num_prompts"`         // 0 where Unbounded, and for all rows of a custom file
	Unbounded      bool `json:"unbounded,omitempty"` // the run ends by time or by --until
	MaxConcurrency *int `json:"max_concurrency,omitempty"`
	// MaxConversations bounds those that are open; MaxConcurrency the requests in flight.
	MaxRequests      int           `json:"max_requests,omitempty"` // of conversations; 0: no bound
	MaxConversations *int          `json:"max_conversations,omitempty"`
	Duration         time.Duration `json:"duration,omitempty"` // 0: no bound
	NumWarmups       int           `json:"num_warmups,omitempty"`
	Seed             int           `json:"seed"`
	RequestTimeout   time.Duration `json:"request_timeout"`
	Deadline         time.Duration `json:"deadline,omitempty"`                 // 0: none
	Until            string        `json:"until,omitempty"`                    // goals, as in p99_ttft±5%
	GiveUp           string        `json:"give_up,omitempty"`                  // an SLO; the run ends when it can't be met any more
	SpawnRate        float64       `json:"spawn_rate,omitempty"`               // users that begin per second; 0: all at once
	BatchSize        int           `json:"batch_size,omitempty"`               // requests sent together; 0: each by itself
	Share            share.Share   `json:"share,omitempty" cli:"client-share"` // of the requests, which this client sends; empty: all

	ProbeRequestRate float64 `json:"probe_request_rate,omitempty"` // small requests beside the load, so many a second at most; 0: none
	Profile          bool    `json:"profile,omitempty"`            // the server's own profiler runs during the load
}

// Request says what stands in each request beside its prompt; nil is not sent.
type Request struct {
	Temperature       *float64        `json:"temperature,omitempty"`
	TopP              *float64        `json:"top_p,omitempty"`
	TopK              *int            `json:"top_k,omitempty"`
	MinP              *float64        `json:"min_p,omitempty"`
	FrequencyPenalty  *float64        `json:"frequency_penalty,omitempty"`
	PresencePenalty   *float64        `json:"presence_penalty,omitempty"`
	RepetitionPenalty *float64        `json:"repetition_penalty,omitempty"`
	IgnoreEOS         bool            `json:"ignore_eos,omitempty"`
	Logprobs          *int            `json:"logprobs,omitempty"`
	ContinuousUsage   bool            `json:"continuous_usage,omitempty"`
	Unstreamed        bool            `json:"unstreamed,omitempty"`   // each answer is asked for in one piece
	DefaultBody       json.RawMessage `json:"default_body,omitempty"` // fields that all others win over
	ExtraBody         json.RawMessage `json:"extra_body,omitempty"`   // fields that win over all others; {"$env": "NAME"} stands for a secret
}

// Keep says what is kept of a run, and where.
type Keep struct {
	Command           []string      `json:"command,omitempty"` // the command line that the Spec was made from, secrets replaced; it is only shown
	Label             string        `json:"label,omitempty"`
	Metadata          []Pair        `json:"metadata,omitempty"`
	RunDir            string        `json:"run_dir,omitempty"` // empty: a new one in the user's state folder
	Resume            bool          `json:"-"`                 // go on with the questions in RunDir that have no answer; a file has no word for it
	KeepRuns          int           `json:"keep_runs"`
	JournalTexts      bool          `json:"journal_texts,omitempty"`
	ScrapeEvery       time.Duration `json:"scrape_every"`                           // 0: only before and after the load
	ServerLogs        []string      `json:"server_logs,omitempty" cli:"server-log"` // of vLLM, one for each server, where there are no metrics
	Hardware          Value         `json:"hardware,omitzero"`                      // auto, none, or sources of power, clocks and temperatures
	ForgetPrompts     bool          `json:"forget_prompts,omitempty"`
	SaveResult        bool          `json:"save_result,omitempty"`
	SaveDetailed      bool          `json:"save_detailed,omitempty"`
	AppendResult      bool          `json:"append_result,omitempty"`
	ResultDir         string        `json:"result_dir,omitempty"`
	ResultFilename    string        `json:"result_filename,omitempty"`
	SaveConversations string        `json:"save_conversations,omitempty"` // a file for those that are complete, with the server's answers
	AppendMarkdown    string        `json:"append_markdown,omitempty"`
	SummaryFile       string        `json:"summary_file,omitempty"`
	SummaryLoad       string        `json:"summary_load,omitempty"` // the load in the words of that file; empty: the concurrency

	PlotTimeline          bool      `json:"plot_timeline,omitempty"`           // a page beside the result
	TimelineITLThresholds []float64 `json:"timeline_itl_thresholds,omitempty"` // ms, two of them; none: vLLM's
	PlotDatasetStats      bool      `json:"plot_dataset_stats,omitempty"`      // a picture beside the result
}

// Judge says what is computed of a run and what it is held against.
type Judge struct {
	PercentileMetrics []string           `json:"percentile_metrics"`
	MetricPercentiles []float64          `json:"metric_percentiles"`
	Goodput           map[string]float64 `json:"goodput,omitempty"` // limits of a good request in ms, by metric
	SLO               string             `json:"slo,omitempty"`
	Strict            bool               `json:"strict,omitempty"`
	Compat            string             `json:"compat,omitempty"` // empty or vllm
	IntegritySample   int                `json:"integrity_sample,omitempty"`
	PricePerHour      *float64           `json:"price_per_hour,omitempty"`
	Devices           int                `json:"devices"`
	AllowCode         bool               `json:"allow_code,omitempty"` // programs that are answers are run, in a sandbox
	Power             Value              `json:"power,omitzero"`       // watts, rapl, or prometheus:URL?query=…
}

// Pair is one key of a result's metadata.
type Pair struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// The backends and their paths.
const (
	BackendVLLM   = "vllm"
	BackendOpenAI = "openai"
	BackendChat   = "openai-chat"

	CompletionsEndpoint = "/v1/completions"
	ChatEndpoint        = "/v1/chat/completions"
)

const (
	// DefaultRequestTimeout is how long a request may take.
	DefaultRequestTimeout = 10 * time.Minute
	vllmRequestTimeout    = 6 * time.Hour // the only bound that its client has
)

// DefaultScrapeEvery is how often the servers' metrics are read during the load.
const DefaultScrapeEvery = time.Second

// DefaultSessionHeader is what vLLM's router looks at.
const DefaultSessionHeader = "X-Session-ID"

// keyVariable holds the API key unless a Spec names another one.
const keyVariable = "OPENAI_API_KEY"

// Default is the run of bench serve without flags. What a file does not say is as here.
func Default() Spec {
	return Spec{
		Version: SpecVersion,
		Server: Server{
			URLs: []string{"http://127.0.0.1:8000"}, APIKey: Value{Env: keyVariable}, Balance: target.RoundRobin,
			Backend: BackendOpenAI, TokenizerMode: "auto", Engine: EngineAuto, SessionHeader: DefaultSessionHeader,
		},
		Dataset: Dataset{DatasetName: defaultDataset, DatasetOptions: workload.Defaults(defaultDataset).Own},
		Pace:    Pace{PaceName: pace.Burst, PaceOptions: &pace.SpreadOptions{Burstiness: 1}}, // a closed loop where the concurrency is bounded
		Load:    Load{NumPrompts: 1000, RequestTimeout: DefaultRequestTimeout},
		Keep:    Keep{KeepRuns: 100, ScrapeEvery: DefaultScrapeEvery, Hardware: Value{Text: hardware.Auto}},
		Judge:   Judge{PercentileMetrics: journal.DefaultMetrics(), MetricPercentiles: []float64{99}, Devices: 1},
	}
}
