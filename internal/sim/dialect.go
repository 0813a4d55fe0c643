package sim

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// dialect is one protocol as servers speak it: which paths it has, how a request is read
// and how an answer is written. One file each; dialects lists them.
type dialect struct {
	paths []string // as http.ServeMux has them: {model} stands for any name
	// read understands a request.
	read func(m *model, r *http.Request, raw []byte) (*call, error)
	// write begins a streamed answer.
	write func(c *call, a vocab.Answer, id, model string, created time.Time) writer
	// whole is the answer to a request that asked for no stream.
	whole func(c *call, a *result) any
	// failure is the body of an answer with another status than 200; nil: as OpenAI's.
	failure func(status int, err error) any
	// lines says that a stream is a JSON object a line, and no server-sent events.
	lines bool
	// usageWithFinish says that the finish reason comes with the usage, asked for or not.
	usageWithFinish bool
	// framing is how it is always laid out.
	framing Framing
	// endToken says that the last token of an answer that ends by itself has no text: it is
	// the one that says so.
	endToken bool
	// noFinish says that nothing tells why an answer ended.
	noFinish bool
	// ownFinish says that the finish reason always has an event of its own.
	ownFinish bool
	// stopsForTools says that an answer that ends with a tool call is told as any other.
	stopsForTools bool
}

// model is what a dialect must know of the server that it speaks for.
type model struct {
	tokenizer        vocab.Tokenizer
	maxLen           int // tokens of prompt and answer together
	defaultMaxTokens int
	framing          Framing
}

// result is an answer that is not streamed, when it is complete.
type result struct {
	id, model            string
	received, firstToken time.Time
	answer               vocab.Answer
	visible              int // tokens that have a text
	finish               string
	usage                usage
	noUsage              bool // nothing is told of it
	// Of a completion that repeats its prompt: the prompt, and what is said of all tokens.
	prompt   string
	logprobs any
}

// emit sends one message of a stream: its name, where the protocol names them, and what
// the truth says of it.
type emit func(name, kind string, tokens int, data []byte)

// writer turns what happens in an answer into messages.
type writer interface {
	// event says what one event of the answer carries; it may take several messages.
	event(e event, out emit)
	// fail ends the answer with an error.
	fail(out emit)
	// done comes last, after an error too if the fault says so. mark writes [DONE], which is no event; nil: the
	// framing leaves the last message out.
	done(out emit, mark func())
}

// dialects are the protocols of this server.
var dialects = []*dialect{
	openAICompletions, openAIChat, openAIResponses, anthropicMessages,
	sglang, tgi, ollamaGenerate, ollamaChat, llamaCompletion, tritonGenerate, openInference,
}

// dialectOf finds the protocol of a path; nil: one without tokens.
func dialectOf(path string) *dialect {
	for _, d := range dialects {
		for _, p := range d.paths {
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
	openAICompletions = &dialect{paths: []string{pathCompletions}, read: readOpenAI, write: newChunks, whole: openAIWhole}
	openAIChat        = &dialect{paths: []string{pathChat}, read: readOpenAI, write: newChunks, whole: openAIWhole}
	// openAISound is what uploads of sounds are answered in.
	openAISound = &dialect{write: newChunks, whole: openAIWhole}
)

func readOpenAI(m *model, r *http.Request, raw []byte) (*call, error) {
	return parseCall(raw, r.URL.Path == pathChat, m.tokenizer)
}

// openAIFailure is the body of an error in OpenAI's shape, with vLLM's names.
func openAIFailure(status int, err error) any {
	kind := errorTypes[status]
	if kind == "" {
		kind = "InternalServerError"
	}
	return map[string]any{"error": map[string]any{"message": err.Error(), "type": kind, "param": nil, "code": status}}
}

// errTold is what the sim says when it was told to fail in the middle of an answer.
var errTold = fmt.Errorf("the sim was told to fail here")

const (
	pathCompletions = "/v1/completions"
	pathChat        = "/v1/chat/completions"
	pathEmbeddings  = "/v1/embeddings"
)

// errorTypes are vLLM's names.
var errorTypes = map[int]string{
	http.StatusBadRequest:      "BadRequestError",
	http.StatusUnauthorized:    "AuthenticationError",
	http.StatusNotFound:        "NotFoundError",
	http.StatusTooManyRequests: "RateLimitError",
}

// failureOf makes the bodies of errors.
func (d *dialect) failureOf() func(status int, err error) any {
	if d == nil || d.failure == nil {
		return openAIFailure
	}
	return d.failure
}

// errNoModel: the request asks for a model that this server does not have.
var errNoModel = errors.New("not found")

// statusOf is the status of an answer to a request that can't be served.
func statusOf(err error) int {
	if errors.Is(err, errNoModel) {
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
