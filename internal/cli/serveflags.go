package cli

import (
	"encoding/json"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/judge/condition"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/send/pace"
)

// serveOptions is what the flags of bench serve say, one field a flag that is
// supported, under the flag's name. A flag that is refused has no field: nothing
// could ever be in it. After validate all fields are what the run shall do.
type serveOptions struct {
	// Server and model
	Backend           string
	BaseURL           string
	Host              string
	Port              int
	Endpoint          string // chosen by the backend unless given
	Header            []argv.Pair
	Insecure          bool
	Model             string // empty: ask the server
	ServedModelName   string
	Tokenizer         string
	TokenizerMode     string
	TrustRemoteCode   bool // accepted; nothing is ever run
	SkipTokenizerInit bool
	RequestIDPrefix   string // empty: a random one
	Label             string

	// Load shape
	NumPrompts           int // 0 when Unbounded, or for all rows of a custom file
	Unbounded            bool
	RequestRate          float64
	Burstiness           float64
	MaxConcurrency       *int
	RampUpStrategy       string // empty, linear or exponential
	RampUpStartRPS       *int
	RampUpEndRPS         *int
	NumWarmups           int
	ReadyCheckTimeoutSec int
	Seed                 int
	DisableTQDM          bool

	// Request content; nil is not sent
	TopP              *float64
	TopK              *int
	MinP              *float64
	Temperature       *float64
	FrequencyPenalty  *float64
	PresencePenalty   *float64
	RepetitionPenalty *float64
	IgnoreEOS         bool // on for the random dataset
	Logprobs          *int
	ExtraBody         json.RawMessage

	// Result
	SaveResult        bool
	SaveDetailed      bool
	AppendResult      bool
	ResultDir         string
	ResultFilename    string
	AppendMarkdown    string
	Metadata          []argv.Pair
	PercentileMetrics []string
	MetricPercentiles []float64
	Goodput           []goodputLimit
	CI                bool

	// Dataset
	DatasetName               string
	DatasetPath               string
	NoOversample              bool
	SkipChatTemplate          bool
	DisableShuffle            bool
	InputLen, OutputLen       *int // already in the fields of the datasets below
	RandomInputLen            int
	RandomOutputLen           int
	RandomPrefixLen           int
	RandomRangeRatio          rangeRatio
	SharegptOutputLen         *int
	SonnetInputLen            int
	SonnetOutputLen           int
	SonnetPrefixLen           int
	CustomOutputLen           int // -1: each row says
	PrefixRepetitionPrefixLen int
	PrefixRepetitionSuffixLen int
	PrefixRepetitionPrefixes  int
	PrefixRepetitionOutputLen int

	// Inferometer
	Compat          string // empty or vllm
	RunDir          string
	KeepRuns        int
	JournalTexts    bool
	ScrapeEvery     time.Duration // 0: only before and after the load
	Duration        time.Duration // 0: no bound
	Stages          []pace.Stage
	RampRate        *rampRate
	RampDuration    time.Duration
	RequestTimeout  time.Duration
	Deadline        time.Duration // 0: none
	Engine          string
	HTTP2           bool
	NoKeepAlive     bool
	Proxy           string // empty: as the environment says
	Progress        string
	Quiet           bool
	Strict          bool
	ContinuousUsage bool
	CPUProfile      string   // hidden
	Targets         []string // several servers; empty: the one of BaseURL, or Host and Port
	Balance         string
	Until           string // as typed
	goals           []condition.Clause
	Users           *int     // --max-concurrency, in the words of fw-ai/benchmark
	SpawnRate       float64  // users a second; inf: all at once
	QPS             *float64 // --request-rate, in the same words
	QPSSpacing      string
	SummaryFile     string
	// IntegritySample is how many prompts are sent again after the load; 0: none.
	IntegritySample int
	ForgetPrompts   bool
	tookV1          bool   // the address ended with the endpoint's /v1
	SLO             string // as typed
	limits          slo.SLO
	Format          string // table, json or vllm; empty: table
	GiveUp          string // hidden; as typed
	giveUp          slo.SLO
	priceOptions

	goodput []argv.Pair // as typed; Goodput is made of it
}

