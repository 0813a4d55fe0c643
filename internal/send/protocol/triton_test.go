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

func TestTritonBodies(t *testing.T) {
	field := func(name, value string, sampling bool) Field {
		return Field{Name: name, Value: json.RawMessage(value), Sampling: sampling}
	}
	for _, tt := range []struct {
		name, backend string
		call          Call
		want          string // "": refused
	}{
		{
			"a text", "trtllm",
			Call{Model: "m", Prompt: `a "b" <é>`, MaxTokens: 7},
			`{"text_input": "a \"b\" <é>", "max_tokens": 7, "stream": true, "return_num_input_tokens": true, "return_num_output_tokens": true}`,
		},
		{
			"a fixed length, by the name of today and by the one before", "trtllm",
			Call{Prompt: "a", MaxTokens: 7, IgnoreEOS: true, Extra: []Field{field("temperature", "0.5", true), field("end_id", "1048576", false), field("max_tokens", "9", false)}},
			`{"text_input": "a", "max_tokens": 9, "stream": true, "return_num_input_tokens": true, "return_num_output_tokens": true, "min_tokens": 7, "min_length": 7, "temperature": 0.5, "end_id": 1048576}`,
		},
		{"no word for it", "trtllm", Call{Extra: []Field{field("min_p", "0.5", true)}}, ""},
		{"token ids", "trtllm", Call{Prompt: "[1]", TokenIDs: true}, ""},
		{"messages", "kserve", Call{Messages: json.RawMessage("[]")}, ""},
		{
			"tensors", "kserve",
			Call{Prompt: "a", MaxTokens: 7, IgnoreEOS: true},
			`{"inputs": [{"name":"text_input","shape":[1,1],"datatype":"BYTES","data":["a"]},{"name":"max_tokens","shape":[1,1],"datatype":"INT32","data":[7]},{"name":"min_tokens","shape":[1,1],"datatype":"INT32","data":[7]}]}`,
		},
		{
			"fields of the user's are inputs, unless the protocol has them", "kserve",
			Call{Prompt: "a", MaxTokens: 7, Extra: []Field{
				field("top_k", "3", true), field("temperature", "1", true), field("exclude_input_in_output", "true", false),
				field("bad_words", `"x"`, false), field("max_tokens", "8", false), field("parameters", `{"a": 1}`, false),
			}},
			`{"inputs": [{"name":"text_input","shape":[1,1],"datatype":"BYTES","data":["a"]},{"name":"max_tokens","shape":[1,1],"datatype":"INT32","data":[8]},` +
				`{"name":"top_k","shape":[1,1],"datatype":"INT32","data":[3]},{"name":"temperature","shape":[1,1],"datatype":"FP32","data":[1]},` +
				`{"name":"exclude_input_in_output","shape":[1,1],"datatype":"BOOL","data":[true]},{"name":"bad_words","shape":[1,1],"datatype":"BYTES","data":["x"]}], "parameters": {"a": 1}}`,
		},
		{"an input that is no value", "kserve", Call{Extra: []Field{field("x", "[1]", false)}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, err := FindBackend(tt.backend)
			if err != nil {
				t.Fatal(err)
			}
			got, err := b.AppendBody(nil, &tt.call)
			if diff := cmp.Diff(tt.want, string(got)); diff != "" || (err != nil) != (tt.want == "") {
				t.Error(diff, err)
			}
		})
	}
}

// data are events of Triton's, of one output each.
func generatedEvents(texts ...string) (all []string) {
	for _, text := range texts {
		quoted, _ := json.Marshal(text)
		all = append(all, `data: {"model_name":"ensemble","model_version":"1","num_input_tokens":3,"num_output_tokens":1,"text_output":`+string(quoted)+"}\n\n")
	}
	return all
}

func TestTritonStreams(t *testing.T) {
	for _, tt := range []struct {
		name   string
		pieces []string
		text   string
		texts  int // events with text
		tokens int
		bad    string
	}{
		{"parts", generatedEvents(" Hi", " there", "", " you"), " Hi there you", 3, 4, ""},
		{"all so far", generatedEvents(" Hi", " Hi there", " Hi there you"), " Hi there you", 3, 3, ""},
		{"all so far, with an invisible token", generatedEvents(" Hi", " Hi there", " Hi there", " Hi there you"), " Hi there you", 3, 4, ""},
		{"all so far, a letter in two", generatedEvents("a", "a b", "a b \uFFFD", "a b é", "a b é."), "a b é.", 5, 5, ""},
		{"a stutter", generatedEvents("!", "!", "!", "!!"), "!!!!!", 4, 4, ""},
		{"parts that look like all so far", generatedEvents("1", "12", "123", "4", "1234"), "112123" + "4" + "1234", 5, 5, ""},
		{"such parts, one of them twice", generatedEvents("1", "12", "12", "4"), "1" + "12" + "12" + "4", 4, 4, ""},
		{"taken back", generatedEvents("a", "ab", "abc", "abcd", "abcde", "x"), "abcde", 5, 5, "takes back"},
		{"no blank line at the end", []string{`data: {"text_output":" Hi"}` + "\n\n", `data: {"text_output":" there"}`}, " Hi there", 2, 0, ""},
		{"a blank in front of the line's end, lists of one", []string{`data: {"text_output":["a"],"num_output_tokens":[2],"output_log_probs":[[0.1]]} ` + "\n\n"}, "a", 1, 2, ""},
		{"a count that is none", []string{`data: {"text_output":"a","num_output_tokens":"x"}` + "\n\n"}, "", 0, 0, "not a number"},
		{"no object", []string{"data: []\n\n"}, "", 0, 0, "no JSON object"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := traceOf(t, "trtllm", 200, tt.pieces...)
			texts := 0
			for i := range got.Events {
				if got.Events[i].Kind&stream.EventText != 0 {
					texts++
				}
				if got.Events[i].Kind&stream.EventText != 0 && got.Events[i].Kind&stream.EventChoices == 0 {
					t.Error("a text without the mark of one")
				}
			}
			if string(got.Text) != tt.text || texts != tt.texts || got.Usage.Output != tt.tokens && tt.bad == "" {
				t.Errorf("%q in %d events, %d tokens", got.Text, texts, got.Usage.Output)
			}
			if (got.Malformed != nil) != (tt.bad != "") || got.Malformed != nil && !strings.Contains(got.Malformed.Error(), tt.bad) {
				t.Errorf("%v, want %q", got.Malformed, tt.bad)
			}
			if !got.Done && tt.bad == "" {
				t.Error("the end of the body is not its end")
			}
		})
	}
	got := traceOf(t, "trtllm", 200, append(generatedEvents("a"), `data: {"error":"out of blocks"}`+"\n\n")...)
	if !got.ErrorMark || got.Done || string(got.ErrorBody) != "out of blocks" {
		t.Errorf("an error: %+v", got)
	}
}

