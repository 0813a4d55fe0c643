package workload

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/send/workload/lengths"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
)

func randomOptions(t prompts.Tokenizer) Options {
	o := Defaults("random")
	o.NumPrompts, o.Tokenizer = 30, t
	o.Own = &RandomOptions{InputLen: 40, OutputLen: 10, RangeRatio: lengths.RangeRatio{Input: 0.5, Output: 0.2}, PrefixLen: 6}
	return o
}

// The three arrays that NumPy draws for U{922..1127}, U{116..141} and U{0..50256}.
func TestRandomLengthsAsNumPy(t *testing.T) {
	l, err := newRandomLengths(8, &RandomOptions{InputLen: 1024, OutputLen: 128, RangeRatio: lengths.RangeRatio{Input: 0.1, Output: 0.1}}, 0, 0, 50257)
	if err != nil {
		t.Fatal(err)
	}
	if l.inLow != 921 || l.inHigh != 1127 || l.outLow != 115 || l.outHigh != 141 {
		t.Errorf("ranges %d-%d and %d-%d, want 921-1127 and 115-141", l.inLow, l.inHigh, l.outLow, l.outHigh)
	}
	if l, err = newRandomLengths(8, &RandomOptions{InputLen: 1024, OutputLen: 5}, 0, 1, 50257); err != nil {
		t.Fatal(err)
	}
	// Lengths without a range draw nothing: the offsets are the first draws.
	for i, want := range []int{42749, 32011, 25688, 13558, 15470, 2059, 3781, 830} {
		if in, out, offset := l.next(); in != 1023 || out != 5 || offset != want {
			t.Errorf("request %d: %d, %d, %d; want 1023, 5, %d", i, in, out, offset, want)
		}
	}
}

func TestRandomPromptsHaveTheirLength(t *testing.T) {
	for name, tok := range map[string]prompts.Tokenizer{"vocabulary": fakeVocabulary{}, "server": newFakeServer()} {
		t.Run(name, func(t *testing.T) {
			exact := 0
			for _, r := range all(t, open(t, randomOptions(tok))) {
				ids, err := tok.Encode(r.Prompt)
				if err != nil {
					t.Fatal(err)
				}
				if len(ids) != r.PromptTokens {
					t.Errorf("request %d: %d tokens planned, %d in fact", r.Index, r.PromptTokens, len(ids))
				}
				if n := r.PromptTokens - 6; n >= 20 && n <= 60 {
					exact++
				}
				if r.OutputTokens < 8 || r.OutputTokens > 12 {
					t.Errorf("request %d asks for %d tokens, want 8 to 12", r.Index, r.OutputTokens)
				}
			}
			if exact < 29 { // the tries may run out for one
				t.Errorf("%d of 30 prompts have a length in the range", exact)
			}
		})
	}
}

func TestRandomWithoutATokenizer(t *testing.T) {
	for _, r := range all(t, open(t, randomOptions(nil))) {
		if r.PromptTokens != 0 {
			t.Errorf("request %d says %d tokens, though nobody can count", r.Index, r.PromptTokens)
		}
		if n := len(strings.Fields(r.Prompt)); n < 26 || n > 66 {
			t.Errorf("request %d has %d words, want 26 to 66", r.Index, n)
		}
	}
}

func TestRandomPromptsShareThePrefix(t *testing.T) {
	requests := all(t, open(t, randomOptions(nil)))
	prefix := func(r *Request) string { return strings.Join(strings.Fields(r.Prompt)[:6], " ") }
	for _, r := range requests[1:] {
		if prefix(r) != prefix(requests[0]) {
			t.Errorf("request %d begins with %q, request 0 with %q", r.Index, prefix(r), prefix(requests[0]))
		}
	}
}

func prefixOptions(t prompts.Tokenizer) Options {
	o := Defaults("prefix_repetition")
	o.Dataset, o.NumPrompts, o.Tokenizer = "prefix_repetition", 23, t
	o.Own = &PrefixRepetitionOptions{PrefixLen: 12, SuffixLen: 8, NumPrefixes: 5, OutputLen: 7}
	return o
}

