package target

import (
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
)

// The servers that are known.
const (
	VLLM         = "vLLM"
	SGLang       = "SGLang"
	LlamaCPP     = "llama.cpp"
	Ollama       = "Ollama"
	TGI          = "TGI"
	TEI          = "TEI"
	TRTLLM       = "TensorRT-LLM"
	Triton       = "Triton"
	TritonOpenAI = "Triton's OpenAI frontend"
	KServe       = "KServe"
	Infinity     = "Infinity"
	LiteLLM      = "LiteLLM"
	OpenAI       = "OpenAI"
	Inferometer  = "Inferometer"

	// Routers, which send requests on to other servers. LiteLLM is one too.
	VLLMRouter      = "vllm-router"
	SGLangRouter    = "sglang-router"
	SMG             = "smg"
	Dynamo          = "Dynamo"
	LLMD            = "llm-d"
	ProductionStack = "production-stack"
	SimRouter       = "Inferometer's router"
)

// Quirks are what is known of one kind of server: which protocol is best for which work,
// and what it does otherwise than vLLM.
type Quirks struct {
	Kind string
	// The backends that are best, by their names; empty: it does not do such work, or it is not known.
	Text, Chat, Embeddings, Rerank string
	// TextWhy says why a text is not sent to /v1/completions; empty: it is.
	TextWhy string
	// OldLimit says that its chat needs max_tokens beside max_completion_tokens, which it may
	// not know. Others must not get both: OpenAI itself refuses them together.
	OldLimit bool
	// Nvext says that it tells who served a request if it is asked in the field nvext, which is Dynamo's.
	Nvext bool
	// TokenIDs says whether /v1/completions takes token ids as a prompt.
	TokenIDs Answer
	// IgnoreEOS says whether it keeps ignore_eos, so that the lengths of answers are fixed.
	IgnoreEOS Answer
	// Echo says whether /v1/completions tells the log-probabilities of a prompt's tokens.
	Echo Answer
	// Usage says when a stream has the server's count of tokens.
	Usage string
	// Idle is how many seconds it keeps an idle connection, and Requests how many it serves on
	// one. 0: not known; NoLimit: any.
	Idle, Requests int
	// Metrics is the path of its metrics; empty: the usual one.
	Metrics string
	// Router is what is known of one that sends requests on to other servers; nil: it is none.
	Router *RouterQuirks
	// VersionAt are where it tells its version, each a path and a field of a JSON object.
	VersionAt []string
	// Read is the version, or the document, that this was read in; Seen the one whose answers
	// the tests of this repository have seen.
	Read, Seen string
}

// RouterQuirks are what a router tells of the servers behind it, and what it does not.
type RouterQuirks struct {
	// Workers is the path that lists them, empty: none does; Metrics whose counters its own /metrics has.
	Workers string
	Metrics journal.Metrics
	// Sign is where an answer says who served it; empty: nowhere.
	Sign string
	// Retries are the counters of requests that it sent again, and Where they are if not at its own /metrics.
	Retries []string
	Where   string
	// Unknown is what can't be found out from outside; empty: nothing is known to be.
	Unknown string
}

// Answer is yes, no, or not known.
type Answer uint8

// The answers.
const (
	Unknown Answer = iota
	Yes
	No
)

func (a Answer) String() string { return [...]string{"not known", "yes", "no"}[a] }

// NoLimit is a number of seconds or requests without a bound.
const NoLimit = -1

// The backends that the table names. Those of the protocols are in package protocol, and a
// test holds these names against it.
const (
	completions = "openai"
	chat        = "openai-chat"
	embeddings  = "openai-embeddings"
	rerank      = "vllm-rerank"
)

const (
	usageAsked  = "if asked for"
	usageAlways = "always"
	usageNever  = "if asked for by name" // return_num_output_tokens
)

