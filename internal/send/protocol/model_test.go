package protocol

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// The same call for two models, and for servers of two dialects, has the same parts; another prompt has not.
func TestAnonymous(t *testing.T) {
	of := func(p Protocol, c Call) string {
		t.Helper()
		body, err := p.AppendBody(nil, &c)
		if err != nil {
			t.Fatal(err)
		}
		return string(bytes.Join(Anonymous(p, &c, body), nil))
	}
	sound := &File{Name: "a.wav", Type: "audio/wav", Data: []byte("abc f16 abc")}
	for _, tt := range []struct {
		name string
		p    Protocol
		call Call
	}{
		{"completions", completions, Call{Prompt: `say "model": "f16" and f16`}},
		{"chat", chat, Call{Prompt: `"model": "f16"`}},
		{"ollama", ollamaGenerate, Call{Prompt: "f16"}},
		{"a form", audio{}, Call{Sound: sound}},
		{"a body of the user's", readCustom(t, customFileOf(`{"p": "{prompt}", "engine": "x-{model}", "n": "{max_tokens}"}`, ``)).Protocol, Call{Prompt: "f16"}},
	} {
		a, b := tt.call, tt.call
		a.Model, b.Model = "f16", `q4 "k"`
		a.MaxTokens, b.MaxTokens = 8, 8
		if of(tt.p, a) != of(tt.p, b) {
			t.Errorf("%s: two models: %q and %q", tt.name, of(tt.p, a), of(tt.p, b))
		}
		if b.MaxTokens = 9; of(tt.p, a) == of(tt.p, b) {
			t.Errorf("%s: another length is the same", tt.name)
		}
	}
	a := Call{Model: "m", Prompt: "x", MaxTokens: 8, OldLimit: true}
	b := Call{Model: "m", Prompt: "x", MaxTokens: 8}
	if of(chat, a) != of(chat, b) {
		t.Errorf("two dialects: %q and %q", of(chat, a), of(chat, b))
	}
	a.Extra = []Field{{Name: "max_tokens", Value: json.RawMessage("80")}} // the user's: it is the workload's
	if of(chat, a) == of(chat, b) {
		t.Error("a limit of the user's is left out")
	}
	for name, p := range map[string]Protocol{"chat": chat, "completions": completions} {
		b := Call{Model: "m", Prompt: `, "nvext": {"extra_fields": ["worker_id", "timing"]}`, MaxTokens: 8, Extra: []Field{{Name: "seed", Value: json.RawMessage("1")}}}
		a := b
		a.OldLimit, a.Nvext = name == "chat", true
		if of(p, a) != of(p, b) {
			t.Errorf("%s, asked who serves it: %q and %q", name, of(p, a), of(p, b))
		}
		a.Extra = append(a.Extra, Field{Name: "nvext", Value: json.RawMessage(`{"use_raw_prompt": true}`)})
		if got := of(p, a); got == of(p, b) || strings.Contains(got, `"extra_fields": [`) {
			t.Errorf("%s: a user's own nvext is not sent as it is: %q", name, got)
		}
	}
}
