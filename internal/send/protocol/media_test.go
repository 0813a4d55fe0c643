package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// recordedCall is a call of vLLM's own client, and what it sent: testdata/make_bodies.py.
type recordedCall struct {
	Backend, Path string
	ContentType   string `json:"content_type"`
	Body          string // each byte as a character
	Inputs        int    `json:"num_input_sequences"`
	Call          struct {
		Prompt    json.RawMessage
		Media     json.RawMessage `json:"multi_modal_content"`
		Extra     json.RawMessage `json:"extra_body"`
		IgnoreEOS bool            `json:"ignore_eos"`
		Logprobs  *int
		ID        string `json:"request_id"`
	}
}

func recordedCalls(t *testing.T) []recordedCall {
	t.Helper()
	raw, err := os.ReadFile("testdata/bodies.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Sent []recordedCall }
	if err := json.Unmarshal(raw, &file); err != nil || len(file.Sent) < 20 {
		t.Fatal(len(file.Sent), err)
	}
	return file.Sent
}

// call is the same call in our words.
func (r *recordedCall) call(t *testing.T) *Call {
	t.Helper()
	c := &Call{Model: "m", MaxTokens: 7, IgnoreEOS: r.Call.IgnoreEOS, Logprobs: r.Call.Logprobs, NoIndex: r.Call.ID == ""}
	if json.Unmarshal(r.Call.Prompt, &c.Prompt) != nil {
		if err := json.Unmarshal(r.Call.Prompt, &c.Inputs); err != nil {
			t.Fatal(err)
		}
	}
	if r.Call.ID != "" {
		if _, err := fmt.Sscanf(r.Call.ID, "p-%d", &c.Index); err != nil {
			t.Fatal(err)
		}
	}
	switch media := bytes.TrimSpace(r.Call.Media); {
	case len(media) == 0:
	case media[0] == '[':
		if err := json.Unmarshal(media, &c.Media); err != nil {
			t.Fatal(err)
		}
	default:
		c.Media = []json.RawMessage{media}
	}
	if len(r.Call.Extra) > 0 {
		var values map[string]json.RawMessage
		if err := json.Unmarshal(r.Call.Extra, &values); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"encoding_format", "model", "task", "top_n", "temperature", "language", "flag", "list"} {
			if v, ok := values[name]; ok {
				c.Extra = append(c.Extra, Field{Name: name, Value: v})
			}
		}
		if len(c.Extra) != len(values) {
			t.Fatalf("fields are missing: %v", values)
		}
	}
	return c
}

