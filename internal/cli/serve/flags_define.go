package serve

import (
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/view"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/hardware"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/spec"
)

// CIHelp is the same for bench serve and report.
const CIHelp = "Show the 95 % intervals of the numbers on the console. They are in the JSON always."

func DefineServer(set *argv.Set, o *Options) {
	EngineFlags(set)
	g := argv.Group(groupServer)
	set.String(&o.BaseURL, "base-url", "", "The server, as in http://host:8000. Without it: --host and --port.", g, argv.Common(),
		argv.Metavar("URL"), argv.Redact(outside.RedactURL))
	set.String(&o.Host, "host", "127.0.0.1", "The server's name or address.", g, argv.Metavar("HOST"))
	set.Int(&o.Port, "port", 8000, "The server's port.", g, argv.Common(), argv.Metavar("PORT"))
	set.String(&o.Endpoint, "endpoint", "", "The path of the API. Chosen by the backend (vLLM always takes /v1/completions unless told).", g, argv.Common(),
		argv.Complete(argv.Word), argv.Metavar("PATH"), argv.Shown(spec.CompletionsEndpoint+", or "+spec.ChatEndpoint+" with openai-chat"))
	set.KeyValues(&o.Header, "header", argv.ZeroOrMore, "Headers to send with each request. Their values are hidden in the result.", g, argv.Common(), argv.Redact(argv.RedactPair))
	set.Bool(&o.Insecure, "insecure", "Don't check the server's TLS certificate.", g)
	set.String(&o.Model, "model", "", "The model's name, and where its tokenizer is looked for.", g, argv.Common(),
		argv.Metavar("NAME"), argv.Shown("the first that the server lists"))
	set.String(&o.ServedModelName, "served-model-name", "", "The name to send as model, where it differs from --model.", g, argv.Metavar("NAME"))
	set.String(&o.Tokenizer, "tokenizer", "", "A tokenizer's file (tokenizer.json, .model, tekken.json, .tiktoken, .gguf), a folder that holds one, or a model's name: it is looked for in Hugging Face's cache, and fetched from the hub unless HF_HUB_OFFLINE is set.", g, argv.Common(), argv.Metavar("PATH"), argv.Shown("that of --model"))
	set.String(&o.TokenizerRevision, "tokenizer-revision", "", "The branch, tag or commit of a tokenizer that is named by its model.", g, argv.Metavar("REVISION"), argv.Shown("main"), argv.WholeName())
	set.Choice(&o.TokenizerMode, "tokenizer-mode", "auto", []string{"auto", "hf", "mistral"}, "Which tokenizer of a folder: auto and hf its tokenizer.json if there is one, mistral its tekken.json or SentencePiece model, as mistral-common.", g,
		argv.Later("is Python code of its own; give the tokenizer's file with --tokenizer, or use --skip-tokenizer-init", "slow", "deepseek_v32", "deepseek_v4", "deepseek_v41", "inkling", "kimi_audio", "kimi_k3", "cohere"))
	set.Bool(&o.TrustRemoteCode, "trust-remote-code", "Accepted and without effect: code from a model's repository is never run here.", g)
	set.Bool(&o.SkipTokenizerInit, "skip-tokenizer-init", "Use no tokenizer: token counts are the server's, prompt lengths are approximate.", g)
	set.String(&o.RequestIDPrefix, "request-id-prefix", "", "What x-request-id begins with.", g, argv.Shown("bench-<8 hex digits>-"))
	set.String(&o.SessionHeader, "session-header", "X-Session-ID",
		"The header that tells the turns of one conversation, for a router in front of several servers. Empty sends none.", g, argv.WholeName(), argv.Metavar("NAME"))
	defineTrace(set, o, g)
	set.String(&o.Label, "label", "", "A name for the run, in the result and its file name.", g)
}

func DefineLoad(set *argv.Set, o *Options) {
	g := argv.Group(groupLoad)
	set.Int(&o.NumPrompts, "num-prompts", 1000,
		"How many requests to send. With --duration, --stages or --ramp-rate: at most so many, and without a bound unless given.", g, argv.Common())
	o.definePace(set, groupLoad, "rate", "burstiness")
	set.OptInt(&o.MaxConcurrency, "max-concurrency", "Most requests on their way at a time.", g, argv.Common(), argv.Shown("no bound"))
	set.OptInt(&o.MaxConversations, "max-conversations", "Most conversations open at a time, of a dataset that has them. --max-concurrency bounds their requests.", g,
		argv.WholeName(), argv.Shown("no bound"))
	set.Int(&o.MaxRequests, "max-requests", 0, "Of conversations: end after so many requests.", g, argv.WholeName(), argv.Shown("no bound"))
	o.definePace(set, groupLoad, "ramp_up_strategy", "ramp_up_start_rps", "ramp_up_end_rps")
	set.Custom("client-share", "", "Send only this client's share of the requests, such as 2/8 for the second of eight clients, or 2/3:1,1,4 with weights. All clients together send what one alone would, at the same times.",
		o.setShare, g, argv.Metavar("I/N"), argv.Shown("all"), argv.WholeName())
	set.Int(&o.NumWarmups, "num-warmups", 0, "Requests before the measurement. Their prompts are not those that are measured.", g, argv.Common())
	set.Int(&o.ReadyCheckTimeoutSec, "ready-check-timeout-sec", 0, "Wait so long for the server to answer a request. 0 does not ask.", g, argv.Metavar("SECONDS"))
	set.Int(&o.Seed, "seed", 0, "Seed of prompts and arrival times. The same seed sends the same bytes.", g, argv.Common())
	set.Bool(&o.DisableTQDM, "disable-tqdm", "Show no progress; the same as --progress none.", g)
}