func TestPrefixRepetition(t *testing.T) {
	for name, tok := range map[string]prompts.Tokenizer{"vocabulary": fakeVocabulary{}, "server": newFakeServer(), "none": nil} {
		t.Run(name, func(t *testing.T) {
			d := open(t, prefixOptions(tok))
			starts := map[string]int{}
			for _, r := range all(t, d) {
				starts[r.Prompt[:12]]++
				if !r.NoID || r.OutputTokens != 7 || (r.PromptTokens != 0) != (tok != nil) {
					t.Errorf("%+v", *r)
				}
			}
			if d.Len() != 20 || len(starts) != 5 {
				t.Errorf("%d prompts with %d prefixes, want 20 with 5", d.Len(), len(starts))
			}
			if (NumPyState(d) != nil) != (name == "vocabulary") {
				t.Error("only a known vocabulary draws from NumPy's generator")
			}
		})
	}
}

func sonnetOptions(t *testing.T) Options {
	o := Defaults("sonnet")
	o.Dataset, o.NumPrompts, o.Tokenizer = "sonnet", 20, fakeVocabulary{}
	var poem strings.Builder
	for i := range 40 {
		// Lines of one length would always round to prompts that are too long, or never.
		fmt.Fprintf(&poem, "line %c%c of a%s poem\r\n", 'a'+i%26, 'a'+i/26, strings.Repeat(" long", i%5))
	}
	o.Path = writeFile(t, "poem.txt", poem.String())
	o.Own = &SonnetOptions{InputLen: 200, OutputLen: 9, PrefixLen: 100}
	return o
}

func TestSonnet(t *testing.T) {
	o := sonnetOptions(t)
	requests := all(t, open(t, o))
	for _, r := range requests {
		if !strings.HasPrefix(r.Prompt, "<user>Pick as many lines as you can from these poem lines:\nline aa of a poem\nline ba of a long poem\n") {
			t.Errorf("request %d is %q", r.Index, r.Prompt)
		}
		if n, _ := prompts.CountTokens(o.Tokenizer, r.Prompt); n != r.PromptTokens || n > 200 {
			t.Errorf("request %d: %d tokens planned, %d in fact, at most 200 wanted", r.Index, r.PromptTokens, n)
		}
	}
	o.Chat = true // the server applies the template then
	for i, r := range all(t, open(t, o)) {
		if want := strings.TrimSuffix(strings.TrimPrefix(requests[i].Prompt, "<user>"), "<answer>"); r.Prompt != want {
			t.Errorf("request %d as a chat is %q, want %q", i, r.Prompt, want)
		}
	}
}

// What the error about a missing chat template advises is done: prompts go as they are.
func TestSonnetWithoutChatTemplate(t *testing.T) {
	o := sonnetOptions(t)
	o.Tokenizer = newFakeServer()
	_, err := Open(o)
	wantError(t, err, "--skip-chat-template")
	o.SkipChatTemplate = true
	if !slices.Contains(sonnet.SharedKeys, keySkipChatTemplate) {
		t.Error("the flag is said to have no effect")
	}
	for _, r := range all(t, open(t, o)) {
		if n, _ := prompts.CountTokens(o.Tokenizer, r.Prompt); !strings.HasPrefix(r.Prompt, sonnetTask) || n != r.PromptTokens || n > 200 {
			t.Errorf("request %d has %d tokens, %d planned: %q", r.Index, n, r.PromptTokens, r.Prompt)
		}
	}
}

// everyDataset makes each dataset in turn.
func everyDataset(t *testing.T) map[string]Options {
	return map[string]Options{
		"random":            randomOptions(fakeVocabulary{}),
		"random words":      randomOptions(nil),
		"random server":     randomOptions(newFakeServer()),
		"prefix_repetition": prefixOptions(fakeVocabulary{}),
		"prefix words":      prefixOptions(nil),
		"sonnet":            sonnetOptions(t),
		"sharegpt":          shareGPTOptions(t, conversations(30)),
		"custom":            customOptions(t, lines(30)),
		"custom, too few":   customOptions(t, lines(4)),
	}
}

func TestIdenticalSeedIdenticalRequests(t *testing.T) {
	for name, o := range everyDataset(t) {
		t.Run(name, func(t *testing.T) {
			first, second := promptsOf(all(t, open(t, o))), promptsOf(all(t, open(t, o)))
			if !slices.Equal(first, second) {
				t.Error("the same seed gave other prompts")
			}
			o.Seed++
			if other := promptsOf(all(t, open(t, o))); slices.Equal(first, other) {
				t.Error("another seed gave the same prompts")
			}
		})
	}
}

