package protocol

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// told is what an answer says.
type told struct {
	Text, Reasoning, Tools, Finish string
	Prompt, Output, Cached         int
	Parts                          int // events with text, reasoning or a tool call
}

var captured = []struct {
	file, backend string
	want          told
}{
	{"litellm-chat.sse", "openai-chat", told{Text: "You're a curious and compassionate", Finish: "length", Prompt: 33, Output: 6, Cached: 32, Parts: 6}},
	{"litellm-messages.sse", "anthropic", told{Text: "Greeting to you,", Finish: "length", Prompt: 33, Output: 6, Parts: 6}},
	{"litellm-responses.sse", "openai-responses", told{Text: "I'm sorry for any confusion", Finish: "length", Prompt: 33, Output: 6, Cached: 32, Parts: 6}},
	{"llamacpp-messages.sse", "anthropic", told{Text: "Hey, welcome to our little", Finish: "length", Prompt: 33, Output: 6, Parts: 6}},
	{"llamacpp-messages.json", "anthropic", told{Text: "I'm glad to assist you. What", Finish: "length", Prompt: 35, Output: 8, Cached: 21, Parts: 1}},
	{"llamacpp-messages-thinking.sse", "anthropic", told{Reasoning: "\n\nJust a day of", Text: "\n\nThis is", Finish: "length", Prompt: 16, Output: 12, Parts: 8}},
	{"llamacpp-responses.sse", "openai-responses", told{Text: "Hello! Welcome to the F", Finish: "stop", Prompt: 33, Output: 6, Cached: 32, Parts: 6}},
	{"llamacpp-responses.json", "openai-responses", told{Text: "Hello there. I'm glad you're", Finish: "stop", Prompt: 35, Output: 8, Cached: 34, Parts: 1}},
	{"llamacpp-responses-thinking.sse", "openai-responses", told{Reasoning: "\n\nThis is a place", Finish: "stop", Prompt: 16, Output: 9, Cached: 15, Parts: 4}},
	{"ollama-messages.sse", "anthropic", told{Text: "Hello! I'm", Finish: "length", Prompt: 12, Output: 4, Parts: 4}},
	{"ollama-responses.sse", "openai-responses", told{Text: "Myspace,", Finish: "stop", Prompt: 12, Output: 4, Parts: 4}},
	{"vllm-messages.sse", "anthropic", told{Text: "ели forestry.\",(window Foster", Finish: "length", Prompt: 32, Output: 5, Parts: 5}},
	{"vllm-messages.json", "anthropic", told{Text: "                \n\nazole\\Fileetable事务", Finish: "length", Prompt: 32, Output: 5, Parts: 1}},
	{"vllm-messages-empty.sse", "anthropic", told{Finish: "length", Prompt: 163, Output: 8}},
	{"vllm-responses.sse", "openai-responses", told{Text: "副市长 gerektiğini曰imirrepository", Finish: "length", Prompt: 32, Output: 5, Parts: 2}},
	{"vllm-responses.json", "openai-responses", told{Text: "memberof שו✺ กุมภาพันธヲ", Finish: "length", Prompt: 32, Output: 5, Parts: 1}},
	{"vllm-responses-empty.sse", "openai-responses", told{Finish: "length", Prompt: 159, Output: 8}},
}

// Real servers' answers say what they said, however they are cut into pieces.
func TestCaptured(t *testing.T) {
	tested := []string{"README.md"}
	for _, tt := range captured {
		tested = append(tested, tt.file)
		t.Run(tt.file, func(t *testing.T) {
			for _, n := range []int{1, 100, 1 << 20} {
				got := readCaptured(t, tt.file, tt.backend, n)
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("in pieces of %d (-want +got):\n%s", n, diff)
				}
			}
		})
	}
	files, err := os.ReadDir("testdata/captured")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(tested, f.Name()) {
			t.Errorf("%s is not tested", f.Name())
		}
	}
}

func readCaptured(t *testing.T, file, backend string, n int) (got told) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "captured", file))
	if err != nil {
		t.Fatal(err)
	}
	b, err := FindBackend(backend)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(file) == ".json" {
		if b, err = b.Unstreamed(); err != nil {
			t.Fatal(err)
		}
	}
	s := NewStream(b)
	s.KeepAnswer = true
	s.Reset(100)
	s.Head(200, noHeader{}, wire.Stamp{})
	for piece := range slices.Chunk(data, n) {
		s.Body(piece, wire.Stamp{At: 1})
	}
	s.Finish()
	trace := &s.Trace
	if !trace.Done || trace.Malformed != nil || trace.ErrorMark {
		t.Errorf("done %v, malformed %v, error %q", trace.Done, trace.Malformed, trace.ErrorBody)
	}
	got = told{
		Text: string(trace.Text), Reasoning: string(trace.Reasoning), Finish: trace.FinishReason,
		Prompt: trace.Usage.Prompt, Output: trace.Usage.Output, Cached: trace.Usage.Cached,
	}
	for _, tool := range trace.Tools {
		got.Tools += fmt.Sprintf("%s(%s)", tool.Name, tool.Arguments)
	}
	for _, e := range trace.Events {
		if e.Kind&(stream.EventText|stream.EventReasoning|stream.EventTool) != 0 {
			if got.Parts++; e.Kind&stream.EventChoices == 0 {
				t.Errorf("an event of kind %b has no choices", e.Kind)
			}
		}
	}
	return got
}
