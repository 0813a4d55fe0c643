package protocol

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

const oneChatEvent = `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"org/model","choices":[{"index":0,"delta":{"content":" w\u00f6rd\n"},"logprobs":null,"finish_reason":null}],"usage":{"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}}`

// slow decodes an event the plain way, with encoding/json.
func slow(data []byte) (c stream.Chunk, ok bool) {
	var e struct {
		ID      *string
		Choices []struct {
			Text         *string
			FinishReason *string           `json:"finish_reason"`
			TokenIDs     []json.RawMessage `json:"token_ids"`
		}
		Usage *struct {
			Prompt  int `json:"prompt_tokens"`
			Output  int `json:"completion_tokens"`
			Details *struct {
				Cached int `json:"cached_tokens"`
			} `json:"prompt_tokens_details"`
		}
	}
	if json.Unmarshal(data, &e) != nil {
		return stream.Chunk{}, false
	}
	c.Tokens = -1
	text := func(p *string) []byte {
		if p == nil {
			return nil
		}
		return []byte(*p)
	}
	c.ID = text(e.ID)
	if len(e.Choices) > 0 {
		c.Kind |= stream.EventChoices
		if c.Text = text(e.Choices[0].Text); len(c.Text) > 0 {
			c.Kind |= stream.EventText
		}
		if c.Finish = text(e.Choices[0].FinishReason); len(c.Finish) > 0 {
			c.Kind |= stream.EventFinish
		}
		if ids := e.Choices[0].TokenIDs; ids != nil {
			c.Tokens, c.TokensBy = len(ids), stream.TokensByIDs
		}
	}
	if u := e.Usage; u != nil {
		c.Kind |= stream.EventUsage
		c.Usage = stream.Usage{Prompt: u.Prompt, Output: u.Output}
		if u.Details != nil {
			c.Usage.Cached = u.Details.Cached
		}
	}
	return c, true
}

// FuzzDecode builds an event from parts, so that the fuzzer tries texts, escapes
// and layouts rather than brackets, and compares with encoding/json.
func FuzzDecode(f *testing.F) {
	f.Add("plain", `"a\u00e9\ud83d\ude00\"\\\/"`, 3, " \n", `{"deep":[1,-2.5e3,{"x":[]}],"s":"}]"}`)
	f.Add("", `null`, 0, "", `[]`)
	f.Fuzz(func(t *testing.T, id, text string, tokens int, space, extra string) {
		for _, part := range []string{text, extra} {
			if !json.Valid([]byte(part)) {
				return
			}
		}
		for _, c := range space {
			if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
				return
			}
		}
		quoted, err := json.Marshal(id)
		if err != nil {
			return
		}
		event := `{"x":` + extra + `,` + space + `"id":` + string(quoted) + space + `,"choices"` + space + `:[{"index":0,"text":` + text +
			`,"token_ids":[` + space + `],"y":` + extra + `},` + extra + `],"usage":{"prompt_tokens":` + jsonInt(tokens) + `}` + space + `}`
		want, ok := slow([]byte(event))
		if !ok {
			return // a text that is no string, and the like
		}
		var got stream.Chunk
		err = completions.Events().Decode([]byte(event), &got)
		if tokens < 0 || tokens > stream.MaxTokenCount { // no count, and said to be none
			if !errors.Is(err, errBadCount) {
				t.Errorf("%s: %v", event, err)
			}
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", event, err)
		}
		got.ID, got.Text = validUTF8(got.ID), validUTF8(got.Text)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-encoding/json +ours):\n%s", event, diff)
		}
	})
}

func jsonInt(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

// validUTF8 does to bytes what encoding/json does to a string.
func validUTF8(b []byte) []byte {
	if b == nil {
		return nil
	}
	return []byte(string([]rune(string(b))))
}

func TestNotJSON(t *testing.T) {
	for _, event := range []string{
		``, `x`, `[1]`, `"a"`, `{`, `{"a"}`, `{"a":}`, `{"a":1`, `{"a":1}}`, `{"a":1 "b":2}`, `{"a":tru}`, `{"choices":[{]}`, `{"choices":[{"text":"a]}`, `{"id":"a\"}`,
	} {
		var c stream.Chunk
		if err := chat.Events().Decode([]byte(event), &c); err == nil {
			t.Errorf("%s was taken for JSON: %+v", event, c)
		}
	}
}

// BenchmarkDecodeChat is our scanner beside encoding/json, which is given only the fields that we read.
func BenchmarkDecodeChat(b *testing.B) {
	data := []byte(oneChatEvent)
	b.Run("scanner", func(b *testing.B) {
		events := chat.Events()
		var c stream.Chunk
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if err := events.Decode(data, &c); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			var c struct {
				ID      string
				Choices []struct {
					Delta        struct{ Role, Content, Reasoning string }
					FinishReason *string `json:"finish_reason"`
				}
				Usage *struct {
					PromptTokens     int `json:"prompt_tokens"`
					CompletionTokens int `json:"completion_tokens"`
				}
			}
			if err := json.Unmarshal(data, &c); err != nil {
				b.Fatal(err)
			}
		}
	})
}
