package record

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/tokenizer"
)

// asked is what a request's body says.
type asked struct {
	model    string
	session  string // the field that names one; it is hashed before it is kept
	sampling map[string]json.RawMessage
	prompt   prompt
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

// readRequest reads a body; false: it is no JSON object.
func readRequest(data []byte) (*asked, bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil || fields == nil {
		return nil, false
	}
	a := &asked{model: text(fields["model"]), sampling: map[string]json.RawMessage{}}
	a.take(fields)
	for _, name := range nested {
		var inner map[string]json.RawMessage
		if json.Unmarshal(fields[name], &inner) == nil {
			a.take(inner)
		}
	}
	for _, name := range []string{"session_id", "conversation_id", "prompt_cache_key", "user", "safety_identifier"} {
		if v := text(fields[name]); v != "" {
			a.session = name + ":" + v
			break
		}
	}
	if a.session == "" {
		var metadata struct {
			User string `json:"user_id"`
		}
		if json.Unmarshal(fields["metadata"], &metadata) == nil && metadata.User != "" {
			a.session = "user_id:" + metadata.User
		}
	}
	a.prompt.read(fields)
	return a, true
}

// take keeps the sampling parameters of an object.
func (a *asked) take(fields map[string]json.RawMessage) {
	for name, common := range parameters {
		v := bytes.TrimSpace(fields[name])
		if len(v) == 0 || len(v) > 40 || v[0] != '-' && v[0] != 't' && v[0] != 'f' && (v[0] < '0' || v[0] > '9') {
			continue
		}
		if common == "" {
			common = name
		}
		a.sampling[common] = v
	}
}

func text(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s) // no string: none
	return s
}

// promptFields hold what the model reads, by protocol; their order is that of a prompt, so
// that what requests share is at the beginning.
var promptFields = []string{"tools", "system", "instructions", "messages", "prompt", "input_ids", "input", "inputs", "text", "query", "documents", "text_1", "text_2"}

func (p *prompt) read(fields map[string]json.RawMessage) {
	var b strings.Builder
	for _, name := range promptFields {
		raw := bytes.TrimSpace(fields[name])
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
func tokenIDs(raw json.RawMessage) []int32 {
	if raw[0] != '[' || len(raw) < 3 || !strings.ContainsRune("[-0123456789 \n\t\r", rune(raw[1])) {
		return nil
	}
	var ids []int32
	if json.Unmarshal(raw, &ids) == nil && len(ids) > 0 {
		return ids
	}
	var lists [][]int32
	if json.Unmarshal(raw, &lists) == nil && len(lists) == 1 {
		return lists[0]
	}
	return nil
}

// plainMessages are those that are a role and a text each; nil: some are more.
func plainMessages(raw json.RawMessage) []tokenizer.Message {
	var list []map[string]json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	var out []tokenizer.Message
	for _, m := range list {
		content := bytes.TrimSpace(m["content"])
		if len(m) != 2 || len(content) == 0 {
			return nil
		}
		message := tokenizer.Message{Role: text(m["role"]), Content: text(content)}
		if content[0] == '[' {
			var parts []struct {
				Type string  `json:"type"`
				Text *string `json:"text"`
			}
			if json.Unmarshal(content, &parts) != nil || len(parts) != 1 || parts[0].Type != "text" || parts[0].Text == nil {
				return nil
			}
			message.Content = *parts[0].Text
		} else if content[0] != '"' {
			return nil
		}
		out = append(out, message)
	}
	return out
}

// mostNesting bounds how deep a prompt is looked into.
const mostNesting = 16

// words writes the texts of a value one after the other: of a list its items, of a
// message or a part its role and its content. All else stands as it is, so that two
// prompts with different images are different.
func words(b *strings.Builder, raw json.RawMessage, depth int) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || depth > mostNesting {
		return
	}
	switch raw[0] {
	case '"':
		b.WriteString(text(raw))
	case '[':
		var list []json.RawMessage
		_ = json.Unmarshal(raw, &list) // it was parsed before
		for _, v := range list {
			words(b, v, depth+1)
			b.WriteByte('\n')
		}
	case '{':
		var m map[string]json.RawMessage
		_ = json.Unmarshal(raw, &m)
		known := m["text"] != nil || m["content"] != nil
		if !known {
			b.Write(raw)
			return
		}
		for _, name := range []string{"role", "content", "text"} {
			if m[name] != nil {
				words(b, m[name], depth+1)
				b.WriteByte('\n')
			}
		}
		if m["tool_calls"] != nil {
			b.Write(m["tool_calls"])
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
