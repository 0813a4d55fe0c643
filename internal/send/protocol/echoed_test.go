package protocol

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// askEchoed reads an answer, in pieces of n bytes, of which the prompt's log-probabilities are wanted.
func askEchoed(t testing.TB, answer string, n int) *stream.Trace {
	t.Helper()
	b, err := openAI.Unstreamed()
	if err != nil {
		t.Fatal(err)
	}
	s := NewStream(b)
	s.Reset(1)
	s.KeepEchoed()
	s.Head(200, http.Header{"Content-Type": {"application/json"}}, wire.Stamp{})
	for rest := answer; rest != ""; {
		k := min(n, len(rest))
		s.Body([]byte(rest[:k]), wire.Stamp{At: 1})
		rest = rest[k:]
	}
	s.Finish()
	return &s.Trace
}

// ofVLLM is what vLLM 0.32 answers, with white space of our own.
const ofVLLM = `{"id":"cmpl-1","object":"text_completion","model":"tiny","choices":[{"index":0,"text":"The \"sky\" is\n blue so",
 "logprobs":{"text_offset":[0,3,9,12,13,18],"token_logprobs":[null,-11.5,-0.25,-3e0,-0.125,-2],
 "tokens":["The"," \"sky\""," is","\n"," blue"," so"],
 "top_logprobs":[null,{" \"sky\"":-11.5," a":-0.5},{" is":-0.25},{"\n":-3,".":-0.1},{" blue":-0.125},{" so":-2}]},
 "finish_reason":"length","stop_reason":null,"prompt_logprobs":[null,{"5":{"logprob":-1.0,"rank":1}}]}],
 "usage":{"prompt_tokens":5,"total_tokens":6,"completion_tokens":1}}`

func TestEchoed(t *testing.T) {
	for _, n := range []int{1, 7, 1 << 20} {
		got := askEchoed(t, ofVLLM, n)
		e := got.Echoed
		if got.Malformed != nil || !got.Done || e == nil {
			t.Fatalf("pieces of %d: %v", n, got.Malformed)
		}
		if string(got.Text) != " so" || got.Usage.Output != 1 || got.Overlong != 0 || got.TokensBy != stream.TokensByUsage {
			t.Errorf("text %q, %d tokens, overlong %d", got.Text, got.Usage.Output, got.Overlong)
		}
		if !math.IsNaN(e.Logprobs[0]) || !slices.Equal(e.Logprobs[1:], []float64{-11.5, -0.25, -3, -0.125, -2}) {
			t.Errorf("log-probabilities %v", e.Logprobs)
		}
		if !math.IsNaN(e.Best[0]) || !slices.Equal(e.Best[1:], []float64{-0.5, -0.25, -0.1, -0.125, -2}) {
			t.Errorf("best %v", e.Best)
		}
		if !slices.Equal(e.Offsets, []int{0, 3, 9, 12, 13, 18}) || string(e.Text(1)) != ` "sky"` || string(e.Text(3)) != "\n" {
			t.Errorf("offsets %v, texts %q", e.Offsets, e.Texts)
		}
	}
}

// Nothing of it is read where it was not asked for, and nothing is left of the last answer.
func TestEchoedOnlyWhereAsked(t *testing.T) {
	b, _ := openAI.Unstreamed()
	s := NewStream(b)
	for _, asked := range []bool{true, false, true} {
		s.Reset(100)
		if asked {
			s.KeepEchoed()
		}
		s.Head(200, http.Header{}, wire.Stamp{})

		s.Body([]byte(ofVLLM), wire.Stamp{})
		s.Finish()
		if (s.Trace.Echoed != nil) != asked || s.Trace.Malformed != nil {
			t.Errorf("asked %v: %v, %v", asked, s.Trace.Echoed, s.Trace.Malformed)
		}
		if asked && len(s.Trace.Echoed.Logprobs) != 6 {
			t.Errorf("%d log-probabilities", len(s.Trace.Echoed.Logprobs))
		}
	}
	s.Reset(1)
	s.KeepEchoed()
	s.Head(200, http.Header{}, wire.Stamp{})
	s.Body([]byte(`{"choices":[{"text":"a","finish_reason":"length"}]}`), wire.Stamp{})
	s.Finish()
	if e := s.Trace.Echoed; e == nil || len(e.Logprobs)+len(e.Best)+len(e.Ends)+len(e.Offsets) != 0 {
		t.Errorf("of an answer without any: %+v", e)
	}
}