func TestInferAnswers(t *testing.T) {
	for _, tt := range []struct{ name, body, text, failed, bad string }{
		{"flat", `{"id":"1","outputs":[{"name":"text_output","datatype":"BYTES","shape":[1,1],"data":["a \"b\""]}]}`, `a "b"`, "", ""},
		{"nested, the name last", `{"outputs":[{"data":[["a"]],"name":"text_output"},{"name":"num_output_tokens","data":[[4]]}]}`, "a", "", ""},
		{"an error in a 200", `{"error":"no such model"}`, "", "no such model", ""},
		{"no outputs", `{"outputs":[]}`, "", "", ""},
		{"deep", `{"outputs":[{"name":"text_output","data":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}]}`, "", "", ""},
		{"no JSON", `hello`, "", "", "not a JSON object"},
		{"a bad count", `{"outputs":[{"name":"num_output_tokens","data":[-4]}]}`, "", "", "not a number of tokens"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := traceOf(t, "kserve", 200, tt.body[:len(tt.body)/2], tt.body[len(tt.body)/2:])
			if string(got.Text) != tt.text || string(got.ErrorBody) != tt.failed {
				t.Errorf("%q, error %q", got.Text, got.ErrorBody)
			}
			if (got.Malformed != nil) != (tt.bad != "") || got.Malformed != nil && !strings.Contains(got.Malformed.Error(), tt.bad) {
				t.Errorf("%v, want %q", got.Malformed, tt.bad)
			}
		})
	}
}

func TestFillPath(t *testing.T) {
	for _, tt := range [][3]string{
		{"/v1/completions", "m", "/v1/completions"},
		{"/v2/models/{model}/infer", "ensemble", "/v2/models/ensemble/infer"},
		{"/v2/models/{model}/infer", "a/b ?#%../é", "/v2/models/a%2Fb%20%3F%23%25..%2F%C3%A9/infer"},
	} {
		if got := FillPath(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%s with %s: %s", tt[0], tt[1], got)
		}
	}
}

// FuzzTriton: whatever a server sends, in whatever pieces, it is read without a panic, and
// what is said of the texts holds together.
func FuzzTriton(f *testing.F) {
	for _, seed := range []string{
		strings.Join(generatedEvents(" Hi", " Hi there", " x", ""), ""),
		`data: {"context_logits":0.0,"cum_log_probs":0.0,"model_name":"ensemble","sequence_end":false,"text_output":["é\u00e9"],"num_output_tokens":2}`,
		`data: {"error":"words"}` + "\n\n",
		`{"id":"r1","model_name":"m","outputs":[{"name":"text_output","datatype":"BYTES","shape":[1,1],"data":[["a"]]},{"name":"num_output_tokens","data":[3]}]}`,
	} {
		f.Add([]byte(seed), uint8(7))
	}
	f.Fuzz(func(t *testing.T, body []byte, cut uint8) {
		for _, b := range []*Backend{trtLLM, openInference} {
			s := NewStream(b)
			s.Reset(100)
			s.Head(200, http.Header{}, wire.Stamp{At: 1})
			at := min(int(cut), len(body))
			s.Body(body[:at], wire.Stamp{At: 2})
			s.Body(body[at:], wire.Stamp{At: 3})
			s.Finish()
			checkTexts(t, &s.Trace)
		}
	})
}

func checkTexts(t *testing.T, got *stream.Trace) {
	t.Helper()
	if len(got.Events) != len(got.TextEnds) {
		t.Fatalf("%d events, %d ends", len(got.Events), len(got.TextEnds))
	}
	last := 0
	for i, end := range got.TextEnds {
		if end < last || end > len(got.Text) || (end > last) != (got.Events[i].Kind&stream.EventText != 0) {
			t.Fatalf("event %d of the kind %b: from %d to %d of %d", i, got.Events[i].Kind, last, end, len(got.Text))
		}
		last = end
	}
}

func TestTritonAllocatesNothing(t *testing.T) {
	pieces := generatedEvents(" Hi", " there", " \"you\"", "")
	s := NewStream(trtLLM)
	one := func() {
		s.Reset(100)
		s.Head(200, noHeader{}, wire.Stamp{At: 1})
		for i := range pieces {
			s.Body(body4[i], wire.Stamp{At: int64(i)})
		}
		s.Finish()
	}
	body4 = nil
	for _, p := range pieces {
		body4 = append(body4, []byte(p))
	}
	one()
	if n := testing.AllocsPerRun(100, one); n > 0 {
		t.Errorf("%v allocations a stream", n)
	}
}

var body4 [][]byte
