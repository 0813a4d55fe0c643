package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// CustomName is the backend that a file describes.
const CustomName = "custom"

// undescribed stands in the table for what a file describes: ReadCustom reads one.
var undescribed = &Backend{
	Name: CustomName, Doc: "what --protocol-file describes",
	Lacks: Lacks{IgnoreEOS: true, TokenIDs: true, Usage: true}, Protocol: &described{
		body: func(*Call) (*body, error) { return nil, errNoFile }, event: shape{}.reader(),
	},
}

var errNoFile = errors.New("the backend " + CustomName + " needs a file that describes it")

const (
	// MaxCustom bounds a file, and what it is as JSON.
	MaxCustom      = 64 << 10
	maxCustomWords = 200 // headers, and words of finish_words
)

// customFile is a server's API as a file describes it. What it does not say stays unknown.
type customFile struct {
	path, framing        string
	headers, finishWords map[string]string
	body, done           json.RawMessage
	cumulative           bool
	found                [slots]places
}

// keys are those of a file, with where their values go.
func (f *customFile) keys() map[string]any {
	keys := map[string]any{
		"path": &f.path, "framing": &f.framing, "headers": &f.headers, "body": &f.body,
		"cumulative": &f.cumulative, "done": &f.done, "finish_words": &f.finishWords,
	}
	for s := range slotDone {
		keys[s.String()] = &f.found[s]
	}
	return keys
}

// custom is the protocol of such a file.
type custom struct {
	path        string
	body        template
	event       *reader // what is looked for in an event
	doneData    []byte  // an event that is this text ends an answer; nil: none does
	doneEquals  []byte  // the value that ends an answer; nil: none does
	finishWords map[string]string
	cumulative  bool
	whole       bool // an answer is one event
}

func (p *custom) Path() string { return p.path }

// Suffix is empty: the file's path is only what is taken where no other is given.
func (p *custom) Suffix() string { return "" }

// ReadCustom makes a backend of what a file describes, as JSON. Errors name the key.
func ReadCustom(raw []byte) (*Backend, error) {
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return nil, errors.New("must be a mapping of keys to values")
	}
	if compact.Len() > MaxCustom {
		return nil, fmt.Errorf("has more than %d bytes", MaxCustom)
	}
	var f customFile
	if err := readKeys(compact.Bytes(), f.keys()); err != nil {
		return nil, err
	}
	p := &custom{path: f.path, finishWords: f.finishWords, cumulative: f.cumulative}
	framing, err := f.check()
	if err != nil {
		return nil, err
	}
	p.whole = framing == stream.Whole
	if err := p.readDone(&f); err != nil {
		return nil, fmt.Errorf("done: %w", err)
	}
	var event shape
	for s, alternatives := range f.found {
		for rank, path := range alternatives {
			event.add(path, want{slot(s), rank})
		}
	}
	p.event = event.ready(true)
	if err := p.body.read(f.body); err != nil {
		return nil, fmt.Errorf("body: %w", err)
	}
	b := &Backend{
		Name: CustomName, Doc: undescribed.Doc, Framing: framing, Header: f.headers, Protocol: p,
		Chat: p.body.uses("messages"), Images: p.body.uses("messages"), Sounds: p.body.uses("messages"),
		EndsWithBody: framing != stream.Whole && p.doneData == nil && p.doneEquals == nil && f.found[slotFinish] == nil,
		Lacks:        Lacks{IgnoreEOS: !p.body.uses("ignore_eos"), TokenIDs: true, Usage: f.found[slotOutput] == nil},
		Sampling:     map[string]string{},
		NoModel:      !p.body.uses("model") && !strings.Contains(p.path, ModelInPath),
	}
	for _, name := range samplingNames {
		if p.body.uses(name) {
			b.Sampling[name] = name
		}
	}
	return b, nil
}