// Each body is that of vLLM's own client: all fields, their order and their values; of a
// form each byte, but for the boundary.
func TestMediaBodiesAreVLLMs(t *testing.T) {
	seen := map[string]bool{}
	for i, r := range recordedCalls(t) {
		t.Run(fmt.Sprintf("%d %s", i, r.Backend), func(t *testing.T) {
			b, err := FindBackend(r.Backend)
			if err != nil {
				t.Fatal(err)
			}
			seen[r.Backend] = true
			if !b.Takes(r.Path) {
				t.Errorf("%s is no path of %s", r.Path, r.Backend)
			}
			want := latin1(r.Body)
			c := r.call(t)
			if r.Backend == "openai-audio" {
				c.Sound = &File{Name: "audio.wav", Type: "audio/wav", Data: firstPart(t, want)}
			}
			got, err := b.AppendBody(nil, c)
			if err != nil {
				t.Fatal(err)
			}
			if r.Backend != "openai-audio" {
				if r.ContentType != ContentType(b.Protocol) {
					t.Errorf("Content-Type %q, vLLM's %q", ContentType(b.Protocol), r.ContentType)
				}
				if a, b := tokensIn(t, got), tokensIn(t, want); !slices.Equal(a, b) {
					t.Errorf("got  %s\nwant %s", got, want)
				}
				return
			}
			theirs := strings.TrimPrefix(r.ContentType, "multipart/form-data; boundary=")
			if want = bytes.ReplaceAll(want, []byte(theirs), []byte(boundary)); !bytes.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
	for _, b := range backends.All() {
		vLLMs := b.Pooling || slices.Contains([]string{"vllm", "openai", "openai-chat", "openai-responses", "openai-audio"}, b.Name)
		if vLLMs && !seen[b.Name] {
			t.Errorf("nothing was recorded of %s", b.Name)
		}
	}
}

func latin1(s string) []byte {
	var b []byte
	for _, r := range s {
		b = append(b, byte(r))
	}
	return b
}

// firstPart is the data of a form's first part.
func firstPart(t *testing.T, form []byte) []byte {
	t.Helper()
	mark, rest, _ := bytes.Cut(form, []byte("\r\n"))
	_, rest, _ = bytes.Cut(rest, []byte("\r\n\r\n"))
	data, _, ok := bytes.Cut(rest, append([]byte("\r\n"), mark...))
	if !ok {
		t.Fatalf("no form: %q", form)
	}
	return data
}

// tokensIn is JSON without its white space and the choice of escapes.
func tokensIn(t *testing.T, data []byte) (all []string) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%T %v", token, token))
	}
}

func TestMediaBodiesThatCannotBe(t *testing.T) {
	image := []json.RawMessage{json.RawMessage(`{"type":"image_url","image_url":{"url":"x"}}`)}
	for _, tt := range []struct {
		backend string
		call    Call
	}{
		{"openai", Call{Inputs: []string{"a"}}},
		{"openai", Call{Sound: &File{}}},
		{"openai-chat", Call{Inputs: []string{"a"}}},
		{"openai-embeddings", Call{Media: image}},
		{"vllm-pooling", Call{Messages: json.RawMessage("[]")}},
		{"vllm-rerank", Call{Prompt: "a"}},
		{"vllm-rerank", Call{Inputs: []string{"a"}}},
		{"infinity-embeddings-clip", Call{Media: append(image, image...)}},
		{"infinity-embeddings-clip", Call{Media: []json.RawMessage{json.RawMessage(`{"type":"input_audio"}`)}}},
		{"openai-audio", Call{Prompt: "a"}},
		{"openai-audio", Call{Sound: &File{Data: []byte("x" + boundary)}}},
	} {
		b, err := FindBackend(tt.backend)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := b.AppendBody(nil, &tt.call); err == nil {
			t.Errorf("%s: %s", tt.backend, got)
		}
	}
}

// readWhole reads an answer in pieces of n bytes.
func readWhole(t *testing.T, header http.Header, answer string, n int) *stream.Trace {
	t.Helper()
	s := NewStream(vllmPooling)
	s.Reset(0)
	s.Head(200, header, wire.Stamp{At: 1})
	at := int64(2)
	for len(answer) > 0 {
		n := min(n, len(answer))
		if s.Body([]byte(answer[:n]), wire.Stamp{At: at}) {
			t.Error("enough before the end")
		}
		answer, at = answer[n:], at+1
	}
	s.Finish()
	return &s.Trace
}

func TestWholeAnswers(t *testing.T) {
	tests := []struct {
		name, answer          string
		done                  bool
		items, prompt         int
		malformed, errorWords string
	}{
		{name: "embeddings", answer: `{"id":"e","data":[{"embedding":[0.5,-1e-3],"index":0},{"embedding":[1]}],"usage":{"prompt_tokens":12,"total_tokens":12}}`, done: true, items: 2, prompt: 12},
		{name: "scores", answer: `{"id":"r","usage":{"prompt_tokens":7},"results":[{"index":1,"document":{"text":"]},{\"[,"},"relevance_score":0.1}]}` + "\n", done: true, items: 1, prompt: 7},
		{name: "a bare list", answer: ` [{"score":1},{"score":2},{"score":3}]`, done: true, items: 3},
		{name: "an empty list", answer: `{"data":[],"usage":{"prompt_tokens":1}}`, done: true, prompt: 1},
		{name: "no list", answer: `{"ok":true}`, done: true},
		{name: "half of it", answer: `{"data":[{"embedding":[0.5,`},
		{name: "nothing", answer: ``},
		{name: "an error", answer: `{"error":{"message":"no such model"}}`, errorWords: "no such model"},
		{name: "a page", answer: `<html>`, malformed: "not JSON but: <"},
		{name: "crossed brackets", answer: `{"data":[}]`, malformed: "not JSON"},
		{name: "two values", answer: `{}{}`, malformed: "follows the answer's end"},
		{name: "too deep", answer: strings.Repeat("[", 100), malformed: "nested deeper"},
		{name: "a bad count", answer: `{"data":[1],"usage":{"prompt_tokens":"7"}}`, malformed: "prompt_tokens is the string"},
	}
	for _, tt := range tests {
		for _, n := range []int{1, 7, 1 << 20} {
			got := readWhole(t, http.Header{}, tt.answer, n)
			if got.Done != tt.done || got.Items != tt.items || got.Usage.Prompt != tt.prompt || string(got.ErrorBody) != tt.errorWords {
				t.Errorf("%s in pieces of %d: done %v, %d items, %d tokens, %q", tt.name, n, got.Done, got.Items, got.Usage.Prompt, got.ErrorBody)
			}
			if words := fmt.Sprint(got.Malformed); tt.malformed != "" && !strings.Contains(words, tt.malformed) || tt.malformed == "" && got.Malformed != nil {
				t.Errorf("%s in pieces of %d: %s, want %q", tt.name, n, words, tt.malformed)
			}
			if tt.done && (len(got.Events) != 1 || got.Events[0].At < 2) {
				t.Errorf("%s: events %v", tt.name, got.Events)
			}
		}
	}
}

// An answer in bytes says its usage in a header.
func TestWholeAnswerInBytes(t *testing.T) {
	got := readWhole(t, http.Header{"Content-Type": {"application/octet-stream"}, "Metadata": {`{"usage":{"prompt_tokens":5}}`}}, "\x00\x01[", 2)
	if !got.Done || got.Items != -1 || got.Usage.Prompt != 5 || len(got.Events) != 1 {
		t.Errorf("%+v", got)
	}
}

func FuzzWholeAnswer(f *testing.F) {
	for _, seed := range []string{`{"data":[{"embedding":[1]}],"usage":{"prompt_tokens":1}}`, `[1,2]`, `{"error":"x"}`, `{"a":"\u0041\"]"}`, `{`} {
		f.Add([]byte(seed), 3)
	}
	f.Fuzz(func(t *testing.T, answer []byte, n int) {
		got := readWhole(t, http.Header{}, string(answer), max(n, 1))
		if valid := json.Valid(answer); valid && !got.Done && got.Malformed == nil && !got.ErrorMark {
			var v any
			_ = json.Unmarshal(answer, &v)
			switch v.(type) {
			case map[string]any, []any:
				t.Errorf("an answer that is whole is not taken for it: %q", answer)
			}
		}
	})
}