// goodputLimit is one part of --goodput: a request is good if the metric is at most so much.
type goodputLimit struct {
	Metric string // ttft, tpot or e2el
	MS     float64
}

// rangeRatio is --random-range-ratio: how far lengths may lie from the one asked for.
type rangeRatio struct{ Input, Output float64 }

// rampRate is --ramp-rate: requests per second at the start and at the end.
type rampRate struct{ From, To float64 }

const (
	backendVLLM   = "vllm"
	backendOpenAI = "openai"
	backendChat   = "openai-chat"

	completionsEndpoint = "/v1/completions"
	chatEndpoint        = "/v1/chat/completions"

	defaultRequestTimeout = 10 * time.Minute
	vllmRequestTimeout    = 6 * time.Hour // the only bound that its client has
)

// The headings of the help, in its order.
const (
	groupServer  = "Server and model"
	groupLoad    = "Load shape"
	groupOurs    = "Inferometer"
	groupRequest = "Request content"
	groupDataset = "Dataset"
	groupResult  = "Result"
)

// serveFlags declares the flags of bench serve, bound to the options it returns:
// those of vllm bench serve, each by its name, and ours.
func serveFlags() (*argv.Set, *serveOptions) {
	set := argv.New("inferometer bench serve",
		"Send a workload to an OpenAI-compatible server, measure it, and say whether the numbers can be trusted. "+
			"The flags are those of vllm bench serve; a flag that is not supported is refused, never ignored.")
	o := &serveOptions{}
	set.Example("A vLLM server on this machine: 1000 random prompts, 32 at a time",
		"inferometer bench serve --backend vllm --dataset-name random --random-input-len 1024 --random-output-len 128 --max-concurrency 32")
	set.Example("An open loop: 10 requests a second, whatever the server does",
		"inferometer bench serve --base-url http://gpu-box:8000 --request-rate 10 --num-prompts 600")
	set.Example("Real conversations to the chat endpoint",
		"inferometer bench serve --backend openai-chat --dataset-name sharegpt --dataset-path sharegpt.json --num-prompts 200 --request-rate 4")
	set.Example("Keep the result, with every request in it, under a name",
		"inferometer bench serve --max-concurrency 8 --num-prompts 200 --save-result --save-detailed --result-dir results --result-filename base.json --metadata gpu=h100")
	set.Example("Two replicas as one, and each by itself",
		"inferometer bench serve --targets http://gpu-a:8000,http://gpu-b:8000 --balance least-in-flight --max-concurrency 64")
	set.Example("Go on until the p99 of TTFT is known to 5 %, for ten minutes at most",
		`inferometer bench serve --max-concurrency 32 --until "p99_ttft±5%" --duration 10m --ci`)
	defineServe(set, o)
	g := argv.Group(groupResult)
	set.String(&o.SLO, "slo", "", sloHelp, g, argv.Metavar("LIMITS"), argv.WholeName())
	set.Choice(&o.Format, "format", formatTable, []string{formatTable, formatJSON, formatVLLM},
		"What to print: the whole table, the result as one line of JSON (the table then goes to standard error, nowhere with --quiet), or vLLM's block alone.", g, argv.WholeName())
	return set, o
}

// The forms of --format.
const (
	formatTable = "table"
	formatJSON  = "json"
	formatVLLM  = "vllm"
)

// defineServe declares the flags of bench serve for any command that has them all.
func defineServe(set *argv.Set, o *serveOptions) {
	defineBackend(set, o)
	defineServer(set, o)
	defineLoad(set, o)
	defineOurs(set, o)
	defineUsers(set, o)
	defineRequest(set, o)
	defineDataset(set, o)
	defineResult(set, o)
	set.Config()
	refuseFlags(set)
	foreignFlags(set)
}
