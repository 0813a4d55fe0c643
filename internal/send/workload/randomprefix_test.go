package workload

import (
	"math"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/send/workload/lengths"
)

func dist(t *testing.T, text string) *lengths.Dist {
	t.Helper()
	d := &lengths.Dist{}
	if err := d.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return d
}

func randomShape(t *testing.T, shape RandomShape) Options {
	o := Defaults("random")
	o.NumPrompts = 400
	own := o.Own.(*RandomOptions)
	own.InputLen, own.OutputLen = 200, 16
	if shape.PrefixCount == 0 {
		shape.PrefixCount = 1
	}
	own.RandomShape = shape
	return o
}

// The share that is asked for is what prompts really begin with alike, as the tokenizer
// counts it, and what the plan says.
func TestPrefixShare(t *testing.T) {
	for _, name := range []string{"gpt2", "qwen2_5", "llama3_1"} {
		o := randomShape(t, RandomShape{PrefixShare: 0.6, PrefixCount: 4})
		o.NumPrompts = 40
		tok := testTokenizer(t, name)
		o.Tokenizer = tok
		rows := all(t, open(t, o))
		planned, of, real := 0, 0, 0
		for i, r := range rows {
			planned += r.SharedTokens
			of += r.SharedOf
			if ids, err := tok.EncodeWithSpecial(r.Prompt); err != nil || len(ids) != 200 {
				t.Errorf("%s: prompt %d has %d tokens, %v", name, i, len(ids), err)
			}
			if i >= 4 {
				real += sharedTokens(t, tok, rows[i-4].Prompt, r.Prompt)
			}
		}
		if want := 0.6 * 36 / 40; math.Abs(float64(planned)/float64(of)-want) > 0.005 {
			t.Errorf("%s: planned %d of %d, want %v", name, planned, of, want)
		}
		if got := float64(real) / float64(planned); math.Abs(got-1) > 0.03 {
			t.Errorf("%s: prompts share %v of what is planned", name, got)
		}
		if sharedTokens(t, tok, rows[0].Prompt, rows[1].Prompt) > 3 {
			t.Errorf("%s: two beginnings are the same", name)
		}
	}
}

// Without a tokenizer it is words. Longer prompts share longer beginnings.
func TestPrefixShareOfWords(t *testing.T) {
	rows := all(t, open(t, randomShape(t, RandomShape{PrefixShare: 0.5, InputDist: dist(t, "uniform:min=100,max=300")})))
	longest := 0
	for i, r := range rows {
		n := len(strings.Fields(r.Prompt))
		if r.SharedOf != n || n < 100 || n > 300 {
			t.Fatalf("%d words, planned %d", n, r.SharedOf)
		}
		part := int(math.Round(0.5 * float64(n)))
		if want := min(part, longest); r.SharedTokens != want {
			t.Errorf("request %d: %d are planned to be known, want %d", i, r.SharedTokens, want)
		}
		longest = max(longest, part)
	}
}

// Lengths of requests are those of their distributions; vLLM's are not touched.
func TestLengthDistributions(t *testing.T) {
	o := randomShape(t, RandomShape{InputDist: dist(t, "normal:mean=300,std=50,min=200,max=400"), OutputDist: dist(t, "zipf:a=1.5,max=64")})
	in, out := 0.0, 0
	for _, r := range all(t, open(t, o)) {
		n := len(strings.Fields(r.Prompt))
		if n < 200 || n > 400 || r.OutputTokens < 1 || r.OutputTokens > 64 {
			t.Fatalf("%d words, %d output tokens", n, r.OutputTokens)
		}
		in += float64(n)
		if r.OutputTokens == 1 {
			out++
		}
	}
	if mean := in / 400; math.Abs(mean-300) > 15 {
		t.Errorf("the mean is %v, want 300", mean)
	}
	if out < 100 { // the first of Zipf's ranks has 0.42 of all
		t.Errorf("%d of 400 outputs have one token", out)
	}
	o.Tokenizer = fakeVocabulary{special: 2}
	for _, r := range all(t, open(t, o)) {
		if r.PromptTokens < 198 || r.PromptTokens > 398 {
			t.Fatalf("%d tokens without the two special ones", r.PromptTokens)
		}
	}
}

func TestShapeErrors(t *testing.T) {
	for _, c := range []struct {
		change func(*RandomOptions)
		want   string
	}{
		{func(o *RandomOptions) { o.PrefixShare, o.PrefixLen = 0.5, 10 }, "prefix_share can't be used together with prefix_len"},
		{func(o *RandomOptions) { o.PrefixShare = 1 }, "prefix_share must be"},
		{func(o *RandomOptions) { o.PrefixShare, o.PrefixCount = 0.5, 0 }, "prefix_count must be at least 1"},
		{func(o *RandomOptions) { o.InputDist, o.RangeRatio.Input = dist(t, "fixed:len=5"), 0.5 }, "range_ratio can't be used together with a distribution"},
		{func(o *RandomOptions) { o.InputDist = dist(t, "empirical:file=/nothing") }, "no such file"},
	} {
		o := randomShape(t, RandomShape{})
		c.change(o.Own.(*RandomOptions))
		_, err := Open(o)
		wantError(t, err, c.want)
	}
}