func TestWarmupsAreOtherPrompts(t *testing.T) {
	for name, o := range everyDataset(t) {
		t.Run(name, func(t *testing.T) {
			d := open(t, o)
			const n = 25
			warm, err := d.Warmups(n)
			if err != nil {
				t.Fatal(err)
			}
			again, err := d.Warmups(n)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(promptsOf(warm), promptsOf(again)) {
				t.Error("asked again, the warm-ups are others")
			}
			measured := all(t, d) // warming up must not have used anything up
			if !slices.Equal(promptsOf(measured), promptsOf(all(t, open(t, o)))) {
				t.Error("warming up changed the measured prompts")
			}
			seen := map[string]bool{}
			for _, r := range measured {
				seen[r.Prompt] = true
			}
			for i, w := range warm {
				if seen[w.Prompt] {
					t.Errorf("warm-up %d is a measured prompt or one that was there before: %q", i, w.Prompt)
				}
				seen[w.Prompt] = true
				if w.Index != i || w.OutputTokens == 0 || w.Prompt == "" || (w.PromptTokens == 0) != (measured[0].PromptTokens == 0) {
					t.Errorf("warm-up %d: %+v", i, *w)
				}
			}
			if len(warm) != n {
				t.Errorf("%d warm-ups, want %d", len(warm), n)
			}
			if none, err := d.Warmups(0); len(none) != 0 || err != nil {
				t.Errorf("no warm-ups: %v, %v", none, err)
			}
		})
	}
}

// A warm-up that began as a measured prompt begins would put it into a cache.
func TestRandomWarmupsBeginOtherwise(t *testing.T) {
	o := randomOptions(fakeVocabulary{})
	o.NumPrompts, o.Own.(*RandomOptions).PrefixLen = 500, 0
	d := open(t, o)
	warm, err := d.Warmups(50)
	if err != nil {
		t.Fatal(err)
	}
	starts := map[string]bool{}
	for _, r := range all(t, d) {
		starts[r.Prompt[:12]] = true
	}
	for _, w := range warm {
		if starts[w.Prompt[:12]] {
			t.Errorf("warm-up %d begins as a measured prompt: %q", w.Index, w.Prompt)
		}
	}
}

func TestMistakesAreNamed(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*Options)
	}{
		{"use one of random, sharegpt", func(o *Options) { o.Dataset = "rendom" }},
		{"path can't be used with dataset_name random, which is made, not read", func(o *Options) { o.Path = "x" }},
		{"num_prompts must be at least 1, not 0", func(o *Options) { o.NumPrompts = 0 }},
		{"range_ratio must be at least 0 and below 1, not 1", func(o *Options) { o.Own.(*RandomOptions).RangeRatio.Output = 1 }},
		{"input_len must be at least 0, not -1", func(o *Options) { o.Own = &RandomOptions{InputLen: -1, OutputLen: 1} }},
		{"input_len and prefix_len can't both be 0", func(o *Options) { o.Own = &RandomOptions{InputLen: 0, OutputLen: 1} }},
		{"num_prompts must be at least num_prefixes, and 9 is below 10", func(o *Options) { *o = Defaults("prefix_repetition"); o.NumPrompts = 9 }},
		{"num_prefixes must be at least 1", func(o *Options) { *o = prefixOptions(nil); o.Own.(*PrefixRepetitionOptions).NumPrefixes = 0 }},
		{"suffix_len and prefix_len can't both be 0", func(o *Options) {
			*o = prefixOptions(nil)
			o.Own = &PrefixRepetitionOptions{NumPrefixes: 1, OutputLen: 1}
		}},
		{"output_len must be at least 1, or -1, not 0", func(o *Options) { *o = Defaults("custom"); o.Own = &CustomOptions{0} }},
		{"its options are *workload.RandomOptions", func(o *Options) { o.Dataset, o.Path = "custom", "x" }},
		{"path is needed for dataset_name sharegpt", func(o *Options) { *o = Defaults("sharegpt") }},
		{"path is needed", func(o *Options) { *o = Defaults("custom") }},
		{"path is needed", func(o *Options) { *o = Defaults("speed_bench") }},
		{"give --tokenizer", func(o *Options) { *o = Defaults("sonnet") }},
		{"give --tokenizer", func(o *Options) { *o = Defaults("sharegpt"); o.Path = "x" }},
		{"no such file", func(o *Options) { *o = Defaults("custom"); o.Path = "absent.json" }},
		{"input_len must be above prefix_len, and 10 is not above 100", func(o *Options) { *o = sonnetOptions(t); o.Own.(*SonnetOptions).InputLen = 10 }},
		{"raise --sonnet-input-len", func(o *Options) { *o = sonnetOptions(t); o.Own = &SonnetOptions{10, 1, 0} }},
		{"no chat template", func(o *Options) { *o = sonnetOptions(t); o.Tokenizer = newFakeServer() }},
	} {
		o := randomOptions(fakeVocabulary{})
		c.change(&o)
		if d, err := Open(o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, %v; want an error with %q", d, err, c.want)
		}
	}
}

