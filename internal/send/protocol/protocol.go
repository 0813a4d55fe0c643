// Package protocol knows the shapes of the servers' APIs: how a call is written as a body,
// and what an answer's events mean. One file each; backend.go lists them.
//
// A stream.Stream stands between a wire.Transport and a Protocol: it tells events apart and
// keeps the trace of one exchange. Nothing here judges: whether a request was a success
// is load's business.
package protocol

import (
	"encoding/json"

	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

// Call is one inference request in the words that all protocols share.
type Call struct {
	Model    string
	Prompt   string
	TokenIDs bool // Prompt is a JSON list of token ids; completions only
	// Messages is the whole JSON list of messages, in place of Prompt; chat only.
	Messages json.RawMessage
	// Media are JSON objects that follow the text in the user message's content; chat only.
	Media []json.RawMessage
	// Inputs are several texts in place of Prompt, for protocols that take a list of
	// them: a batch, or a query with its documents behind it.
	Inputs []string
	// Sound is a file to upload, for transcriptions and translations.
	Sound *File
	// Index counts the calls, NoIndex says that the call is none of them: it has no id.
	Index     int
	NoIndex   bool
	MaxTokens int
	OldLimit  bool // chat: max_tokens too, for servers that know no max_completion_tokens
	Nvext     bool // Dynamo: say who served it, and when
	IgnoreEOS bool
	NoStream  bool // the answer is to be one JSON object
	Logprobs  *int // completions send null without it, as vLLM's client does
	// Echo asks for the prompt with the log-probability of each of its tokens, with NoStream
	// and where Backend.Echoes says so.
	Echo  bool
	Extra []Field // further fields of the body, in order; later ones win
}

// File is a file in the body of an upload.
type File struct {
	Name string // without a path
	Type string // its media type; empty: not said
	Data []byte
}

// Field is a top-level field of a body.
type Field struct {
	Name  string
	Value json.RawMessage
	// Sampling says that it is the value of a flag such as --temperature, by OpenAI's
	// name: a protocol may have another name and place for it.
	Sampling bool
}

// Protocol is the shape of one API.
type Protocol interface {
	// Path is where it lies below the base URL.
	Path() string
	// Suffix is how a URL that speaks it must end.
	Suffix() string
	// AppendBody appends the body of a call.
	AppendBody(dst []byte, c *Call) ([]byte, error)
	// Events returns a reader of its events, for one stream at a time.
	Events() stream.EventReader
}

// Unstreamer is a Protocol whose answers may also be one JSON object: Call.NoStream asks for it.
type Unstreamer interface {
	// Unstreamed returns the protocol of such answers, nil if there are none.
	Unstreamed() Protocol
}

// ContentType is the media type of a protocol's bodies.
func ContentType(p Protocol) string {
	if own, ok := p.(interface{ ContentType() string }); ok {
		return own.ContentType()
	}
	return "application/json"
}

// NewStream returns a Stream that reads the answers of b.
func NewStream(b *Backend) *stream.Stream {
	return stream.New(stream.Answers{Framing: b.Framing, Pooling: b.Pooling, EndsWithBody: b.EndsWithBody}, b.Events())
}

// Accepts is the media type of a backend's answers.
func (b *Backend) Accepts() string {
	switch b.Framing {
	case stream.Lines:
		return "application/x-ndjson"
	case stream.Whole:
		return "application/json"
	}
	return "text/event-stream"
}
