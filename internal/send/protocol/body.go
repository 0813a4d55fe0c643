package protocol

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/jsonscan"
	"github.com/inferometer/inferometer/internal/ordered"
)

// body is the JSON object of a request. A field that is set again is written once, where it first
// stood, with the last value: as a Python dict does.
type body struct{ ordered.Object }

// newBody is a body that begins with these fields.
func newBody(fields ordered.Object) *body { return &body{fields} }

// append appends the object to dst.
func (b *body) appendTo(dst []byte) ([]byte, error) {
	dst = append(dst, '{')
	for i, f := range b.Object {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		key, err := marshal(f.Key)
		if err != nil {
			return nil, err
		}
		value, err := marshal(f.Value)
		if err != nil {
			return nil, fmt.Errorf("encode the field %q: %w", f.Key, err)
		}
		dst = append(append(append(dst, key...), ": "...), value...)
	}
	return append(dst, '}'), nil
}

// marshal leaves <, > and & as they are: a benchmark should send what the user wrote.
func marshal(v any) ([]byte, error) {
	switch v := v.(type) {
	case json.RawMessage:
		return v, nil
	case *body:
		return v.appendTo(nil)
	}
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return []byte(strings.TrimSuffix(out.String(), "\n")), nil
}

// stream sets what asks for a stream with usage, or for none.
func (b *body) stream(c *Call) {
	b.Set("stream", !c.NoStream)
	if !c.NoStream {
		b.Set("stream_options", json.RawMessage(`{"include_usage": true}`))
	}
}

// What Dynamo is asked to tell of a request. A user's own nvext stands in its place.
const (
	nvextField = "nvext"
	nvextAsked = `{"extra_fields": ["worker_id", "timing"]}`
)

// finish sets what all OpenAI-like calls share.
func (b *body) finish(c *Call) {
	if c.Nvext {
		b.Set(nvextField, json.RawMessage(nvextAsked))
	}
	if c.IgnoreEOS {
		b.Set("ignore_eos", true)
	}
	for _, f := range c.Extra {
		b.Set(f.Name, f.Value)
	}
}

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
		b.Set(name, f.Value)
	}
	return nil
}

// setExtra sets the fields of --extra-body and of the dataset, as they are. An object by the
// name of one that is there is laid over it.
func (b *body) setExtra(c *Call) error {
	for _, f := range c.Extra {
		if f.Sampling {
			continue
		}
		inner, isNested := b.Get(f.Name).(*body)
		if !isNested {
			b.Set(f.Name, f.Value)
			continue
		}
		if err := jsonscan.Fields(f.Value, func(name, value []byte) { inner.Set(string(name), json.RawMessage(value)) }); err != nil {
			return fmt.Errorf("the field %s must be an object: %w", f.Name, err)
		}
	}
	return nil
}

// sameNames are the sampling fields that a protocol has by OpenAI's names.
func sameNames(names ...string) map[string]string {
	same := map[string]string{}
	for _, name := range names {
		same[name] = name
	}
	return same
}

// isText says that a call is one text, and nothing that only other protocols take.
func (c *Call) isText() bool {
	return c.Messages == nil && c.Media == nil && c.Inputs == nil && c.Sound == nil
}

// promptOrIDs is the text of a call, or its token ids.
func (c *Call) promptOrIDs() any {
	if c.TokenIDs {
		return json.RawMessage(c.Prompt)
	}
	return c.Prompt
}
