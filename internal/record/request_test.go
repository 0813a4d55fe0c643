package record

import (
	"encoding/json"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/tokenizer"
)

// TestSmallValuesTakeLittleMemory: a body of millions of values costs a few times its own length.
func TestSmallValuesTakeLittleMemory(t *testing.T) {
	const size = 1 << 20
	many := func(before, item, after string) string {
		return before + item + strings.Repeat(","+item, size/(len(item)+1)) + after
	}
	for name, body := range map[string]string{
		"lists in messages":   many(`{"messages":[`, `[]`, `]}`),
		"lists in a prompt":   many(`{"prompt":[`, `[]`, `]}`),
		"lists of one number": many(`{"prompt":[`, `[1]`, `]}`),
		"numbers":             many(`{"prompt":[`, `1`, `]}`),
		"empty messages":      many(`{"messages":[`, `{}`, `]}`),
		"short messages":      many(`{"messages":[`, `{"role":"u","content":"x"}`, `]}`),
		"short parts":         many(`{"messages":[{"role":"u","content":[`, `{"type":"text","text":"x"}`, `]}]}`),
		"fields":              many(`{`, `"":0`, `}`),
		"sampling parameters": many(`{"options":{`, `"n":0`, `}}`),
		"deep nesting":        `{"prompt":` + strings.Repeat("[", 15) + `"` + strings.Repeat("x", size) + `"` + strings.Repeat("]", 15) + `}`,
		"deep objects":        `{"messages":` + strings.Repeat(`{"content":`, 15) + `"` + strings.Repeat("x", size) + `"` + strings.Repeat("}", 15) + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			data := []byte(body)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			a, ok := readRequest(data)
			runtime.ReadMemStats(&after)
			if !ok {
				t.Fatal("it is not read")
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 6*uint64(len(data)) {
				t.Errorf("%d kB of body took %d kB (the prompt: %d bytes, %d ids)", len(data)>>10, took>>10, len(a.prompt.text), len(a.prompt.ids))
			}
		})
	}
}

func TestReadRequest(t *testing.T) {
	message := func(role, content string) tokenizer.Message {
		return tokenizer.Message{Role: role, Content: content}
	}
	for _, c := range []struct {
		body     string
		text     string
		ids      []int32
		messages []tokenizer.Message
	}{
		{body: `{"prompt": [1, -2 ,3]}`, ids: []int32{1, -2, 3}},
		{body: `{"prompt":[ [1,2] ]}`, ids: []int32{1, 2}},
		{body: `{"prompt":[[1],[2]]}`, text: "1\n2"},
		{body: `{"prompt":[1,2.5]}`, text: "1\n2.5"},
		{body: `{"prompt":[1,[2]]}`, text: "1\n2"},
		{body: `{"prompt":[4294967296]}`, text: "4294967296"},
		{body: `{"pr\u006fmpt":"x","prompt":null}`},
		{body: `{"prompt":"a","prompt":"b"}`, text: "b"},
		{body: `{"prompt":"\u00e4\ud83d\ude00\n"}`, text: "ä😀\n"},
		{body: `{"system":"s","messages":[{"role":"u","content":"c"}]}`, text: "su\nc\n"},
		{body: `{"messages":[{"role":"u","content":"c"},{"content":[{"type":"text","text":"d","x":1}],"role":"v"}]}`, text: "u\nc\n\nv\nd\n", messages: []tokenizer.Message{message("u", "c"), message("v", "d")}},
		{body: `{"messages":[{"role":"u","content":"c","name":"n"}]}`, text: "u\nc\n"},
		{body: `{"messages":[{"role":"u","content":null,"tool_calls":[1]}]}`, text: "u\nnull[1]\n"},
		{body: `{"messages":[{"role":"u","content":[{"type":"image","url":"x"}]}]}`, text: "u\n" + `{"type":"image","url":"x"}` + "\n"},
	} {
		a, ok := readRequest([]byte(c.body))
		if !ok || a.prompt.text != c.text || !reflect.DeepEqual(a.prompt.ids, c.ids) || !reflect.DeepEqual(a.prompt.messages, c.messages) {
			t.Errorf("%s: %v %q %v %v", c.body, ok, a.prompt.text, a.prompt.ids, a.prompt.messages)
		}
	}
	for _, body := range []string{``, `null`, `[]`, `"x"`, `{`, `{}x`, `{"a":01}`, `{"a":"` + "\n" + `"}`} {
		if _, ok := readRequest([]byte(body)); ok {
			t.Errorf("%q is read", body)
		}
	}
	a, _ := readRequest([]byte(`{"model":"m","temperature": 0.5 ,"stop":"x","options":{"num_predict":7,"seed":"x"},"metadata":{"user_id":"who_session_7"}}`))
	if got, _ := json.Marshal(a.sampling); a.model != "m" || a.session != "user_id:who_session_7" || string(got) != `{"max_tokens":7,"temperature":0.5}` {
		t.Errorf("%s %s %s", a.model, a.session, got)
	}
}

// A user is no session, and a session that a body names is one.
func TestSessionOfABody(t *testing.T) {
	for body, want := range map[string]string{
		`{"user":"u","metadata":{"user_id":"u"},"safety_identifier":"u"}`: "",
		`{"session_id":"s","user":"u"}`:                                   "session_id:s",
		`{"prompt_cache_key":"k"}`:                                        "prompt_cache_key:k",
	} {
		if a, ok := readRequest([]byte(body)); !ok || a.session != want {
			t.Errorf("%s: %q", body, a.session)
		}
	}
}

// The results of tools are those that the request adds.
func TestToolResults(t *testing.T) {
	for body, want := range map[string]int{
		`{"messages":[{"role":"tool","content":"old"},{"role":"assistant","content":null,"tool_calls":[{}]},{"role":"tool","content":"a"},{"role":"tool","content":"b"}]}`:              2,
		`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"a"},{"type":"text","text":"and"}]}]}`:                                                1,
		`{"input":[{"type":"function_call_output","output":"old"},{"type":"function_call","name":"f"},{"type":"function_call_output","output":"a"},{"role":"user","content":"go on"}]}`: 1,
		`{"messages":[{"role":"user","content":"hello"}]}`: 0,
		`{"messages":"none","input":"a text"}`:             0,
	} {
		if a, ok := readRequest([]byte(body)); !ok || a.results != want {
			t.Errorf("%s: %d", body, a.results)
		}
	}
}

// counting is a tokenizer that says how long the longest text was.
type counting struct{ longest int }

func (c *counting) Encode(text string) ([]int32, error) {
	c.longest = max(c.longest, len(text))
	return []int32{1}, nil
}

func (c *counting) EncodeWithSpecial(text string) ([]int32, error) { return c.Encode(text) }

// TestLongTextsAreNotCounted: what a tokenizer takes for a text is bounded, too.
func TestLongTextsAreNotCounted(t *testing.T) {
	var c counting
	long := strings.Repeat("a ", mostCounted/2+1)
	if _, err := tokensOf(&c, &prompt{text: long}); err == nil || c.longest > 0 {
		t.Errorf("%d bytes were counted", c.longest)
	}
	if ids, err := tokensOf(&c, &prompt{text: long[:mostCounted]}); err != nil || len(ids) != 1 {
		t.Errorf("%v, %v", ids, err)
	}
}
