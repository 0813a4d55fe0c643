package target

import "slices"

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
	// VersionAt are where it tells its version, each a path and a field of a JSON object.
	VersionAt []string
	// Read is the version, or the document, that this was read in; Seen the one whose answers
	// the tests of this repository have seen.
	Read, Seen string
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
