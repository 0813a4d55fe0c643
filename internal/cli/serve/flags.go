package serve

import (
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/upload"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/spec"
)

// Options is what the flags of bench serve say: the Spec of a run, and how it is
// shown. A flag that is refused has no field: nothing could ever be in it. After
// Check the Spec is what the run shall do.
type Options struct {
	spec.Spec

	// What flags say in other words than the Spec.
	BaseURL             string
	Host                string
	Port                int
	Targets             []string
	Header              []argv.Pair
	ProtocolFile        string
	MetricsMapFile      string
	datasets            map[string]any // the options of each dataset, by its name; nil: the command has no flags for them
	draft               *pace.Draft
	InputLen, OutputLen *int     // of any dataset
	Users               *int     // --max-concurrency, in the words of fw-ai/benchmark
	QPS                 *float64 // --request-rate, in the same words
	MultiTurn           bool     // of vllm-bench, and the next two
	TurnConcurrency     *int
	TurnDelayMS         *int
	QPSSpacing          string
	TrustRemoteCode     bool // accepted; nothing is ever run

	// How the run is shown.
	DisableTQDM bool
	Progress    string
	Quiet       bool
	Details     bool   // all tables after the summary
	Format      string // table, json or vllm; empty: table
	brief       bool   // the answer and the page alone
	PrintSpec   bool
	DryRun      bool
	Lock        string // the file; empty: none
	CPUProfile  string // hidden
	Events      string // a file, or - for standard output; empty: none
	Upload      upload.Flags
	export      exportOptions
	sshOptions
	allowed spec.Allowed // what files may do beyond what they may anyway
	ownSpec bool         // hidden: the Spec of exec is another of our processes'

	// choose takes the protocol where --backend is auto; nil: no server is asked, and the one
	// of OpenAI's API is assumed.
	choose  func(*spec.Spec) error
	given   []string          // the servers' addresses, logins included
	secrets map[string]string // by the variable that stands for each in the Spec
}

// The headings of the help, in its order.
const (
	groupServer  = "Server and model"
	groupLoad    = "Load shape"
	groupOurs    = "Inferometer"
	groupRequest = "Request content"
	groupDataset = "Dataset"
	groupResult  = "Result"
	groupFleet   = "Fleet"
)

// NewOptions has the defaults of bench serve.
func NewOptions() *Options {
	return &Options{Spec: spec.Default(), draft: pace.NewDraft()}
}

// Flags declares the flags of bench serve, bound to the options it returns:
// those of vllm bench serve, each by its name, and ours.
func Flags() (*argv.Set, *Options) {
	set := argv.New("inferometer bench serve",
		"Send a workload to an OpenAI-compatible server, measure it, and say whether the numbers can be trusted. "+
			"The flags are those of vllm bench serve; a flag that is not supported is refused, never ignored.")
	o := NewOptions()
	set.Example("A vLLM server on this machine: 1000 random prompts, 32 at a time",
		"inferometer bench serve --backend vllm --dataset-name random --random-input-len 1024 --random-output-len 128 --max-concurrency 32")
	set.Example("An open loop: 10 requests a second, whatever the server does",
		"inferometer bench serve --base-url http://gpu-box:8000 --request-rate 10 --num-prompts 600")
	set.Example("Real conversations to the chat endpoint",
		"inferometer bench serve --backend openai-chat --dataset-name sharegpt --dataset-path sharegpt.json --num-prompts 200 --request-rate 4")
	set.Example("Keep the result, with every request in it, under a name",
		"inferometer bench serve --max-concurrency 8 --num-prompts 200 --save-result --save-detailed --result-dir results --result-filename base.json --metadata gpu=h100")
	set.Example("Conversations of five turns, eight open at a time, whose users think for two seconds",
		"inferometer bench serve --backend openai-chat --dataset-name multi-turn --multi-turn-num-turns 5 --num-prompts 100 --max-conversations 8 --think-time exponential:2s")
	set.Example("What a token costs in joules, from the exporters of a server elsewhere",
		"inferometer bench serve --base-url http://gpu-box:8000 --max-concurrency 32 --duration 2m --hardware dcgm=http://gpu-box:9400,node=http://gpu-box:9100")
	set.Example("Two replicas as one, and each by itself",
		"inferometer bench serve --targets http://gpu-a:8000,http://gpu-b:8000 --balance least-in-flight --max-concurrency 64")
	set.Example("Three adapters of one model, the first asked for most",
		"inferometer bench serve --lora-modules law med code --lora-assignment zipf --request-rate 8 --num-prompts 2000")
	set.Example("Go on until the p99 of TTFT is known to 5 %, for ten minutes at most",
		`inferometer bench serve --max-concurrency 32 --until "p99_ttft±5%" --duration 10m`)
	set.Example("What these flags ask for as a file, and the run of it",
		"inferometer bench serve --max-concurrency 32 --num-prompts 200 --print-spec > run.json && inferometer exec run.json")
	set.Example("What would be sent: lengths, shared prefixes, times; nothing is",
		"inferometer bench serve --model Qwen/Qwen3-8B --dataset-name sharegpt --dataset-path sharegpt.json --request-rate 4 --dry-run")
	set.Example("The same bytes at the same times on two machines, or a refusal that says what differs",
		"inferometer bench serve --request-rate 4 --num-prompts 200 --lock load.lock && scp load.lock other: && ssh other inferometer exec load.lock")
	set.Example("From four machines at once, on each of which an agent runs",
		"inferometer bench serve --base-url http://gpu-box:8000 --request-rate 400 --num-prompts 100000 --fleet fleet/leader.json --fleet-agents 4")
	Define(set, o)
	defineShown(set, o)
	defineSSH(set, o)
	o.Flag(set, "slo")
	return set, o
}

// defineFormat declares what is printed.
func defineFormat(set *argv.Set, o *Options, opts ...argv.Option) {
	set.Choice(&o.Format, "format", formatTable, []string{formatTable, formatJSON, formatVLLM},
		"What to print: the table, the result as one line of JSON (the table then goes to standard error, nowhere with --quiet), or vLLM's block alone.",
		append(opts, argv.WholeName())...)
}

// The forms of --format.
const (
	formatTable = "table"
	formatJSON  = "json"
	formatVLLM  = "vllm"
)