func TestSonnetGivesUp(t *testing.T) {
	o := sonnetOptions(t)
	o.Own.(*SonnetOptions).PrefixLen = 230 // more than the input may have
	d, err := openSonnet(o, o.Own.(*SonnetOptions))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if r, err := d.Next(); err == nil || !strings.Contains(err.Error(), "lower --sonnet-prefix-len") {
		t.Errorf("%v, %v", r, err)
	}
}

func TestParseRangeRatio(t *testing.T) {
	for text, want := range map[string]lengths.RangeRatio{
		"0.3":                          {Input: 0.3, Output: 0.3},
		"0":                            {},
		` {"input":0.1,"output":0.25}`: {Input: 0.1, Output: 0.25},
	} {
		var got lengths.RangeRatio
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, bad := range []string{"", "x", "1", "-0.1", "NaN", `{"input":0.1}`, `{"input":0.1,"output":1}`, `{"input":0,"output":0,"more":0}`, `{`} {
		var got lengths.RangeRatio
		if err := got.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q was read as %v", bad, got)
		}
	}
}

func FuzzParseRangeRatio(f *testing.F) {
	f.Add("0.5")
	f.Add(`{"input":0.1,"output":0.2}`)
	f.Fuzz(func(t *testing.T, text string) {
		var r lengths.RangeRatio
		if err := r.UnmarshalText([]byte(text)); err == nil && r.CheckRange() != nil {
			t.Errorf("%q was read as %v", text, r)
		}
	})
}

func TestBuiltInWordsAreDifferent(t *testing.T) {
	if len(prompts.WordIDs) != len(prompts.Words) {
		t.Errorf("%d words, %d of them different", len(prompts.Words), len(prompts.WordIDs))
	}
}

func BenchmarkRandom(b *testing.B) {
	for _, name := range []string{"gpt2", "qwen2_5"} {
		b.Run(name, func(b *testing.B) {
			o := Defaults("random")
			o.NumPrompts = 1_000_000
			o.Tokenizer = testTokenizer(b, name)
			d, err := Open(o)
			if err != nil {
				b.Fatal(err)
			}
			defer d.Close()
			for b.Loop() {
				if _, err := d.Next(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// By Zipf's law some prefixes are frequent; each is there, none is lost, and what was sent before is told.
func TestPrefixesByZipf(t *testing.T) {
	for _, prompts := range []int{20, 21, 500} {
		d, err := Open(Options{Dataset: "prefix_repetition", NumPrompts: prompts, Seed: 7, Own: &PrefixRepetitionOptions{PrefixLen: 6, SuffixLen: 4, NumPrefixes: 20, OutputLen: 1, Zipf: 1}})
		if err != nil {
			t.Fatal(err)
		}
		counts := make([]int, 20)
		for range d.Len() {
			r, err := d.Next()
			if err != nil {
				t.Fatal(err)
			}
			want := 6
			if counts[r.Prefix-1] == 0 {
				want = 0
			}
			if r.SharedTokens != want || r.SharedOf != 10 {
				t.Errorf("%d of %d are shared, want %d of 10", r.SharedTokens, r.SharedOf, want)
			}
			counts[r.Prefix-1]++
		}
		total := 0
		for k, n := range counts {
			if total += n; n == 0 || k > 0 && n > counts[k-1] {
				t.Errorf("%d prompts: the prefixes have %v", prompts, counts)
			}
		}
		if total != prompts {
			t.Errorf("%d prompts, want %d", total, prompts)
		}
		d.Close()
	}
}
