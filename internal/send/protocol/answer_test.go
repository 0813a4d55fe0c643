package protocol

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// keptAnswer reads events of a chat and keeps the answer.
func keptAnswer(t *testing.T, events ...string) *stream.Trace {
	t.Helper()
	p, err := FindBackend("openai-chat")
	if err != nil {
		t.Fatal(err)
	}
	s := NewStream(p)
	s.KeepAnswer = true
	s.Reset(100)
	s.Head(200, noHeader{}, wire.Stamp{})
	for _, e := range events {
		s.Body([]byte("data: "+e+"\n\n"), wire.Stamp{})
	}
	s.Finish()
	return &s.Trace
}

type noHeader struct{}

func (noHeader) Get(string) string { return "" }

func delta(body string) string { return `{"choices":[{"index":0,"delta":` + body + `}]}` }

// TestAnswersAreKeptWhole: text, reasoning, and calls of which the arguments come in
// pieces, as vLLM and llama.cpp send them.
func TestAnswersAreKeptWhole(t *testing.T) {
	got := keptAnswer(t,
		delta(`{"role":"assistant","content":null}`),
		delta(`{"reasoning_content":"let me "}`),
		delta(`{"reasoning":"see"}`),
		delta(`{"content":"I \"look\""}`),
		delta(`{"tool_calls":[{"index":0,"id":"call-1","type":"function","function":{"name":"weather","arguments":""}}]}`),
		delta(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":"}}]}`),
		delta(`{"tool_calls":[{"index":1,"id":"call-2","function":{"name":"time","arguments":"{}"}},{"index":0,"function":{"arguments":"\"Bonn\"}"}}]}`),
		`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
		"[DONE]")
	if got.Malformed != nil {
		t.Fatal(got.Malformed)
	}
	want := []stream.ToolCall{{ID: "call-1", Name: "weather", Arguments: []byte(`{"city":"Bonn"}`)}, {ID: "call-2", Name: "time", Arguments: []byte("{}")}}
	if diff := cmp.Diff(want, got.Tools); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if string(got.Text) != `I "look"` || string(got.Reasoning) != "let me see" {
		t.Errorf("text %q, reasoning %q", got.Text, got.Reasoning)
	}
}

// TestHostileToolCalls: what they can make us keep is bounded.
func TestHostileToolCalls(t *testing.T) {
	part := func(index int, arguments string) string {
		return delta(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"x","function":{"name":"f","arguments":%q}}]}`, index, arguments))
	}
	long := strings.Repeat("a", 4<<20)
	for name, events := range map[string][]string{
		"an index":          {part(1<<30, "")},
		"a negative index":  {part(-1, "")},
		"no object":         {delta(`{"tool_calls":["x"]}`)},
		"long arguments":    {part(0, long), part(0, long), part(0, long), part(0, long), part(0, long)},
		"many long calls":   {part(0, long), part(1, long), part(2, long), part(3, long), part(4, long)},
		"long reasoning":    {delta(`{"reasoning":"` + long + `"}`), delta(`{"reasoning":"` + long + long + `"}`), delta(`{"reasoning":"` + long + long + `"}`)},
		"arguments no text": {delta(`{"tool_calls":[{"index":0,"function":{"arguments":{"a":1}}}]}`)},
	} {
		if got := keptAnswer(t, events...); got.Malformed == nil {
			t.Errorf("%s: it was taken, with %d calls", name, len(got.Tools))
		}
	}
}