// readKeys reads an object of known keys.
func readKeys(raw []byte, known map[string]any) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(raw, &values); err != nil || values == nil {
		return errors.New("must be a mapping of keys to values")
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		to, ok := known[key]
		if !ok {
			return fmt.Errorf("has no key %q; its keys are %s", outside.Word(key), strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		if err := readKey(values[key], to); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

func readKey(raw json.RawMessage, to any) error {
	if string(raw) == "null" {
		return errors.New("has no value")
	}
	switch to := to.(type) {
	case *json.RawMessage:
		*to = raw
		return nil
	case *places:
		return to.read(raw)
	}
	if json.Unmarshal(raw, to) == nil {
		return nil
	}
	switch to.(type) {
	case *bool:
		return errors.New("must be true or false")
	case *map[string]string:
		return errors.New("must be a mapping of texts to texts (put a number or true into quotes)")
	}
	return errors.New("must be a text")
}

var customFramings = map[string]stream.Framing{"": stream.SSE, "sse": stream.SSE, "ndjson": stream.Lines, "json": stream.Whole}

// check looks at what the keys say by themselves, and together.
func (f *customFile) check() (stream.Framing, error) {
	framing, ok := customFramings[f.framing]
	switch {
	case !ok:
		return 0, fmt.Errorf("framing: must be sse, ndjson or json, not %q", outside.Word(f.framing))
	case f.path == "":
		return 0, errors.New("path: is needed: where requests go below the server's address, such as /generate")
	case !strings.HasPrefix(f.path, "/") || strings.ContainsFunc(f.path, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return 0, fmt.Errorf("path: must begin with a slash and have no spaces, not %q", outside.Word(f.path))
	case f.body == nil:
		return 0, errors.New("body: is needed: the JSON that is sent")
	case f.found[slotText] == nil:
		return 0, errors.New("text: is needed: the path of an answer's text, such as choices.0.delta.content")
	case f.found[slotOutput] == nil && (f.found[slotPrompt] != nil || f.found[slotCached] != nil):
		return 0, errors.New("output_tokens: is needed where prompt_tokens or cached_tokens is given: the server's counts are taken together")
	case f.cumulative && f.found[slotReasoning] != nil:
		return 0, errors.New("cumulative: can't be used together with reasoning: only the text may come again")
	case f.cumulative && framing == stream.Whole:
		return 0, errors.New("cumulative: has no meaning with framing json: an answer is one event")
	case f.done != nil && framing == stream.Whole:
		return 0, errors.New("done: has no meaning with framing json: an answer ends with its JSON")
	case len(outside.JSONSecrets(f.body)) > 0:
		return 0, errors.New("body: has a field that is named like a secret, which the file must not hold: give it with --extra-body")
	}
	return framing, errors.Join(f.checkHeaders(), f.checkWords())
}

func (f *customFile) checkHeaders() error {
	if len(f.headers) > maxCustomWords {
		return fmt.Errorf("headers: has more than %d", maxCustomWords)
	}
	for _, name := range slices.Sorted(maps.Keys(f.headers)) {
		if outside.SecretName(name) || strings.EqualFold(name, "cookie") {
			return fmt.Errorf("headers: %s is a secret, which the file must not hold: give it with --header", outside.Word(name))
		}
		if err := wire.CheckHeader(name, f.headers[name]); err != nil {
			return fmt.Errorf("headers: %w", err)
		}
	}
	return nil
}

func (f *customFile) checkWords() error {
	if len(f.finishWords) > maxCustomWords {
		return fmt.Errorf("finish_words: has more than %d", maxCustomWords)
	}
	if f.finishWords != nil && f.found[slotFinish] == nil {
		return errors.New("finish_words: needs finish, the path of such a word")
	}
	for _, word := range slices.Sorted(maps.Keys(f.finishWords)) {
		if ours := f.finishWords[word]; ours != "stop" && ours != "length" && ours != "tool_calls" {
			return fmt.Errorf("finish_words: %q must be one of stop, length, tool_calls, not %q", outside.Word(word), outside.Word(ours))
		}
	}
	return nil
}

// readDone reads which event ends an answer: one that is a text, or one with a value.
func (p *custom) readDone(f *customFile) error {
	if f.done == nil {
		return nil
	}
	var data string
	var path places
	var equals json.RawMessage
	if err := readKeys(f.done, map[string]any{"data": &data, "path": &path, "equals": &equals}); err != nil {
		return err
	}
	if (data != "") == (path != nil) || (path == nil) != (equals == nil) {
		return errors.New(`needs data, as in {data: "[DONE]"}, or path and equals, as in {path: done, equals: true}`)
	}
	if path == nil {
		p.doneData = []byte(data)
		return nil
	}
	if equals[0] == '{' || equals[0] == '[' {
		return errors.New("equals: must be a text, a number, true or false")
	}
	f.found[slotDone], p.doneEquals = path, equals
	return nil
}