func TestEchoedHostile(t *testing.T) {
	answer := func(logprobs string) string {
		return `{"choices":[{"text":"a b","finish_reason":"length","logprobs":` + logprobs + `}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`
	}
	for _, tt := range []struct {
		name, logprobs string
		want           string // of the error; empty: it is read
		n              int    // log-probabilities
	}{
		{"null", `null`, "", 0},
		{"a string", `"x"`, "", 0},
		{"llama.cpp's", `{"content":[{"token":"a","logprob":-1,"top_logprobs":[]}]}`, "", 0},
		{"lists that are none", `{"tokens":"a","token_logprobs":{"a":1},"top_logprobs":5,"text_offset":null}`, "", 0},
		{"strings in it", `{"token_logprobs":["-1"]}`, `one is "\"-1\""`, 0},
		{"NaN", `{"token_logprobs":[NaN]}`, "no JSON", 0},
		{"infinity", `{"token_logprobs":[null,-Infinity]}`, "-Infinity", 0},
		{"too small for a number", `{"token_logprobs":[-1e999]}`, "-1e999", 0},
		{"positive", `{"token_logprobs":[null,0.5]}`, `one is "0.5"`, 0},
		{"above 0 by rounding", `{"token_logprobs":[null,1e-7]}`, "", 2},
		{"an object in it", `{"token_logprobs":[{"a":[1]}]}`, "can't be read", 0},
		{"the best is positive", `{"top_logprobs":[{"a":3}]}`, `one is "3"`, 0},
		{"offsets that are none", `{"token_logprobs":[-1],"text_offset":[-1,1e3,"x",99999999999]}`, "", 1},
		{"twice the same name", `{"token_logprobs":[-1,-2],"token_logprobs":[-3]}`, "", 1},
		{"deep", `{"token_logprobs":[` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `]}`, "nested deeper", 0},
		{"very many", `{"token_logprobs":[` + strings.Repeat("0,", maxEchoed) + `0]}`, "more than", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := askEchoed(t, answer(tt.logprobs), 1<<20)
			if tt.want != "" {
				if got.Malformed == nil || !strings.Contains(got.Malformed.Error(), tt.want) || got.Echoed != nil {
					t.Fatalf("%v, want %q", got.Malformed, tt.want)
				}
				return
			}
			if got.Malformed != nil || len(got.Echoed.Logprobs) != tt.n {
				t.Fatalf("%v, %+v", got.Malformed, got.Echoed)
			}
			for _, at := range got.Echoed.Offsets {
				if at != -1 {
					t.Errorf("offset %d", at)
				}
			}
		})
	}
}

func TestEchoBody(t *testing.T) {
	raw, err := openAI.AppendBody(nil, &Call{Model: "m", Prompt: "a b", MaxTokens: 1, NoStream: true, Echo: true})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"model": "m", "prompt": "a b", "repetition_penalty": 1.0, "max_tokens": 1, "logprobs": 1, "stream": false, "echo": true, "temperature": 0}`
	if string(raw) != want {
		t.Errorf("%s\nwant %s", raw, want)
	}
}

// Whatever comes, what is read is what encoding/json reads, or an error.
func FuzzEchoed(f *testing.F) {
	for _, seed := range []string{ofVLLM, `{"choices":[{"logprobs":{"tokens":["a\u00e9"],"token_logprobs":[null,-1.5]}}]}`, `{"choices":[{"logprobs":{"top_logprobs":[{"a":-1}]}}]}`, `{"choices":[{"logprobs":[`} {
		f.Add(seed, 5)
	}
	f.Fuzz(func(t *testing.T, answer string, n int) {
		got := askEchoed(t, answer, max(n, 1))
		if got.Echoed == nil {
			return
		}
		e := got.Echoed
		for _, v := range slices.Concat(e.Logprobs, e.Best) {
			if v > likeliest || math.IsInf(v, 0) {
				t.Fatalf("a log-probability of %v", v)
			}
		}
		for i := range e.Ends {
			_ = e.Text(i)
		}
		var plain struct {
			Choices []struct {
				Logprobs struct {
					Values []*float64 `json:"token_logprobs"`
				} `json:"logprobs"`
			} `json:"choices"`
		}
		if json.Unmarshal([]byte(answer), &plain) != nil || len(plain.Choices) != 1 || strings.Count(answer, "token_logprobs") != 1 {
			return // of another shape: passed over, or of two lists the last
		}
		values := plain.Choices[0].Logprobs.Values
		if len(values) != len(e.Logprobs) {
			if strings.Count(strings.ToLower(answer), "logprobs") == strings.Count(answer, "logprobs") && strings.Count(answer, `"choices"`) == 1 && strings.Count(answer, `"logprobs"`) == 1 {
				t.Fatalf("%d log-probabilities, want %d: %q", len(e.Logprobs), len(values), answer)
			}
			return
		}
		for i, v := range values {
			if v != nil && e.Logprobs[i] != *v {
				t.Fatalf("%v, want %v", e.Logprobs[i], *v)
			}
		}
	})
}
