package protocol

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferometer/inferometer/internal/testfiles"
)

func TestAppendBody(t *testing.T) {
	five := 5
	tests := []struct {
		name, backend string
		call          Call
		want          string
	}{
		{
			"completions", "vllm",
			Call{Model: "m", Prompt: `a "b" <c> é`, MaxTokens: 7, IgnoreEOS: true},
			`{"model": "m", "prompt": "a \"b\" <c> é", "repetition_penalty": 1.0, "max_tokens": 7, "logprobs": null, "stream": true, "stream_options": {"include_usage": true}, "ignore_eos": true}`,
		},
		{
			"an extra field replaces one of ours in its place", "openai",
			Call{Model: "m", Logprobs: &five, Extra: []Field{{Name: "max_tokens", Value: json.RawMessage("9")}, {Name: "top_p", Value: json.RawMessage("0.9")}}},
			`{"model": "m", "prompt": "", "repetition_penalty": 1.0, "max_tokens": 9, "logprobs": 5, "stream": true, "stream_options": {"include_usage": true}, "top_p": 0.9}`,
		},
		{
			"token ids", "vllm",
			Call{Model: "m", Prompt: `[1,20,300]`, TokenIDs: true, MaxTokens: 7},
			`{"model": "m", "prompt": [1,20,300], "repetition_penalty": 1.0, "max_tokens": 7, "logprobs": null, "stream": true, "stream_options": {"include_usage": true}}`,
		},
		{
			"chat", "openai-chat",
			Call{Model: "m", Prompt: "hi", MaxTokens: 3},
			`{"model": "m", "messages": [{"role":"user","content":[{"type":"text","text":"hi"}]}], "max_completion_tokens": 3, "stream": true, "stream_options": {"include_usage": true}}`,
		},
		{
			"a conversation", "openai-chat",
			Call{Model: "m", Messages: json.RawMessage(`[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]`), MaxTokens: 3},
			`{"model": "m", "messages": [{"role":"user","content":"a"},{"role":"assistant","content":"b"}], "max_completion_tokens": 3, "stream": true, "stream_options": {"include_usage": true}}`,
		},
		{
			"an image", "openai-chat",
			Call{Model: "m", Prompt: "hi", Media: []json.RawMessage{json.RawMessage(`{"type": "image_url"}`)}, MaxTokens: 3},
			`{"model": "m", "messages": [{"role":"user","content":[{"type":"text","text":"hi"},{"type": "image_url"}]}], "max_completion_tokens": 3, "stream": true, "stream_options": {"include_usage": true}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := FindBackend(tt.backend)
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.AppendBody([]byte("before"), &tt.call)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff("before"+tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnknownBackend(t *testing.T) {
	if _, err := FindBackend("tgy"); err == nil {
		t.Error("no error")
	}
}

type message struct {
	Content []json.RawMessage `json:"content"`
}

// What vLLM's own client sent, field for field and in the same order.
func TestBodiesAreVLLMs(t *testing.T) {
	var golden struct {
		Cases []struct {
			Name string
			Body json.RawMessage `json:"first_body"`
		}
	}
	testfiles.JSON(t, &golden, "compat", "golden-prompts.json")
	for _, c := range golden.Cases {
		t.Run(c.Name, func(t *testing.T) {
			var in struct {
				Prompt     *string
				Messages   []message
				MaxTokens  int             `json:"max_tokens"`
				MaxTokens2 int             `json:"max_completion_tokens"`
				IgnoreEOS  bool            `json:"ignore_eos"`
				TopP       json.RawMessage `json:"top_p"`
				Temp       json.RawMessage `json:"temperature"`
				MinTokens  json.RawMessage `json:"min_tokens"`
			}
			if err := json.Unmarshal(c.Body, &in); err != nil {
				t.Fatal(err)
			}
			call := Call{Model: "m", MaxTokens: in.MaxTokens + in.MaxTokens2, IgnoreEOS: in.IgnoreEOS}
			var p Protocol = completions
			if in.Prompt != nil {
				call.Prompt = *in.Prompt
			} else {
				var text part
				if err := json.Unmarshal(in.Messages[0].Content[0], &text); err != nil {
					t.Fatal(err)
				}
				p, call.Prompt = chat, text.Text
			}
			for _, f := range []Field{{Name: "top_p", Value: in.TopP}, {Name: "temperature", Value: in.Temp}, {Name: "min_tokens", Value: in.MinTokens}} {
				if f.Value != nil {
					call.Extra = append(call.Extra, f)
				}
			}
			got, err := p.AppendBody(nil, &call)
			if err != nil {
				t.Fatal(err)
			}
			var want, have any
			if err := json.Unmarshal(c.Body, &want); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(got, &have); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, have); diff != "" {
				t.Errorf("(-vllm +ours):\n%s", diff)
			}
		})
	}
}

func TestChatTakesNoTokenIDs(t *testing.T) {
	if _, err := chat.AppendBody(nil, &Call{Prompt: "[1]", TokenIDs: true}); err == nil {
		t.Error("chat was given token ids and did not object")
	}
}
