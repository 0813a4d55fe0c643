package record

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/jsonscan"
	"github.com/inferometer/inferometer/tokenizer"
)

// asked is what a request's body says.
type asked struct {
	model    string
	session  string // the field that names one; it is hashed before it is kept
	sampling map[string]json.RawMessage
	prompt   prompt
	results  int // of tools, among what it adds
}

// prompt is what the model reads, in the one form that its hashes are made of.
type prompt struct {
	text     string
	ids      []int32             // where it came as token ids
	messages []tokenizer.Message // where it is roles and texts alone, for a chat template
}

// parameters are the sampling parameters that are kept, with OpenAI's names for those of
// others. Only numbers and booleans are, so that none holds a text.
var parameters = map[string]string{
	"temperature": "", "top_p": "", "top_k": "", "min_p": "", "typical_p": "", "n": "", "best_of": "", "seed": "", "min_tokens": "",
	"max_tokens": "", "max_completion_tokens": "max_tokens", "max_output_tokens": "max_tokens", "max_new_tokens": "max_tokens",
	"n_predict": "max_tokens", "num_predict": "max_tokens",
	"frequency_penalty": "", "presence_penalty": "", "repetition_penalty": "", "repeat_penalty": "repetition_penalty", "length_penalty": "",
	"ignore_eos": "", "use_beam_search": "", "do_sample": "", "logprobs": "", "top_logprobs": "", "cache_prompt": "", "num_ctx": "", "parallel_tool_calls": "",
}

// nested are the objects in which some protocols put them.
var nested = []string{"options", "parameters", "sampling_params"}

// object is the fields of a JSON object that are looked at, as they stand in the body: a body of
// millions of small values takes no more memory than itself.
type object map[string][]byte

// wanted are all names that a body is asked for.
var wanted = func() map[string]bool {
	all := map[string]bool{"model": true, "metadata": true, "user_id": true}
	for name := range parameters {
		all[name] = true
	}
	for _, name := range slices.Concat(nested, sessionFields, promptFields) {
		all[name] = true
	}
	return all
}()

// readObject reads an object; nil: it is none.
func readObject(raw []byte) object {
	o := object{}
	if jsonscan.Fields(raw, func(name, value []byte) {
		if wanted[string(name)] {
			o[string(name)] = value
		}
	}) != nil {
		return nil
	}
	return o
}

// piece is a message, or a part of one.
type piece struct {
	kind, role, content, text, calls []byte // nil: it has none
	fields                           int
}

func readPiece(raw []byte) (p piece) {
	_ = jsonscan.Fields(raw, func(name, value []byte) { // what is no object has no fields
		p.fields++
		switch string(name) {
		case "type":
			p.kind = value
		case "role":
			p.role = value
		case "content":
			p.content = value
		case "text":
			p.text = value
		case "tool_calls":
			p.calls = value
		}
	})
	return p
}

// sessionFields name a session. That of a user is none: one user has many.
var sessionFields = []string{"session_id", "conversation_id", "prompt_cache_key"}

// readRequest reads a body; false: it is no JSON object.
func readRequest(data []byte) (*asked, bool) {
	if !json.Valid(data) {
		return nil, false
	}
	fields := readObject(data)
	if fields == nil {
		return nil, false
	}
	a := &asked{model: text(fields["model"]), sampling: map[string]json.RawMessage{}}
	a.take(fields)
	for _, name := range nested {
		a.take(readObject(fields[name]))
	}
	for _, name := range sessionFields {
		if v := text(fields[name]); v != "" {
			a.session = name + ":" + v
			break
		}
	}
	if a.session == "" {
		if user := text(readObject(fields["metadata"])["user_id"]); strings.Contains(user, "session") { // as Claude Code names both
			a.session = "user_id:" + user
		}
	}
	a.prompt.read(fields)
	a.results = toolResults(fields)
	return a, true
}

// take keeps the sampling parameters of an object.
func (a *asked) take(fields object) {
	for name, common := range parameters {
		v := fields[name]
		if len(v) == 0 || len(v) > 40 || v[0] != '-' && v[0] != 't' && v[0] != 'f' && (v[0] < '0' || v[0] > '9') {
			continue
		}
		if common == "" {
			common = name
		}
		a.sampling[common] = bytes.Clone(v) // the body is not kept for it
	}
}

func text(raw []byte) string {
	if len(raw) == 0 || raw[0] != '"' {
		return ""
	}
	if inside := raw[1 : len(raw)-1]; bytes.IndexByte(inside, '\\') < 0 && utf8.Valid(inside) {
		return string(inside) // most are such
	}
	var s string
	_ = json.Unmarshal(raw, &s) // it was found to be valid
	return s
}