func DefineOurs(set *argv.Set, o *Options) {
	g := argv.Group(groupOurs)
	set.Duration(&o.Duration, "duration", 0, "Send for so long, then wait for what is on its way.", g, argv.Common(), argv.Shown("until --num-prompts are sent"))
	o.definePace(set, groupOurs, "stages")
	o.definePace(set, groupOurs)
	set.Bool(&o.Unstreamed, "unstreamed",
		"Ask for each answer in one piece: end-to-end latency and throughput, and no times of tokens. --no-stream says the same with any dataset but hf, of which it is vLLM's own flag.", g, argv.WholeName())
	defineRunning(set, o)
}

// defineRunning declares what all commands that send a load share: bounds, files, transport and display.
func defineRunning(set *argv.Set, o *Options) {
	g := argv.Group(groupOurs)
	set.Duration(&o.RequestTimeout, "request-timeout", 10*time.Minute,
		"Give a request up after so long; its outcome is timeout. vLLM waits 6h, and so does --compat vllm.", g)
	set.Duration(&o.Deadline, "deadline", 0, "Stop the whole run after so long, with a partial result.", g, argv.Shown("none"))
	set.Choice(&o.Compat, "compat", "", []string{"vllm"}, "Compute the numbers of vLLM 0.32 where ours differ on purpose.", g)
	set.Bool(&o.ContinuousUsage, "continuous-usage",
		"Ask for usage in each event, so that the time between tokens is known where an event holds several. vLLM and SGLang know it.", g)
	set.String(&o.Until, "until", "", "Send until the 95 % intervals are this narrow, as in p99_ttft±5% (or +-5%), with \"and\" between several; docs/conditions.md has the grammar. "+
		"--num-prompts, --duration and --deadline are bounds.", g, argv.WholeName(), argv.Metavar("GOALS"), argv.Shown("100,000 requests at most"))
	set.Bool(&o.CI, "ci", CIHelp, g)
	set.Bool(&o.Strict, "strict", "End with exit code 4 when the verdict is INVALID.", g)
	set.Int(&o.IntegritySample, "integrity-sample", 0, "After the load send so many of its prompts again, one at a time, and compare the texts. Needs --temperature 0.", g)
	set.Bool(&o.AllowCode, "allow-code", "Run programs that are answers of a task such as HumanEval, with this machine's Python, in a sandbox without a network, with limits of time and memory (docs/code.md). Linux only.", g, argv.WholeName())
	defineAllowRead(set, o, allowReadHelp, g)
	set.Bool(&o.ForgetPrompts, "forget-prompts", "The server's prefix cache is empty, by a restart or a reset: forget which prompts earlier runs sent to it.", g, argv.WholeName())
	set.String(&o.RunDir, "run-dir", "", "Folder for the run's journal and result.", g, argv.Common(), argv.Metavar("DIR"), argv.Shown("a new one in the user's state folder"))
	set.Int(&o.KeepRuns, "keep-runs", 100, "How many runs to keep in the state folder. 0 keeps all.", g)
	set.String(&o.SaveConversations, "save-conversations", "", "Write the conversations that are complete, with the server's answers, as a JSON array.", g, argv.WholeName(), argv.Metavar("FILE"))
	set.Bool(&o.JournalTexts, "journal-texts", "Keep prompts and generated texts in the journal.", g)
	defineMetrics(set, o, g)
	set.String(&o.hardware, "hardware", hardware.Auto,
		"What to ask for power, clocks, temperatures and throttling of the server's devices, once a second: "+strings.Join(hardware.Names(), ", ")+", with commas between several, as in nvidia-smi,rapl or dcgm=http://gpu-box:9400; or none. auto asks what this machine has, if the server is on it.", g,
		argv.WholeName(), argv.Among(append([]string{hardware.Auto, "none"}, hardware.Names()...)...), argv.Metavar("SOURCES"), argv.Redact(hardware.Redact))
	set.Choice(&o.Engine, "engine", spec.EngineAuto, []string{spec.EngineAuto, spec.EngineLoop, spec.EngineNetHTTP},
		"What carries the requests. loop is an event loop for HTTP/1.1 on Linux; nethttp is Go's client, for everything.", g)
	set.Bool(&o.HTTP2, "http2", "Offer HTTP/2 to a server behind TLS. Event times are then taken by this process, not by the kernel.", g)
	set.Bool(&o.NoKeepAlive, "no-keep-alive", "Open a connection for each request, for a server that closes them without a word.", g)
	set.String(&o.Proxy, "proxy", "", "A proxy for all requests, or none for no proxy at all.", g, argv.Metavar("URL"),
		argv.Shown("as HTTP_PROXY, HTTPS_PROXY and NO_PROXY say"), argv.Redact(outside.RedactURL))
	view.Define(set, &o.Progress, g)
	set.CSV(&o.Targets, "targets", nil, "Several servers, loaded together as one, in place of --base-url.", g,
		argv.Metavar("URL,URL,…"), argv.Redact(redactURLs))
	set.Choice(&o.Balance, "balance", target.RoundRobin, target.Balances(),
		"How one of --targets is chosen for a request. sticky: by the beginning of its prompt.", g)
	set.String(&o.GiveUp, "give-up", "", "Stop as soon as this SLO can't be met any more. Needs --duration.", g, argv.WholeName(), argv.Metavar("SLO"), argv.Hidden())
	definePrice(set, o, g)
	set.Bool(&o.Quiet, "quiet", "Print the result and errors only.", g)
	set.String(&o.CPUProfile, "cpu-profile", "", "Write a profile of this program's own CPU time, for go tool pprof.", g, argv.Metavar("FILE"), argv.Hidden())
}

