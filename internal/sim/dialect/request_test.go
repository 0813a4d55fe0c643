package dialect

import (
	"testing"

	"github.com/inferometer/inferometer/internal/sim/vocab"
)

func FuzzParseCall(f *testing.F) {
	for _, s := range []string{
		`{"prompt":"a","max_tokens":3,"stream":true,"stream_options":{"include_usage":true}}`,
		`{"prompt":[1,2,3]}`, `{"prompt":["a"]}`, `{"prompt":[[1,2]]}`, `{"prompt":[[[1]]]}`, `{"prompt":null}`, `{"prompt":""}`,
		`{"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}],"logprobs":true,"top_logprobs":2}`,
		`{"prompt":[300000]}`, `[]`, `{"prompt":[`,
	} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	t := vocab.NewWordTokenizer()
	f.Fuzz(func(tt *testing.T, raw []byte, chat bool) {
		c, err := ParseCall(raw, chat, t)
		if err != nil {
			return
		}
		if c.MaxTokens < 0 || c.Logprobs < -1 || c.Logprobs > 20 {
			tt.Errorf("%q gives %+v", raw, c)
		}
		if _, err := t.Decode(c.Prompt); err != nil {
			tt.Errorf("%q gives a prompt outside the vocabulary: %v", raw, err)
		}
	})
}