// promptFields hold what the model reads, by protocol; their order is that of a prompt, so
// that what requests share is at the beginning.
var promptFields = []string{"tools", "system", "instructions", "messages", "prompt", "input_ids", "input", "inputs", "text", "query", "documents", "text_1", "text_2"}

func (p *prompt) read(fields object) {
	var b strings.Builder
	size := 0
	for _, name := range promptFields {
		size += len(fields[name])
	}
	b.Grow(size)
	for _, name := range promptFields {
		raw := fields[name]
		if len(raw) == 0 || string(raw) == "null" {
			continue
		}
		if p.ids = tokenIDs(raw); p.ids != nil {
			return
		}
		if name == "messages" && b.Len() == 0 {
			p.messages = plainMessages(raw)
		}
		words(&b, raw, 0)
	}
	p.text = b.String()
}

// tokenIDs are those of a prompt that is a list of numbers, or of one such list.
func tokenIDs(raw []byte) []int32 {
	if raw[0] != '[' {
		return nil
	}
	lists, inner := 0, []byte(nil)
	_ = jsonscan.Items(raw, func(v []byte) bool {
		if v[0] == '[' {
			lists, inner = lists+1, v
			return lists == 1
		}
		lists = 2
		return false
	})
	if lists == 1 {
		raw = inner
	}
	n := 0
	number := func(v []byte) (int32, bool) {
		id, err := strconv.ParseInt(string(v), 10, 32)
		return int32(id), err == nil
	}
	numbers := true
	_ = jsonscan.Items(raw, func(v []byte) bool { n++; _, numbers = number(v); return numbers })
	if !numbers || n == 0 {
		return nil
	}
	ids := make([]int32, 0, n)
	_ = jsonscan.Items(raw, func(v []byte) bool { id, _ := number(v); ids = append(ids, id); return true })
	return ids
}

// mostMessages bounds the messages that are given to a chat template, which takes far more
// memory than they do.
const mostMessages = 1 << 14

// plainMessages are those that are a role and a text each; nil: some are more.
func plainMessages(raw []byte) []tokenizer.Message {
	var out []tokenizer.Message
	plain := true
	if jsonscan.Items(raw, func(v []byte) bool {
		m, ok := plainMessage(v)
		out, plain = append(out, m), ok && len(out) < mostMessages
		return plain
	}) != nil || !plain {
		return nil
	}
	return out
}

func plainMessage(raw []byte) (message tokenizer.Message, ok bool) {
	m := readPiece(raw)
	if m.fields != 2 || m.content == nil {
		return message, false
	}
	message = tokenizer.Message{Role: text(m.role), Content: text(m.content)}
	if m.content[0] != '[' {
		return message, m.content[0] == '"'
	}
	parts := 0
	_ = jsonscan.Items(m.content, func(v []byte) bool {
		part := readPiece(v)
		message.Content = text(part.text)
		ok = text(part.kind) == "text" && part.text != nil && part.text[0] == '"'
		parts++
		return parts == 1
	})
	return message, ok && parts == 1
}

// mostNesting bounds how deep a prompt is looked into.
const mostNesting = 16

// words writes the texts of a value one after the other: of a list its items, of a
// message or a part its role and its content, whether that is a text or a list of one. All else stands as it is,
// so that two prompts with different images are different.
func words(b *strings.Builder, raw []byte, depth int) {
	if len(raw) == 0 || depth > mostNesting {
		return
	}
	switch raw[0] {
	case '"':
		b.WriteString(text(raw))
	case '[':
		first := true
		_ = jsonscan.Items(raw, func(v []byte) bool { // it was found to be valid
			if !first {
				b.WriteByte('\n')
			}
			first = false
			words(b, v, depth+1)
			return true
		})
	case '{':
		m := readPiece(raw)
		if m.text == nil && m.content == nil {
			b.Write(raw)
			return
		}
		if m.role != nil {
			words(b, m.role, depth+1)
			b.WriteByte('\n')
		}
		words(b, m.content, depth+1)
		words(b, m.text, depth+1)
		b.Write(m.calls)
		if m.role != nil { // where a message ends is where another request may go on
			b.WriteByte('\n')
		}
	default:
		b.Write(raw)
	}
}

// idBytes are token ids as bytes.
func idBytes(ids []int32) []byte {
	b := make([]byte, 0, 8*len(ids))
	for _, id := range ids {
		b = strconv.AppendInt(b, int64(id), 10)
		b = append(b, ',')
	}
	return b
}
