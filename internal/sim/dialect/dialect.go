// Package dialect has the protocols that the simulated server speaks, one file each: what is read from a request and what is written as events.
// It knows nothing of the server; of the vocabulary it takes the texts.
package dialect

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// Dialect is one protocol as servers speak it: which paths it has, how a request is read
// and how an answer is written. One file each; All lists them.
type Dialect struct {
	Paths []string // as http.ServeMux has them: {model} stands for any name
	// Read understands a request.
	Read func(m *Model, r *http.Request, raw []byte) (*Call, error)
	// Write begins a streamed answer.
	Write func(c *Call, a vocab.Answer, id, model string, created time.Time) Writer
	// Whole is the answer to a request that asked for no stream.
	Whole func(c *Call, a *Result) any
	// failure is the body of an answer with another status than 200; nil: as OpenAI's.
	failure func(status int, err error) any
	// Lines says that a stream is a JSON object a line, and no server-sent events.
	Lines bool
	// UsageWithFinish says that the finish reason comes with the usage, asked for or not.
	UsageWithFinish bool
	// Framing is how it is always laid out.
	Framing Framing
	// EndToken says that the last token of an answer that ends by itself has no text: it is
	// the one that says so.
	EndToken bool
	// NoFinish says that nothing tells why an answer ended.
	NoFinish bool
	// OwnFinish says that the finish reason always has an event of its own.
	OwnFinish bool
	// StopsForTools says that an answer that ends with a tool call is told as any other.
	StopsForTools bool
}

// Model is what a dialect must know of the server that it speaks for.
type Model struct {
	Tokenizer        vocab.Tokenizer
	MaxLen           int // tokens of prompt and answer together
	DefaultMaxTokens int
	Framing          Framing
}

// Result is an answer that is not streamed, when it is complete.
type Result struct {
	ID, Model            string
	Received, FirstToken time.Time
	Answer               vocab.Answer
	Visible              int // tokens that have a text
	Finish               string
	Usage                Usage
	NoUsage              bool // nothing is told of it
	// Of a completion that repeats its prompt: the prompt, and what is said of all tokens.
	Prompt   string
	Logprobs any
}

// Emit sends one message of a stream: its name, where the protocol names them, and what
// the truth says of it.
type Emit func(name, kind string, tokens int, data []byte)

// Writer turns what happens in an answer into messages.
type Writer interface {
	// Event says what one event of the answer carries; it may take several messages.
	Event(e Event, out Emit)
	// Fail ends the answer with an error.
	Fail(out Emit)
	// Done comes last, after an error too if the fault says so. mark writes [DONE], which is no event; nil: the
	// framing leaves the last message out.
	Done(out Emit, mark func())
}

// All are the protocols of this server.
var All = []*Dialect{
	openAICompletions, openAIChat, openAIResponses, anthropicMessages,
	sglang, tgi, ollamaGenerate, ollamaChat, llamaCompletion, tritonGenerate, openInference,
}

// Of finds the protocol of a path; nil: one without tokens.
func Of(path string) *Dialect {
	for _, d := range All {
		for _, p := range d.Paths {
			if matches(p, path) {
				return d
			}
		}
	}
	return nil
}

// matches says whether a path is one of a pattern's, by what stands around its names.
func matches(pattern, path string) bool {
	before, rest, named := strings.Cut(pattern, "{")
	if !named {
		return pattern == path
	}
	after := rest[strings.LastIndexByte(rest, '}')+1:]
	return len(path) > len(before)+len(after) && strings.HasPrefix(path, before) && strings.HasSuffix(path, after)
}

var (
	openAICompletions = &Dialect{Paths: []string{PathCompletions}, Read: readOpenAI, Write: newChunks, Whole: openAIWhole}
	openAIChat        = &Dialect{Paths: []string{PathChat}, Read: readOpenAI, Write: newChunks, Whole: openAIWhole}
	// OpenAISound is what uploads of sounds are answered in.
	OpenAISound = &Dialect{Write: newChunks, Whole: openAIWhole}
)

func readOpenAI(m *Model, r *http.Request, raw []byte) (*Call, error) {
	return ParseCall(raw, r.URL.Path == PathChat, m.Tokenizer)
}

// OpenAIFailure is the body of an error in OpenAI's shape, with vLLM's names.
func OpenAIFailure(status int, err error) any {
	kind := errorTypes[status]
	if kind == "" {
		kind = "InternalServerError"
	}
	return map[string]any{"error": map[string]any{"message": err.Error(), "type": kind, "param": nil, "code": status}}
}

// errTold is what the sim says when it was told to fail in the middle of an answer.
var errTold = fmt.Errorf("the sim was told to fail here")

const (
	PathCompletions = "/v1/completions"
	PathChat        = "/v1/chat/completions"
	PathEmbeddings  = "/v1/embeddings"
)

// errorTypes are vLLM's names.
var errorTypes = map[int]string{
	http.StatusBadRequest:      "BadRequestError",
	http.StatusUnauthorized:    "AuthenticationError",
	http.StatusNotFound:        "NotFoundError",
	http.StatusTooManyRequests: "RateLimitError",
}

// FailureOf makes the bodies of errors.
func (d *Dialect) FailureOf() func(status int, err error) any {
	if d == nil || d.failure == nil {
		return OpenAIFailure
	}
	return d.failure
}

// ErrNoModel: the request asks for a model that this server does not have.
var ErrNoModel = errors.New("not found")

// StatusOf is the status of an answer to a request that can't be served.
func StatusOf(err error) int {
	if errors.Is(err, ErrNoModel) {
		return http.StatusNotFound
	}
	if errors.As(err, new(invalid)) {
		return http.StatusUnprocessableEntity
	}
	return http.StatusBadRequest
}

// Kinds of events in the truth.
const (
	KindToken     = "token"     // text
	KindReasoning = "reasoning" // text of a reasoning delta
	KindTool      = "tool"      // a tool call's head or arguments
	KindRole      = "role"      // the role, no text
	KindFinish    = "finish"    // a finish reason, no text
	KindUsage     = "usage"     // usage, no choice
	KindError     = "error"     // an error inside the stream
	KindFrame     = "frame"     // what some protocols put around the rest: the beginning or the end of a part
)
