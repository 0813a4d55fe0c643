// Package workload is what is sent: a stream of requests from a dataset or a
// generator. A dataset is an iterator, so a run of a million requests holds only
// those that are on their way; what it must keep of a file is where each entry
// lies. Prompts that take work are made a little ahead by several goroutines; the
// bytes are the same whatever their number. Each dataset is one file with
// its options, whose tags are all that flags, scenarios and documents know of them,
// and one name in the table of registry.go.
//
// With a tokenizer.json at hand the same seed gives the same prompts, in the same
// order and with the same output lengths, as vLLM's client (0.32) gives. With
// only the server's tokenizer, or none, a dataset that needs no exact ids makes
// prompts of its own from built-in words: by the seed as well, but not vLLM's.
package workload

import (
	"encoding/json"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/workload/media"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
)

// Request is one request in the words that all datasets share. How it becomes
// bytes is the wire's business.
type Request struct {
	// Index counts requests from 0 without gaps. Where a dataset repeats its
	// entries to reach the number asked for, the repetitions count on.
	Index        int
	Prompt       string
	PromptTokens int  // planned; 0 where nobody could count
	OutputTokens int  // asked for
	NoID         bool // vLLM gives these requests no id (prefix_repetition)
	TokenIDs     bool // Prompt is a JSON list of token ids, not a text
	// Messages is the JSON list of a chat's messages, in place of the one user message
	// that Prompt would become. Prompt is then what the hash and a kept prompt show.
	Messages json.RawMessage
	// Media are further parts of the user message's content, after its text, each a
	// JSON object as chat completions have it: an image, a sound.
	Media []json.RawMessage
	// Inputs are several texts in one request, in place of Prompt: a batch, or a query
	// with its documents behind it. Prompt is then the first of them.
	Inputs []string
	// Sound is a file to be transcribed or translated.
	Sound *media.Sound
	// Fields are further fields of the body, which win over all others: tools, say.
	Fields []Field
	// Model is sent in place of the run's model: an adapter.
	Model string
	// Due is when the dataset itself wants the request sent, from the start of the run.
	// It means something only where the dataset is timed.
	Due time.Duration
	// SharedTokens of the SharedOf that the prompt was planned with are at its beginning and
	// were in an earlier prompt of the run: what a prefix cache without bounds would know.
	// They may be words, where nobody can count tokens. No SharedOf: there is no plan.
	SharedTokens, SharedOf int
	// Prefix is the one of several shared prefixes that the prompt begins with, from 1; 0: with none.
	Prefix int
	// Conversation and Turn count from 1; 0 where the request is part of none.
	Conversation int
	Turn         int
	// Talk is a conversation, which this request stands for: its turns are what is sent. Of
	// the request's other fields only Index, Conversation and Model count.
	Talk *talk.Conversation
	// Question is what it asks and what is right; nil: it is no question. Its answer is kept.
	Question *journal.Question
	// Context is how much of Prompt, in bytes, stands before the choice whose likelihood is asked for; 0: none is.
	Context int
	// Unmeasured: it only prepares the server for those that follow, and is written down as a warm-up.
	Unmeasured bool
}

// Field is a top-level field of a request's body.
type Field struct {
	Name  string
	Value json.RawMessage
	// Sampling says that it is a parameter such as temperature, by OpenAI's name. A flag of the
	// run wins over it, and a protocol may have another name for it or none.
	Sampling bool
}

// Source yields requests in order. Next returns nil, io.EOF after the last one.
// A Source is used by one goroutine.
type Source interface {
	Next() (*Request, error)
}

// Dataset is a Source that knows its length and can be warmed up.
type Dataset interface {
	Source
	// Len is how many requests Next gives in all; of conversations, their turns.
	Len() int
	// Warmups makes n requests of the same shape that Next never gives, so that
	// a warm-up does not put a measured prompt into the server's prefix cache.
	Warmups(n int) ([]*Request, error)
	// Close lets go of the dataset's file and ends its goroutines. It may be called
	// while Next waits, which then returns io.EOF.
	Close() error
}
