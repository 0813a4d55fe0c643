// Package protocol knows the shapes of the servers' APIs: how a call is written as a body,
// and what an answer's events mean. One file each; backend.go lists them.
//
// A Stream stands between a wire.Transport and a Protocol: it tells events apart and
// keeps the Trace of one exchange. Nothing here judges: whether a request was a success
// is load's business.
package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
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
	// Decode reads one event of a stream into c, or a whole answer of a protocol whose
	// answers are never streams.
	Decode(d *Decoder, data []byte, c *Chunk) error
}

// Answerer is a Protocol whose answers may also be one JSON object: Call.NoStream asks
// for it.
type Answerer interface {
	// DecodeAnswer reads such an answer into c.
	DecodeAnswer(d *Decoder, data []byte, c *Chunk) error
}

// ContentType is the media type of a protocol's bodies.
func ContentType(p Protocol) string {
	if own, ok := p.(interface{ ContentType() string }); ok {
		return own.ContentType()
	}
	return "application/json"
}

// Accepts is the media type of a backend's answers.
func (b *Backend) Accepts() string {
	switch b.Framing {
	case Lines:
		return "application/x-ndjson"
	case Whole:
		return "application/json"
	}
	return "text/event-stream"
}

// body builds a JSON object field by field. A field that is set again is written
// once, where it first stood, with the last value: as a Python dict does.
type body struct {
	names  []string
	values []json.RawMessage
}

func (b *body) set(name string, value any) error {
	raw, ok := value.(json.RawMessage)
	if !ok {
		var err error
		if raw, err = marshal(value); err != nil {
			return fmt.Errorf("encode the field %q: %w", name, err)
		}
	}
	if i := slices.Index(b.names, name); i >= 0 {
		b.values[i] = raw
		return nil
	}
	b.names, b.values = append(b.names, name), append(b.values, raw)
	return nil
}

// marshal leaves <, > and & as they are: a benchmark should send what the user wrote.
func marshal(v any) ([]byte, error) {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return []byte(strings.TrimSuffix(out.String(), "\n")), nil
}

// stream sets what asks for a stream with usage, or for none.
func (b *body) stream(c *Call) error {
	if c.NoStream {
		return b.set("stream", false)
	}
	return errors.Join(b.set("stream", true), b.set("stream_options", includeUsage))
}

// finish adds what all OpenAI-like calls share and appends the object to dst.
func (b *body) finish(dst []byte, c *Call) ([]byte, error) {
	if c.IgnoreEOS {
		if err := b.set("ignore_eos", true); err != nil {
			return nil, err
		}
	}
	for _, f := range c.Extra {
		if err := b.set(f.Name, f.Value); err != nil {
			return nil, err
		}
	}
	return b.append(dst)
}

// append appends the object to dst.
func (b *body) append(dst []byte) ([]byte, error) {
	dst = append(dst, '{')
	for i, name := range b.names {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		key, err := marshal(name)
		if err != nil {
			return nil, err
		}
		dst = append(dst, key...)
		dst = append(dst, ": "...)
		dst = append(dst, b.values[i]...)
	}
	return append(dst, '}'), nil
}

var includeUsage = json.RawMessage(`{"include_usage": true}`)

// setSampling sets the sampling fields of a call by the protocol's own names.
func (b *body) setSampling(c *Call, names map[string]string) error {
	for _, f := range c.Extra {
		if !f.Sampling {
			continue
		}
		name := names[f.Name]
		if name == "" {
			return fmt.Errorf("this protocol has no word for %s", f.Name)
		}
		if err := b.set(name, f.Value); err != nil {
			return err
		}
	}
	return nil
}

// setExtra sets the fields of --extra-body and of the dataset, as they are.
func (b *body) setExtra(c *Call) error {
	for _, f := range c.Extra {
		if f.Sampling {
			continue
		}
		if err := b.set(f.Name, f.Value); err != nil {
			return err
		}
	}
	return nil
}
