package protocol

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// customFileOf is a file with a body and what else is given; it needs no more.
func customFileOf(body, more string) string {
	return `{"path": "/g", "text": "text", "body": ` + body + more + `}`
}

func readCustom(t *testing.T, file string) *Backend {
	t.Helper()
	b, err := ReadCustom([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCustomBodies(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		call       Call
		want       string // or the error, after "!"
	}{
		{
			"values have their types", `{"p": "{prompt}", "n": "{max_tokens}", "m": "{model}", "e": "{ignore_eos}", "i": "{id}"}`,
			Call{Prompt: "a \"b\"\n<é>", MaxTokens: 7, Model: "m/1", IgnoreEOS: true, Index: 3},
			`{"p": "a \"b\"\n<é>", "n": 7, "m": "m/1", "e": true, "i": "3"}`,
		},
		{
			"what is not given is left out", `{"o": {"t": "{temperature}", "k": "{top_k}"}, "p": "{prompt}", "l": "{logprobs}"}`,
			Call{Prompt: "a", Extra: []Field{sampled("top_k", "5")}},
			`{"o": {"k": 5}, "p": "a"}`,
		},
		{
			"inside a text it is data", `{"p": "USER: {prompt} ({max_tokens} {x}) \"{model}\""}`,
			Call{Prompt: `{model}", "x": "{max_tokens}`, MaxTokens: 7, Model: "m"},
			`{"p": "USER: {model}\", \"x\": \"{max_tokens} (7 {x}) \"m\""}`,
		},
		{
			"order, numbers and lists stay", `{"z": 1.50, "a": [null, {"b": ["{prompt}", 1e3]}, true, {}, []], "<": ""}`,
			Call{Prompt: "q"},
			`{"z": 1.50, "a": [null, {"b": ["q", 1e3]}, true, {}, []], "<": ""}`,
		},
		{"messages of a prompt", `{"messages": "{messages}"}`, Call{Prompt: "a"}, `{"messages": [{"role":"user","content":[{"type":"text","text":"a"}]}]}`},
		{"messages as they are", `{"m": "{messages}"}`, Call{Messages: json.RawMessage(`[{"role":"user","content":"x"}]`)}, `{"m": [{"role":"user","content":"x"}]}`},
		{"no object", `["{prompt}", 1]`, Call{Prompt: "a"}, `["a", 1]`},
		{"a text alone", `"{prompt}"`, Call{Prompt: "a"}, `"a"`},
		{"further fields win", `{"p": "{prompt}", "n": 1}`, Call{Prompt: "a", Extra: []Field{{Name: "n", Value: json.RawMessage("2")}, {Name: "x", Value: json.RawMessage("[]")}}}, `{"p": "a", "n": 2, "x": []}`},
		{"no place for further fields", `["{prompt}"]`, Call{Extra: []Field{{Name: "n", Value: json.RawMessage("2")}}}, "!the body of the protocol's file is no object"},
		{"no place for a flag", `{"p": "{prompt}"}`, Call{Extra: []Field{sampled("top_k", "5")}}, "!has no {top_k}"},
		{"no place for messages", `{"p": "{prompt}"}`, Call{Messages: json.RawMessage("[]")}, "!has no {messages}"},
		{"no token ids", `{"p": "{prompt}"}`, Call{Prompt: "[1]", TokenIDs: true}, "!not token ids"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readCustom(t, customFileOf(tt.body, "")).AppendBody(nil, &tt.call)
			if words, refused := strings.CutPrefix(tt.want, "!"); refused {
				if err == nil || !strings.Contains(err.Error(), words) {
					t.Errorf("%s, %v", got, err)
				}
				return
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" || err != nil || !json.Valid(got) {
				t.Error(diff, err)
			}
		})
	}
}

// What the body has no place for can't be asked for.
func TestCustomBackendIsAsItsFile(t *testing.T) {
	b := readCustom(t, customFileOf(`{"m": "{messages}", "n": "{max_tokens}", "e": "{ignore_eos}", "t": "{temperature}", "model": "{model}"}`, `, "output_tokens": "n", "framing": "ndjson", "headers": {"X-A": "b"}`))
	if !b.Chat || b.Lacks != (Lacks{TokenIDs: true}) || !b.TakesSampling("temperature") || b.TakesSampling("top_p") || b.Framing != stream.Lines || b.Header["X-A"] != "b" || b.NoModel || b.Path() != "/g" {
		t.Errorf("%+v", b)
	}
	b = readCustom(t, customFileOf(`{"p": "{prompt}"}`, ""))
	if b.Chat || b.Lacks != (Lacks{IgnoreEOS: true, TokenIDs: true, Usage: true}) || b.TakesSampling("temperature") || !b.NoModel || !b.EndsWithBody || !b.Takes("/any") {
		t.Errorf("%+v", b)
	}
	if _, err := b.Unstreamed(); err == nil {
		t.Error("a file describes one kind of answer")
	}
	if stub, err := FindBackend(CustomName); err != nil || stub.Path() != "" {
		t.Error(stub, err)
	} else if _, err := stub.AppendBody(nil, &Call{}); err == nil {
		t.Error("a body without a file")
	}
}

func TestCustomPaths(t *testing.T) {
	for text, want := range map[string]string{
		"a": "a", "a.b": "a b", "choices.0.text": "choices 0 text", "choices[0].text": "choices 0 text", "a[0][1].b": "a 0 1 b", "[0].text": "0 text", "0": "0", "a-b.c_d.é": "a-b c_d é",
		"": "!", ".": "!", "a.": "!", ".a": "!", "a..b": "!", "a[": "!", "a[]": "!", "a[x]": "!", "a[-1]": "!", "a[01]": "!", "a]": "!", "a[0]b": "!", "a.[0]": "!", "a[0": "!", "a[0]]": "!",
		strings.Repeat("a.", 16) + "a": "!",
	} {
		got, err := parsePlace(text)
		if err != nil {
			if want != "!" {
				t.Errorf("%s: %v", text, err)
			}
		} else if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestCustomRefuses(t *testing.T) {
	body := `, "body": {"p": "{prompt}"}`
	deep := strings.Repeat("[", 40) + `"{prompt}"` + strings.Repeat("]", 40)
	for file, want := range map[string]string{
		``: "must be a mapping", `[]`: "must be a mapping", `null`: "must be a mapping", `{"path": "/g"`: "must be a mapping",
		`{"path": "/g", "txet": "a"` + body + `}`:                                            `has no key "txet"; its keys are body, cached_tokens, cumulative`,
		`{"text": "a"` + body + `}`:                                                          "path: is needed",
		`{"path": "g", "text": "a"` + body + `}`:                                             "path: must begin with a slash",
		`{"path": "/g h", "text": "a"` + body + `}`:                                          "path: must begin with a slash and have no spaces",
		`{"path": 5, "text": "a"` + body + `}`:                                               "path: must be a text",
		`{"path": "/g", "text": "a"}`:                                                        "body: is needed",
		`{"path": "/g"` + body + `}`:                                                         "text: is needed",
		`{"path": "/g", "text": "a..b"` + body + `}`:                                         `text: "a..b" is no path`,
		`{"path": "/g", "text": []` + body + `}`:                                             "text: needs a path",
		`{"path": "/g", "text": null` + body + `}`:                                           "text: has no value",
		`{"path": "/g", "text": ["1","2","3","4","5","6","7","8","9"]` + body + `}`:          "text: has more than 8 paths",
		customFileOf(`{"p": "{prompt}"}`, `, "framing": "SSE"`):                              "framing: must be sse, ndjson or json",
		customFileOf(`{"p": "{prompt}"}`, `, "cumulative": "yes"`):                           "cumulative: must be true or false",
		customFileOf(`{"p": "{prompt}"}`, `, "cumulative": true, "reasoning": "r"`):          "cumulative: can't be used together with reasoning",
		customFileOf(`{"p": "{prompt}"}`, `, "cumulative": true, "framing": "json"`):         "cumulative: has no meaning",
		customFileOf(`{"p": "{prompt}"}`, `, "headers": {"Authorization": "Bearer x"}`):      "headers: Authorization is a secret",
		customFileOf(`{"p": "{prompt}"}`, `, "headers": {"cookie": "x"}`):                    "headers: cookie is a secret",
		customFileOf(`{"p": "{prompt}"}`, `, "headers": {"X-A": "a\r\nB: c"}`):               "headers: has a control character",
		customFileOf(`{"p": "{prompt}"}`, `, "headers": {"X-A": 1}`):                         "headers: must be a mapping of texts to texts",
		customFileOf(`{"p": "{prompt}", "api_key": "hunter22hunter22"}`, ""):                 "body: has a field that is named like a secret",
		customFileOf(`{"p": "{prompt}"}`, `, "finish_words": {"eos": "stop"}`):               "finish_words: needs finish",
		customFileOf(`{"p": "{prompt}"}`, `, "finish": "f", "finish_words": {"eos": "end"}`): `finish_words: "eos" must be one of stop, length, tool_calls, not "end"`,
		customFileOf(`{"p": "{prompt}"}`, `, "done": {"data": "x", "path": "y"}`):            "done: needs data",
		customFileOf(`{"p": "{prompt}"}`, `, "done": {"path": "y"}`):                         "done: needs data",
		customFileOf(`{"p": "{prompt}"}`, `, "done": {}`):                                    "done: needs data",
		customFileOf(`{"p": "{prompt}"}`, `, "done": {"paht": "y"}`):                         `done: has no key "paht"; its keys are data, equals, path`,
		customFileOf(`{"p": "{prompt}"}`, `, "done": {"path": "y", "equals": []}`):           "done: equals: must be",
		customFileOf(`{"p": "{prompt}"}`, `, "done": {"data": "x"}, "framing": "json"`):      "done: has no meaning",
		customFileOf(`{"p": "{prompt}"}`, `, "prompt_tokens": "u.p"`):                        "output_tokens: is needed",
		customFileOf(`{"p": "a"}`, ""):                                                       "body: has neither {prompt} nor {messages}",
		customFileOf(`{"p": "{prompt}", "m": "{messages}"}`, ""):                             "body: has both",
		customFileOf(`{"p": "{promt}"}`, ""):                                                 "body: p: {promt} stands for nothing; what can be filled in is prompt, messages",
		customFileOf(`{"p": "{prompt}", "e": "{ignore_eos}"}`, ""):                           "body: has {ignore_eos} and no {max_tokens}",
		customFileOf(`{"p": ["{temperature}", "{prompt}"]}`, ""):                             "body: {temperature} must be all of a key's value",
		customFileOf(`{"p": "{prompt} {temperature}"}`, ""):                                  "body: {temperature} must be all of a key's value",
		customFileOf(`{"p": "x{messages}"}`, ""):                                             "body: {messages} is a list",
		customFileOf(deep, ""):                                                               "body: is nested deeper than 32",
		customFileOf(`"{prompt}`+strings.Repeat("x", MaxCustom)+`"`, ""):                     "has more than 65536 bytes",
	} {
		if b, err := ReadCustom([]byte(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.120s: %v, %v; want %s", file, b, err, want)
		}
	}
}

const (
	chatFile   = `{"path":"/v1/chat/completions","body":{"messages":"{messages}"},"text":"choices.0.delta.content","reasoning":["choices.0.delta.reasoning","choices.0.delta.reasoning_content"],"finish":"choices[0].finish_reason","error":"error","id":"id","prompt_tokens":"usage.prompt_tokens","output_tokens":"usage.completion_tokens","cached_tokens":"usage.prompt_tokens_details.cached_tokens","done":{"data":"[DONE]"}}`
	linesFile  = `{"path":"/api/generate","framing":"ndjson","body":{"prompt":"{prompt}"},"text":"response","finish":"done_reason","error":"error","prompt_tokens":"prompt_eval_count","output_tokens":"eval_count","done":{"path":"done","equals":true}}`
	growsFile  = `{"path":"/generate","body":{"text":"{prompt}"},"text":"text","finish":"meta.finish.type","finish_words":{"eos":"stop"},"output_tokens":"meta.n","cumulative":true}`
	wholeFile  = `{"path":"/v1/completions","framing":"json","body":{"prompt":"{prompt}"},"text":["choices.0.text","0.generated_text"],"finish":"choices.0.finish_reason","output_tokens":"usage.completion_tokens","error":"error"}`
	eventsFile = `{"path":"/g","body":{"prompt":"{prompt}"},"text":["a","b"],"finish":"stop","finish_words":{"true":"stop"},"done":{"data":"<end>"},"error":"error"}`
	bareFile   = `{"path":"/g","body":{"prompt":"{prompt}"},"text":"a"}`
)

func TestCustomStreams(t *testing.T) {
	for _, tt := range []struct {
		name, file, body string
		text             string
		kinds            []stream.EventKind
		check            func(*stream.Trace) bool
	}{
		{
			"OpenAI's chat", chatFile, `data: {"id":"c1","choices":[{"delta":{"role":"assistant","content":""}}]}` + "\n\n" +
				`data: {"choices":[{"delta":{"reasoning_content":"h\u006dm"}}]}` + "\n\n" + `data: {"choices":[{"delta":{"content":"a\n"},"finish_reason":null}]}` + "\n\n" +
				`data: {"choices":[{"delta":{},"finish_reason":"length"}]}` + "\n\n" + `data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2.0,"prompt_tokens_details":{"cached_tokens":0}}}` + "\n\ndata: [DONE]\n\n",
			"a\n",
			[]stream.EventKind{stream.EventChoices, stream.EventChoices | stream.EventReasoning, stream.EventChoices | stream.EventText, stream.EventChoices | stream.EventFinish, stream.EventUsage},
			func(t *stream.Trace) bool {
				return t.Done && t.FinishReason == "length" && t.ServerID == "c1" && t.Usage == stream.Usage{Prompt: 5, Output: 2, CachedKnown: true} && t.HasUsage
			},
		},
		{"an error inside", chatFile, `data: {"error":{"message":"no m\u00f6re","code":5}}` + "\n\n", "", nil, func(t *stream.Trace) bool { return t.ErrorMark && string(t.ErrorBody) == "no möre" }},
		{"no error", chatFile, `data: {"error":null}` + "\n\n" + `data: {"error":""}` + "\n\n" + `data: {"error":false}` + "\n\n", "", []stream.EventKind{0, 0, 0}, func(t *stream.Trace) bool { return !t.ErrorMark && !t.Done }},
		{
			"lines", linesFile, `{"response":"a","done":false}` + "\n" + `{"response":"b","done":false}` + "\n" + `{"response":"","done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":2}`,
			"ab",
			[]stream.EventKind{stream.EventChoices | stream.EventText, stream.EventChoices | stream.EventText, stream.EventChoices | stream.EventFinish | stream.EventUsage},
			func(t *stream.Trace) bool {
				return t.Done && t.FinishReason == "stop" && t.Usage == stream.Usage{Prompt: 3, Output: 2} && t.TokensBy == stream.TokensUnknown
			},
		},
		{"an end that is another value", linesFile, `{"response":"a","done":"true"}` + "\n", "a", []stream.EventKind{stream.EventChoices | stream.EventText}, func(t *stream.Trace) bool { return !t.Done }},
		{
			"texts that grow", growsFile, `data: {"text":"é","meta":{"n":1,"finish":null}}` + "\n\n" + `data: {"text":"é\ufffd","meta":{"n":2}}` + "\n\n" + `data: {"text":"éö","meta":{"n":3,"finish":{"type":"eos"}}}` + "\n\n" + `data: {"text":"","meta":{}}` + "\n\n",
			"éö",
			[]stream.EventKind{stream.EventChoices | stream.EventText | stream.EventUsage, stream.EventChoices | stream.EventUsage, stream.EventChoices | stream.EventText | stream.EventUsage | stream.EventFinish, stream.EventChoices},
			func(t *stream.Trace) bool {
				return t.FinishReason == "stop" && t.Usage.Output == 3 && t.TokensBy == stream.TokensByUsage && !t.Done
			},
		},
		{"a text that is taken back", growsFile, `data: {"text":"ab"}` + "\n\n" + `data: {"text":"ac"}` + "\n\n", "ab", []stream.EventKind{stream.EventChoices | stream.EventText, stream.EventChoices}, func(t *stream.Trace) bool { return t.Malformed != nil }},
		{
			"one JSON", wholeFile, `{"choices":[{"text":"a b","finish_reason":"stop"}],"usage":{"completion_tokens":2}}`, "a b",
			[]stream.EventKind{stream.EventChoices | stream.EventText | stream.EventFinish | stream.EventUsage},
			func(t *stream.Trace) bool { return t.Done && t.Usage.Output == 2 },
		},
		{"one JSON list", wholeFile, `[{"generated_text":"a"}]`, "a", []stream.EventKind{stream.EventChoices | stream.EventText}, func(t *stream.Trace) bool { return t.Done && !t.HasUsage }},
		{"one JSON, cut off", wholeFile, `{"choices":[{"text":"a b"`, "", nil, func(t *stream.Trace) bool { return !t.Done && t.Malformed == nil }},
		{"one JSON, an error", wholeFile, `{"error":"busy"}`, "", nil, func(t *stream.Trace) bool { return t.ErrorMark && string(t.ErrorBody) == "busy" }},
		{"one JSON with its text elsewhere", wholeFile, `{"chioces":[]}`, "", nil, func(t *stream.Trace) bool {
			return t.Malformed != nil && strings.Contains(t.Malformed.Error(), `nothing where text should be: {"chioces":[]}`)
		}},
		{"one JSON without a text", wholeFile, `{"choices":[{"text":null,"finish_reason":"stop"}]}`, "", []stream.EventKind{stream.EventChoices | stream.EventFinish}, func(t *stream.Trace) bool { return t.Done }},
		{
			"the better path", eventsFile, `data: {"b":"x","a":""}` + "\n\n" + `data: {"b":"y","a":"z","stop":false}` + "\n\n" + `data: {"b":null,"\u0061":"w","stop":true}` + "\n\ndata: <end>\n\n",
			"xzw",
			[]stream.EventKind{stream.EventChoices | stream.EventText, stream.EventChoices | stream.EventText, stream.EventChoices | stream.EventText | stream.EventFinish, 0},
			func(t *stream.Trace) bool { return t.Done && t.FinishReason == "stop" },
		},
		{"only the body ends it", bareFile, `data: {"a":"x"}` + "\n\n" + `data: {"a":"y"}`, "xy", []stream.EventKind{stream.EventChoices | stream.EventText, stream.EventChoices | stream.EventText}, func(t *stream.Trace) bool { return t.Done && t.FinishReason == "" }},
		{
			"no text at its path", chatFile, `data: {"choices":[{"delta":{"content":{"x":1}}}]}` + "\n\n", "", nil,
			func(t *stream.Trace) bool {
				return t.Malformed != nil && strings.Contains(t.Malformed.Error(), `what text names is no text but {"x":1}`)
			},
		},
		{"no word at its path", growsFile, `data: {"meta":{"finish":{"type":["a"]}}}` + "\n\n", "", nil, func(t *stream.Trace) bool {
			return t.Malformed != nil && strings.Contains(t.Malformed.Error(), "what finish names")
		}},
		{"no count at its path", growsFile, `data: {"meta":{"n":"5"}}` + "\n\n", "", nil, func(t *stream.Trace) bool {
			return t.Malformed != nil && strings.Contains(t.Malformed.Error(), "output_tokens is the string")
		}},
		{"no JSON", bareFile, "data: {\"a\":\n\n", "", nil, func(t *stream.Trace) bool { return t.Malformed != nil }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := readCustom(t, tt.file)
			for cut := range 3 { // whole, in two pieces, byte by byte
				s := NewStream(b)
				s.Reset(0)
				s.Head(200, http.Header{}, wire.Stamp{})
				for rest := []byte(tt.body); len(rest) > 0; {
					n := []int{len(rest), (len(rest) + 1) / 2, 1}[cut]
					s.Body(rest[:n], wire.Stamp{})
					rest = rest[n:]
				}
				s.Finish()
				var kinds []stream.EventKind
				for _, e := range s.Trace.Events {
					kinds = append(kinds, e.Kind)
				}
				if diff := cmp.Diff(tt.kinds, kinds); diff != "" || string(s.Trace.Text) != tt.text || !tt.check(&s.Trace) {
					t.Errorf("%d: %s\ntext %q, %+v", cut, diff, s.Trace.Text, s.Trace)
				}
			}
		})
	}
}

func FuzzCustomFile(f *testing.F) {
	for _, file := range []string{
		chatFile, linesFile, growsFile, wholeFile, eventsFile, bareFile, `{}`,
		customFileOf(`["{prompt}", "a {model} {id}", {"t": "{temperature}", "n": {"k": "{max_tokens}"}}]`, `, "headers": {"a": "b"}`),
	} {
		f.Add([]byte(file), "a \"prompt\" {model}\x00\xff")
	}
	f.Fuzz(func(t *testing.T, file []byte, prompt string) {
		b, err := ReadCustom(file)
		if err != nil {
			return
		}
		body, err := b.AppendBody(nil, &Call{Prompt: prompt, Model: "m", MaxTokens: 5})
		if err != nil || !json.Valid(body) {
			t.Errorf("%s: %s, %v", file, body, err)
		}
	})
}

func FuzzCustomDecode(f *testing.F) {
	files := []string{chatFile, linesFile, growsFile, wholeFile, eventsFile, bareFile}
	for i, body := range []string{
		`data: {"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":5}}` + "\n\n", `{"response":"a\u00e9","done":true,"eval_count":1}` + "\n",
		`data: {"text":"a","meta":{"n":1}}` + "\n\n" + `data: {"text":"ab","meta":{"n":2,"finish":{"type":"x"}}}` + "\n\n", `[{"generated_text":"a"}]`,
		"data: {\"a\":\"\",\"b\":\"x\"}\n\ndata: <end>\n\n", `data: [[[]]]` + "\n\n",
	} {
		f.Add(i, []byte(body))
	}
	var backends []*Backend
	for _, file := range files {
		b, err := ReadCustom([]byte(file))
		if err != nil {
			f.Fatal(err)
		}
		backends = append(backends, b)
	}
	f.Fuzz(func(t *testing.T, which int, body []byte) {
		s := NewStream(backends[uint(which)%uint(len(backends))])
		s.Reset(0)
		s.Head(200, http.Header{}, wire.Stamp{})
		s.Body(body, wire.Stamp{})
		s.Finish()
		if len(s.Trace.Text) > len(body)*3 { // U+FFFD for a byte
			t.Errorf("%d bytes of text of %d", len(s.Trace.Text), len(body))
		}
		for _, e := range s.Trace.Events {
			if e.Kind&(stream.EventText|stream.EventReasoning|stream.EventFinish) != 0 && e.Kind&stream.EventChoices == 0 {
				t.Errorf("kind %b", e.Kind)
			}
		}
	})
}