// quirks is the one table of what servers do differently. docs/reference/servers.md shows it.
var quirks = []Quirks{
	{
		Kind: VLLM, Text: "vllm", Chat: chat, Embeddings: embeddings, Rerank: rerank,
		Echo: Yes, TokenIDs: Yes, IgnoreEOS: Yes, Usage: usageAsked, Idle: 5, Requests: NoLimit,
		VersionAt: []string{"/version version"}, Read: "0.26.1rc0", Seen: "0.32.0",
	},
	{
		Kind: SGLang, Text: completions, Chat: chat, Embeddings: embeddings, // its rerank answers with a bare list, and no usage
		Echo: Yes, TokenIDs: Yes, IgnoreEOS: Yes, Usage: usageAsked, Idle: 5, Requests: NoLimit,
		VersionAt: []string{"/server_info version", "/get_server_info version"}, Read: "cce0a1244b5 (2026-08-23)",
	},
	{
		Kind: LlamaCPP, Text: completions, Chat: chat, Embeddings: embeddings, Rerank: rerank, OldLimit: true,
		Echo: No, TokenIDs: Yes, IgnoreEOS: Yes, Usage: usageAsked, Idle: 5, Requests: 100,
		VersionAt: []string{"/props build_info"}, Read: "b10586", Seen: "llama-cpp-python 0.3.36",
	},
	{
		Kind: Ollama, Text: "ollama", Chat: "ollama-chat", Embeddings: embeddings, OldLimit: true,
		TextWhy: "only /api/generate takes a text as it is, and it counts every answer; /v1/completions puts it into the model's template",
		Echo:    No, TokenIDs: No, IgnoreEOS: No, Usage: usageAlways, Idle: NoLimit, Requests: NoLimit,
		VersionAt: []string{"/api/version version"}, Read: "0.33.0-rc2", Seen: "0.17.4",
	},
	{
		Kind: TGI, Text: "tgi", Chat: chat, OldLimit: true,
		TextWhy:  "an event of /generate_stream is one token, and the last one counts them",
		TokenIDs: No, IgnoreEOS: No, Usage: usageAlways, Idle: NoLimit, Requests: NoLimit,
		VersionAt: []string{"/info version"}, Read: "3.3.7",
	},
	{
		Kind: TEI, Embeddings: embeddings, Echo: No, TokenIDs: No,
		VersionAt: []string{"/info version"}, Read: "its documents of 2026",
	},
	{
		Kind: TRTLLM, Text: completions, Chat: chat, // its embeddings refuse a field that vLLM's client sends
		Metrics:  "/prometheus/metrics", // its /metrics is JSON that is gone once it was read
		TokenIDs: Yes, IgnoreEOS: Yes, Usage: usageAsked, Idle: 5, Requests: NoLimit,
		VersionAt: []string{"/version version"}, Read: "0076e939 (2026)",
	},
	{
		Kind: Triton, Text: "trtllm", TextWhy: "it has no /v1/completions",
		Echo: No, TokenIDs: No, IgnoreEOS: Unknown, Usage: usageNever,
		VersionAt: []string{"/v2 version"}, Read: "2.73",
	},
	{
		Kind: TritonOpenAI, Text: completions, Chat: chat, Embeddings: embeddings,
		Usage: usageAsked, Read: "2.73",
	},
	{
		Kind: KServe, Text: "kserve", TextWhy: "it has no /v1/completions",
		Echo: No, TokenIDs: No, IgnoreEOS: Unknown, Usage: "never",
		VersionAt: []string{"/v2 version"}, Read: "Open Inference Protocol V2",
	},
	{
		Kind: Infinity, Embeddings: "infinity-embeddings",
		Echo: No, TokenIDs: No, Read: "0.0.77",
	},
	{
		Kind: LiteLLM, Text: chat, Chat: chat, Embeddings: embeddings,
		TextWhy: "its /v1/completions sends a chat to most servers behind it",
		Usage:   usageAsked, Read: "1.97", Seen: "1.106.2",
		Router: &RouterQuirks{
			Workers: "/model/info", Metrics: journal.NoMetrics, Sign: "x-litellm-model-api-base, x-litellm-model-id",
			Retries: []string{"x-litellm-attempted-retries"}, Unknown: "its own counters, without an enterprise licence",
		},
	},
	{
		Kind: OpenAI, Text: chat, Chat: chat, // its embeddings refuse that field too
		TextWhy:  "its models of today have no completions",
		TokenIDs: Unknown, IgnoreEOS: No, Usage: usageAsked, Read: "its documents of 2026",
	},
	{
		Kind: Inferometer, Text: "vllm", Chat: chat, Embeddings: embeddings, Rerank: rerank,
		Echo: Yes, TokenIDs: Yes, IgnoreEOS: Yes, Usage: usageAsked, Idle: NoLimit, Requests: NoLimit,
		VersionAt: []string{"/version version"}, Read: "this version", Seen: "this version",
	},
	{
		Kind: VLLMRouter, Text: "vllm", Chat: chat, Embeddings: embeddings, Rerank: rerank,
		TokenIDs: Yes, IgnoreEOS: Yes, Usage: usageAsked, Read: "0.1.16", Seen: "0.1.16",
		Router: &RouterQuirks{
			Workers: "/workers", Metrics: journal.WorkerMetrics, Where: "the port of --prometheus-port (29000)",
			Retries: []string{"vllm_router_retries_total"}, Unknown: "who served a request, unless the worker's own headers say it",
		},
	},
	{
		Kind: SGLangRouter, Text: completions, Chat: chat, Embeddings: embeddings,
		TokenIDs: No, IgnoreEOS: Yes, Usage: usageAsked, Read: "0.3.2", Seen: "0.3.2",
		Router: &RouterQuirks{
			Workers: "/workers", Metrics: journal.NoMetrics, Where: "the port of --prometheus-port (29000)",
			Retries: []string{"smg_worker_retries_total"}, Unknown: "who served a request, unless the worker's own headers say it",
		},
	},
	{
		Kind: SMG, Text: completions, Chat: chat, Embeddings: embeddings,
		TokenIDs: No, IgnoreEOS: Yes, Usage: usageAsked, Read: "1.13.0", Seen: "1.13.0",
		Router: &RouterQuirks{
			Workers: "/workers", Metrics: journal.NoMetrics, Where: "the port of --prometheus-port (29000)", Sign: "x-smg-routed-worker-id",
			Retries: []string{"smg_worker_retries_total", "smg_worker_retries_exhausted_total"},
		},
	},
	{
		Kind: Dynamo, Text: chat, Chat: chat, Embeddings: embeddings, Nvext: true,
		TextWhy:  "its requests go through a chat template anyway, and its own extensions are in chat",
		TokenIDs: Unknown, IgnoreEOS: Yes, Usage: usageAsked, Read: "1.6.1", Seen: "1.6.1",
		Router: &RouterQuirks{
			Workers: "/health", Metrics: journal.OwnMetrics, Sign: "nvext.worker_id",
			Retries: []string{"dynamo_frontend_model_migration_total"}, Unknown: "the metrics of its workers, unless they have DYN_SYSTEM_PORT",
		},
	},
	{
		Kind: LLMD, Text: "vllm", Chat: chat, Embeddings: embeddings,
		TokenIDs: Unknown, IgnoreEOS: Unknown, Usage: usageAsked, Read: "520af47 (2026-05-17)",
		Router: &RouterQuirks{
			Metrics: journal.OwnMetrics, Where: "the endpoint picker's own port", Sign: "x-inference-pod, x-session-token",
			Unknown: "the pods behind it: give them with --replica",
		},
	},
	{
		Kind: ProductionStack, Text: "vllm", Chat: chat, Embeddings: embeddings, Rerank: rerank,
		TokenIDs: Yes, IgnoreEOS: Yes, Usage: usageAsked, VersionAt: []string{"/version version"}, Read: "its source of 2026-08-05",
		Router: &RouterQuirks{
			Workers: "/metrics", Metrics: journal.OwnMetrics,
			Unknown: "who served a request; its gauges have the names of vLLM's, one line for each server",
		},
	},
	{
		Kind: SimRouter, Text: "vllm", Chat: chat, Embeddings: embeddings, Rerank: rerank,
		TokenIDs: Yes, IgnoreEOS: Yes, Usage: usageAsked, Idle: NoLimit, Requests: NoLimit, Read: "this version", Seen: "this version",
		Router: &RouterQuirks{
			Workers: "/workers", Metrics: journal.OwnMetrics, Sign: "x-inferometer-replica", Retries: []string{"sim_router_retries_total"},
		},
	},
}

// AllQuirks lists the table.
func AllQuirks() []Quirks { return slices.Clone(quirks) }

// Quirks are those of the server; of one that is not known all is open.
func (i Identity) Quirks() Quirks {
	for _, q := range quirks {
		if q.Kind == i.Kind {
			return q
		}
	}
	return Quirks{}
}

// OldLimit says whether a server's chat is bounded by max_tokens, which OpenAI has given
// up for max_completion_tokens.
func (i Identity) OldLimit() bool { return i.Quirks().OldLimit }

// TextsOnly says that a server takes prompts as texts and not as token ids.
func (i Identity) TextsOnly() bool { return i.Quirks().TokenIDs == No }
