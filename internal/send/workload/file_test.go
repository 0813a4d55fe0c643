package workload

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// conversations makes n of them; the prompt of number i is i+2 times "aa ".
func conversations(n int) string {
	var b strings.Builder
	b.WriteString("[")
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		prompt := strings.Repeat(string(rune('a'+i%26))+" ", i+2)
		fmt.Fprintf(&b, `{"id": "%d", "conversations": [{"from": "human", "value": %q}, {"from": "gpt", "value": "%s"}]}`,
			i, prompt, strings.Repeat("ab", i+5))
	}
	return b.String() + "]"
}

func shareGPTOptions(t *testing.T, text string) Options {
	o := Defaults("sharegpt")
	o.NumPrompts, o.Tokenizer = 10, fakeVocabulary{}
	o.Path = writeFile(t, "conversations.json", text)
	return o
}

// lines makes a custom dataset of n lines.
func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"prompt": "prompt %d", "output_tokens": %d}`+"\n", i, i+1)
	}
	return b.String()
}

func customOptions(t *testing.T, text string) Options {
	o := Defaults("custom")
	o.NumPrompts, o.Tokenizer = 10, fakeVocabulary{}
	o.Path = writeFile(t, "prompts.jsonl", text)
	return o
}

func turn(text string, pairs int) string {
	return fmt.Sprintf(`{"value": %q}`, text+strings.Repeat("ab", pairs))
}

func TestShareGPTTakesWhatFits(t *testing.T) {
	for _, c := range []struct {
		name      string
		entry     string
		outputLen int
		fits      bool
	}{
		{"short enough", `{"conversations": [` + turn("", 4) + `,` + turn("", 4) + `]}`, 0, true},
		{"prompt too short", `{"conversations": [` + turn("", 3) + `,` + turn("", 4) + `]}`, 0, false},
		{"answer too short", `{"conversations": [` + turn("", 4) + `,` + turn("", 3) + `]}`, 0, false},
		{"answer too short, but not asked for", `{"conversations": [` + turn("", 4) + `,` + turn("", 3) + `]}`, 2, true},
		{"longest prompt", `{"conversations": [` + turn("", 1024) + `,` + turn("", 1024) + `]}`, 0, true},
		{"prompt too long", `{"conversations": [` + turn("", 1025) + `,` + turn("", 4) + `]}`, 0, false},
		{"both too long", `{"conversations": [` + turn("", 1024) + `,` + turn("", 1025) + `]}`, 0, false},
		{"one turn", `{"conversations": [` + turn("", 4) + `]}`, 0, false},
		{"no conversations", `{"id": 1}`, 0, false},
		{"not an object", `[1, 2]`, 0, false},
		{"conversations of another type", `{"conversations": "many"}`, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			fallback := `{"conversations": [` + turn("fall", 5) + `,` + turn("", 5) + `]}`
			o := shareGPTOptions(t, "[\n"+c.entry+" ,\n"+fallback+"\n]")
			o.NoOversample = true
			if c.outputLen > 0 {
				o.Own = &ShareGPTOptions{&c.outputLen}
			}
			fits := true
			if got := promptsOf(all(t, open(t, o))); len(got) == 1 {
				fits = false
			}
			if fits != c.fits {
				t.Errorf("taken: %v, want %v", fits, c.fits)
			}
		})
	}
}

func TestShareGPTOutputLength(t *testing.T) {
	o := shareGPTOptions(t, conversations(30))
	o.DisableShuffle = true
	first := all(t, open(t, o))[0]
	if first.OutputTokens != 5 || first.PromptTokens != 4 || first.Prompt != "a a " {
		t.Errorf("%+v, want a prompt of 4 tokens and 5 to come", *first)
	}
	wanted := 77
	o.Own = &ShareGPTOptions{&wanted}
	if first := all(t, open(t, o))[0]; first.OutputTokens != 77 {
		t.Errorf("%d tokens are asked for, want 77", first.OutputTokens)
	}
}

func TestFilesAreRepeatedUnlessForbidden(t *testing.T) {
	o := customOptions(t, lines(3))
	requests := all(t, open(t, o))
	for i, r := range requests {
		if r.Index != i {
			t.Errorf("request %d has index %d", i, r.Index)
		}
		if i >= 3 && !slices.Contains(promptsOf(requests[:3]), r.Prompt) {
			t.Errorf("request %d is not one of the file: %q", i, r.Prompt)
		}
	}
	o.NoOversample = true
	if d := open(t, o); d.Len() != 3 || len(all(t, d)) != 3 {
		t.Errorf("%d requests, want 3", d.Len())
	}
	o.NumPrompts = 0
	o.NoOversample = false
	if d := open(t, o); d.Len() != 3 {
		t.Errorf("%d requests, want all 3", d.Len())
	}
}

func TestCustomKeepsTheOrderIfAsked(t *testing.T) {
	o := customOptions(t, "\n"+lines(3)+"  \n\n")
	o.DisableShuffle, o.SkipChatTemplate, o.NumPrompts = true, true, -1
	o.Own = &CustomOptions{-1}
	for i, r := range all(t, open(t, o)) {
		if r.Prompt != fmt.Sprintf("prompt %d", i) || r.OutputTokens != i+1 || r.PromptTokens == 0 {
			t.Errorf("request %d: %+v", i, *r)
		}
	}
	o.SkipChatTemplate = false
	if r := all(t, open(t, o))[0]; r.Prompt != "<user>prompt 0<answer>" {
		t.Errorf("with the template: %q", r.Prompt)
	}
	o.Tokenizer = nil
	if r := all(t, open(t, o))[0]; r.Prompt != "prompt 0" || r.PromptTokens != 0 {
		t.Errorf("without a tokenizer: %+v", *r)
	}
}

func TestOutputTokens(t *testing.T) {
	for raw, want := range map[string]int{`12`: 12, `12.0`: 12, `12.9`: 12, `"12"`: 12, `" 12 "`: 12} {
		if got, err := wholeNumber(json.RawMessage(raw)); err != nil || got != want {
			t.Errorf("%s: %d, %v; want %d", raw, got, err, want)
		}
	}
	for _, bad := range []string{``, `null`, `"x"`, `"1.5"`, `[]`, `{}`} {
		if got, err := wholeNumber(json.RawMessage(bad)); err == nil {
			t.Errorf("%s was read as %d", bad, got)
		}
	}
}

func TestBrokenFilesAreNamed(t *testing.T) {
	for _, c := range []struct {
		dataset, text, want string
	}{
		{"custom", `{"prompt": "a"}` + "\n" + `{"text": "b"}`, "entry 2: it has no prompt"},
		{"custom", `["a"]`, "entry 1: each line must be a JSON object"},
		{"custom", `{"prompt": "a"}`, "--custom-output-len -1"},
		{"custom", "", "no entry that can be used"},
		{"sharegpt", `{"conversations": []}`, "must be a JSON array"},
		{"sharegpt", `[{"conversations": [1, 2]}, `, "at byte"},
		{"sharegpt", `[{"conversations": [{"value": "a"}, {"from": "b"}]}]`, "must have a value"},
		{"sharegpt", `[{"id": 1}`, "has no end"},
		{"sharegpt", `[]`, "no entry that can be used"},
		{"sharegpt", ``, "must be a JSON array"},
	} {
		o := shareGPTOptions(t, c.text)
		o.DisableShuffle = true
		if c.dataset == "custom" {
			o.Dataset, o.Own = c.dataset, &CustomOptions{5}
		}
		if strings.Contains(c.want, "-1") {
			o.Own = &CustomOptions{-1}
		}
		if _, err := Open(o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want an error with %q", c.dataset, c.text, err, c.want)
		}
	}
}

// A line longer than any buffer must be found whole.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	spans, err := indexLines(strings.NewReader("{}\n\n" + long + "\n \nend"))
	want := []span{{0, 3}, {4, 3<<20 + 1}, {4 + 3<<20 + 3, 3}}
	if err != nil || !slices.Equal(spans, want) {
		t.Errorf("%v, %v; want %v", spans, err, want)
	}
}

func TestWarmupsSkipTheSameText(t *testing.T) {
	o := customOptions(t, strings.Repeat(`{"prompt": "the same"}`+"\n", 20)+lines(3))
	o.DisableShuffle, o.SkipChatTemplate = true, true
	warm, err := open(t, o).Warmups(5)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"prompt 0", "prompt 1", "prompt 2", "Warm-up 4. the same", "Warm-up 5. the same"}
	if got := promptsOf(warm); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzShareGPT(f *testing.F) {
	f.Add(conversations(3))
	f.Add(`[{"conversations":[{"value":"a"},{"value":"b"}]} , 7, {"conversations":[{},{}]}]`)
	f.Fuzz(func(t *testing.T, text string) {
		type turns struct{ Conversations []struct{} }
		spans, err := indexArray(strings.NewReader(text), func(e turns) bool { return len(e.Conversations) >= 2 })
		if err != nil {
			return
		}
		for _, s := range spans {
			raw := []byte(text[s.at : s.at+int64(s.size)])
			_, err := (&shareGPTEntries{tok: fakeVocabulary{}}).request(raw)
			var broken *json.SyntaxError
			if errors.As(err, &broken) {
				t.Errorf("span %v of %q is not an element: %v", s, text, err)
			}
		}
	})
}

func FuzzCustom(f *testing.F) {
	f.Add(lines(3))
	f.Add("\r\n{\"prompt\":\"\\ud800\",\"output_tokens\":\"7\"}\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		spans, err := indexLines(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for line := range strings.SplitSeq(text, "\n") {
			if strings.TrimSpace(line) != "" {
				want++
			}
		}
		if len(spans) != want {
			t.Fatalf("%q has %d lines, want %d", text, len(spans), want)
		}
		for _, s := range spans {
			line := text[s.at : s.at+int64(s.size)]
			r, err := (&customEntries{parse: parseCustomLine, tok: fakeVocabulary{}, outputLen: -1}).request([]byte(line))
			if err == nil && !json.Valid([]byte(line)) {
				t.Errorf("%q is no JSON but gave %+v", line, *r)
			}
		}
	})
}
