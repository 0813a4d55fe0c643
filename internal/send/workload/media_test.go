package workload

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/send/workload/lengths"
)

// mediaFile is what vLLM's own dataset classes gave: testdata/make_media.py.
type mediaFile struct {
	Cases      []mediaCase
	ImageLines []json.RawMessage `json:"image_lines"`
	Images     []imageCase
}

type mediaCase struct {
	Dataset, Tokenizer string
	Seed               uint64
	NumPrompts         int `json:"num_prompts"`
	Options            struct {
		InputLen   int             `json:"input_len"`
		OutputLen  int             `json:"output_len"`
		PrefixLen  int             `json:"prefix_len"`
		RangeRatio float64         `json:"range_ratio"`
		BatchSize  int             `json:"batchsize"`
		Reranker   *bool           `json:"is_reranker"`
		Items      *int            `json:"base_items_per_request"`
		ItemsRatio float64         `json:"num_mm_items_range_ratio"`
		Limits     json.RawMessage `json:"limit_mm_per_prompt"`
		Buckets    json.RawMessage `json:"bucket_config"`
		Chat       bool            `json:"enable_multimodal_chat"`
	}
	Rows []mediaRow
}

type mediaRow struct {
	ID        string
	PromptLen int `json:"prompt_len"`
	OutputLen int `json:"output_len"`
	Prompt    string
	Inputs    []string
	Messages  [][]string
	FirstPart []string `json:"first_part"`
	Items     []struct {
		Type, Head, SHA256, Pixels string
		Bytes                      int
	}
}

func readMedia(t *testing.T) *mediaFile {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "media.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file mediaFile
	if err := json.Unmarshal(raw, &file); err != nil || len(file.Cases) < 10 || len(file.Images) < 3 {
		t.Fatal(len(file.Cases), len(file.Images), err)
	}
	return &file
}

func (c *mediaCase) options(t *testing.T) Options {
	t.Helper()
	o := Defaults(c.Dataset)
	o.NumPrompts, o.Seed, o.Tokenizer, o.MultimodalChat = c.NumPrompts, c.Seed, testTokenizer(t, c.Tokenizer), c.Options.Chat
	ratio := lengths.RangeRatio{Input: c.Options.RangeRatio, Output: c.Options.RangeRatio}
	switch own := o.Own.(type) {
	case *RandomOptions:
		own.InputLen, own.OutputLen, own.PrefixLen, own.RangeRatio, own.BatchSize = c.Options.InputLen, c.Options.OutputLen, c.Options.PrefixLen, ratio, c.Options.BatchSize
	case *RerankOptions:
		own.InputLen, own.RangeRatio, own.BatchSize, own.NoReranker = c.Options.InputLen, ratio, c.Options.BatchSize, c.Options.Reranker != nil
	case *RandomMMOptions:
		own.InputLen, own.OutputLen, own.PrefixLen, own.RangeRatio = c.Options.InputLen, c.Options.OutputLen, c.Options.PrefixLen, ratio
		own.ItemsRatio = c.Options.ItemsRatio
		if c.Options.Items != nil {
			own.Items = *c.Options.Items
		}
		if c.Options.Limits != nil {
			if err := own.Limits.UnmarshalText(c.Options.Limits); err != nil {
				t.Fatal(err)
			}
		}
		if c.Options.Buckets != nil {
			if err := own.Buckets.UnmarshalText(c.Options.Buckets); err != nil {
				t.Fatal(err)
			}
		}
	}
	return o
}

func hashStart(s string) string { return hashHex(s)[:16] }

// Same seed, same requests as vLLM's classes: texts, lengths, numbers and kinds of
// items, and of images each byte.
func TestMediaRequestsAreVLLMs(t *testing.T) {
	for i, c := range readMedia(t).Cases {
		t.Run(fmt.Sprintf("%d %s %s", i, c.Dataset, c.Tokenizer), func(t *testing.T) {
			d, err := Open(c.options(t))
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if d.Len() != len(c.Rows) {
				t.Fatalf("Len %d, vLLM has %d", d.Len(), len(c.Rows))
			}
			for i, want := range c.Rows {
				r, err := d.Next()
				if err != nil {
					t.Fatal(err)
				}
				compareMedia(t, i, r, want)
			}
			if _, err := d.Next(); !errors.Is(err, io.EOF) {
				t.Errorf("more than vLLM has: %v", err)
			}
		})
	}
}