func DefineRequest(set *argv.Set, o *Options) {
	g := argv.Group(groupRequest)
	set.OptFloat(&o.Temperature, "temperature", "Sampling temperature.", g, argv.Common(), argv.Shown("the server's"))
	set.OptFloat(&o.TopP, "top-p", "Sample from the most likely tokens that make up this share.", g)
	set.OptInt(&o.TopK, "top-k", "Sample from this many most likely tokens.", g)
	set.OptFloat(&o.MinP, "min-p", "Sample from tokens at least this likely, relative to the likeliest.", g)
	set.OptFloat(&o.FrequencyPenalty, "frequency-penalty", "Penalty by how often a token came.", g)
	set.OptFloat(&o.PresencePenalty, "presence-penalty", "Penalty if a token came at all.", g)
	set.OptFloat(&o.RepetitionPenalty, "repetition-penalty", "Factor against repetition.", g, argv.Shown("1 with completions, else the server's"))
	set.Bool(&o.IgnoreEOS, "ignore-eos", "Generate all tokens asked for. Always on with the random dataset.", g, argv.Common())
	set.OptInt(&o.Logprobs, "logprobs", "Ask for this many log probabilities a token; completions only.", g)
	set.JSON(&o.ExtraBody, "extra-body", "Fields to put into each request; they win over all others. --extra-body.KEY VALUE works too.", g, argv.Common(), argv.Object(), argv.Redact(outside.RedactJSON))
}

func defineResult(set *argv.Set, o *Options) {
	g := argv.Group(groupResult)
	set.Bool(&o.SaveResult, "save-result", "Write the result as JSON.", g, argv.Common())
	set.Bool(&o.SaveDetailed, "save-detailed", "With --save-result: also each request's lengths, times, text and error.", g)
	set.Bool(&o.AppendResult, "append-result", "Add the result to the file, as one more line.", g)
	set.String(&o.ResultDir, "result-dir", "", "Folder for the result; made if absent.", g, argv.Metavar("DIR"), argv.Shown("the current one"))
	set.String(&o.ResultFilename, "result-filename", "", "Name of the result's file.", g, argv.Metavar("FILE"), argv.Shown("from label, rate, model and time"))
	set.String(&o.AppendMarkdown, "append-markdown", "", "Add the run to this file of notes, as a section with its command, figures and verdict; inferometer compare reads it back.", g, argv.Metavar("FILE"), argv.WholeName())
	set.KeyValues(&o.metadata, "metadata", argv.ZeroOrMore, "Keys to add to the result.", g)
	set.CSV(&o.PercentileMetrics, "percentile-metrics", journal.DefaultMetrics(),
		"Metrics to report: "+strings.Join(metric.ReportedNames(), ", ")+".", argv.Among(metric.ReportedNames()...), g, argv.Common())
	set.Floats(&o.MetricPercentiles, "metric-percentiles", []float64{99}, "Percentiles to report of them.", g)
	set.KeyValues(&o.goodput, "goodput", argv.OneOrMore, "Count requests that keep these limits in ms, as in ttft:200 itl_p99:50 tpot:30 e2el:5000; docs/conditions.md has the grammar, docs/metrics.md all names.", g, argv.Common(),
		argv.Separator(":"), argv.Bare())
}

// definePrice declares what the servers cost.
func definePrice(set *argv.Set, o *Options, g argv.Option) {
	set.OptFloat(&o.PricePerHour, "price-per-hour", "What one device costs an hour, in any currency: gives the cost of a million tokens.", g, argv.WholeName(), argv.Metavar("PRICE"))
	set.Int(&o.Devices, "devices", 1, "How many devices the server runs on, for --price-per-hour and --power.", g, argv.WholeName())
	set.String(&o.power, "power", "", "Watts of one device, or rapl for this machine's processors, or prometheus:URL?query=…: gives joules per token.", g,
		argv.WholeName(), argv.Metavar("WATTS"), argv.Redact(redactPower))
}