func compareMedia(t *testing.T, i int, r *Request, want mediaRow) {
	t.Helper()
	if id := fmt.Sprintf("p-%d", r.Index); id != want.ID || r.PromptTokens != want.PromptLen || r.OutputTokens != want.OutputLen {
		t.Errorf("request %d: %s with %d and %d tokens, want %s with %d and %d", i, id, r.PromptTokens, r.OutputTokens, want.ID, want.PromptLen, want.OutputLen)
	}
	if want.Inputs != nil {
		var got []string
		for _, in := range r.Inputs {
			got = append(got, hashStart(in))
		}
		if !slices.Equal(got, want.Inputs) {
			t.Errorf("request %d: inputs %v, want %v", i, got, want.Inputs)
		}
	} else if hashStart(r.Prompt) != want.Prompt {
		t.Errorf("request %d: another prompt: %.60q", i, r.Prompt)
	}
	if len(r.Media) != len(want.Items) {
		t.Fatalf("request %d: %d items, want %d", i, len(r.Media), len(want.Items))
	}
	for k, item := range want.Items {
		got := map[string]json.RawMessage{}
		var inner struct{ URL string }
		if err := errors.Join(json.Unmarshal(r.Media[k], &got), json.Unmarshal(got[item.Type], &inner)); err != nil {
			t.Fatal(err)
		}
		head, data, _ := strings.Cut(inner.URL, ",")
		raw, err := base64.StdEncoding.DecodeString(data)
		if err != nil || head != item.Head {
			t.Errorf("request %d, item %d: %q, want %q: %v", i, k, head, item.Head, err)
		}
		if item.Type == "image_url" && (len(raw) != item.Bytes || hashStart(string(raw)) != item.SHA256) {
			t.Errorf("request %d, item %d: %d bytes that are not vLLM's %d", i, k, len(raw), item.Bytes)
		}
	}
	if want.FirstPart != nil {
		var messages []struct {
			Role    string
			Content []json.RawMessage
		}
		if err := json.Unmarshal(r.Messages, &messages); err != nil || len(messages) != 1 || len(messages[0].Content) != 1+len(want.Items) {
			t.Fatalf("request %d: %.80s: %v", i, r.Messages, err)
		}
		if !bytes.HasPrefix(messages[0].Content[0], []byte(`{"`+want.FirstPart[0]+`":`)) {
			t.Errorf("request %d: the first part is %.40s", i, messages[0].Content[0])
		}
	}
}

type imageCase struct {
	Seed       uint64
	NumPrompts int `json:"num_prompts"`
	Chat       bool
	Shuffle    bool
	Rows       []struct {
		ID        string
		PromptLen int `json:"prompt_len"`
		OutputLen int `json:"output_len"`
		Prompt    json.RawMessage
		Media     json.RawMessage
	}
}

// The parts of a file of images are vLLM's, in its order.
func TestImageFilesAreVLLMs(t *testing.T) {
	file := readMedia(t)
	path := filepath.Join(t.TempDir(), "images.jsonl")
	if err := os.WriteFile(path, bytes.Join(rawLines(file.ImageLines), []byte("\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Images {
		o := Defaults("custom_image")
		o.Path, o.Seed, o.NumPrompts, o.MultimodalChat, o.DisableShuffle, o.Tokenizer = path, c.Seed, c.NumPrompts, c.Chat, !c.Shuffle, testTokenizer(t, "gpt2")
		o.Own.(*CustomImageOptions).OutputLen = 9
		d, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if d.Len() != len(c.Rows) {
			t.Fatalf("Len %d, want %d", d.Len(), len(c.Rows))
		}
		for i, want := range c.Rows {
			r, err := d.Next()
			if err != nil {
				t.Fatal(err)
			}
			if id := fmt.Sprintf("p-%d", r.Index); id != want.ID || r.PromptTokens != want.PromptLen || r.OutputTokens != want.OutputLen {
				t.Errorf("request %d: %s, %d, %d, want %+v", i, id, r.PromptTokens, r.OutputTokens, want)
			}
			if got, theirs := sentMessages(t, r.Prompt, r.Messages, r.Media), theirMessages(t, want.Prompt, want.Media); got != theirs {
				t.Errorf("request %d:\ngot  %s\nwant %s", i, got, theirs)
			}
		}
	}
}

func rawLines(lines []json.RawMessage) (all [][]byte) {
	for _, l := range lines {
		var b bytes.Buffer
		_ = json.Compact(&b, l)
		all = append(all, b.Bytes())
	}
	return append(all, nil)
}

// sentMessages are the messages that a chat backend makes of a request, as compact JSON.
func sentMessages(t *testing.T, prompt string, messages json.RawMessage, parts []json.RawMessage) string {
	t.Helper()
	if messages == nil {
		text, _ := json.Marshal(prompt)
		all := append([]json.RawMessage{json.RawMessage(`{"type":"text","text":` + string(text) + `}`)}, parts...)
		joined, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		messages = json.RawMessage(`[{"role":"user","content":` + string(joined) + `}]`)
	}
	var b bytes.Buffer
	if err := json.Compact(&b, messages); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(b.String(), `\u00e9`, "é") // Python escapes what is not ASCII
}

// theirMessages are those that vLLM's client makes of its own request.
func theirMessages(t *testing.T, prompt, media json.RawMessage) string {
	t.Helper()
	var text string
	if json.Unmarshal(prompt, &text) == nil {
		var parts []json.RawMessage
		if json.Unmarshal(media, &parts) != nil {
			parts = []json.RawMessage{media}
		}
		return sentMessages(t, text, nil, parts)
	}
	var roles []struct{ Role string }
	if err := json.Unmarshal(prompt, &roles); err != nil {
		t.Fatal(err)
	}
	if roles[0].Role == "" {
		prompt = json.RawMessage(`[{"role":"user","content":` + string(prompt) + `}]`)
	}
	return sentMessages(t, "", prompt, nil)
}
