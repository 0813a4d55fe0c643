package split

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// FuzzMarkedWords: two steps in one give the pieces that they give one after the other.
func FuzzMarkedWords(f *testing.F) {
	for _, text := range seeds {
		f.Add(text)
	}
	for _, text := range []string{"▁", "a▁b ▁▁c▁ ▁", " ▁\u3000▁a", "\u0085▁\u2028a b"} {
		f.Add(text)
	}
	words, meta := spec.Step{Type: "WhitespaceSplit"}, spec.Step{Type: "Metaspace", Replacement: "▁"}
	two := func(t *testing.T, text string) (out []string) {
		first, err := New(&words)
		if err != nil {
			t.Fatal(err)
		}
		second, err := New(&meta)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range pieces(first.Steps[0].Split, text) {
			marked := second.Steps[0].Prepare(word, false)
			out = append(out, pieces(mergedWithNext.splitter(findString("▁"), false), marked)...)
		}
		return out
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // Encode gives them no such text
		}
		one, err := New(&spec.Step{Type: "Sequence", Pretokenizers: []spec.Step{words, meta}})
		if err != nil || len(one.Steps) != 1 {
			t.Fatalf("%d steps, %v", len(one.Steps), err)
		}
		got := piecesAfter(one.Steps[0], text)
		if want := two(t, text); !slices.Equal(got, want) {
			t.Errorf("%q: in one %q, one after the other %q", text, got, want)
		}
	})
}

func piecesAfter(s Step, text string) []string { return pieces(s.Split, s.Prepare(text, true)) }

// TestMarkedWordsOnly: only steps that are the same in one become one.
func TestMarkedWordsOnly(t *testing.T) {
	no := false
	for _, meta := range []spec.Step{
		{Type: "Metaspace", Replacement: "▁", PrependScheme: "first"},
		{Type: "Metaspace", Replacement: "▁", AddPrefixSpace: &no},
		{Type: "Metaspace", Replacement: "▁", Split: &no},
		{Type: "Metaspace", Replacement: "aa"},
		{Type: "Metaspace", Replacement: "\u3000"},
	} {
		p, err := New(&spec.Step{Type: "Sequence", Pretokenizers: []spec.Step{{Type: "WhitespaceSplit"}, meta}})
		if err != nil || len(p.Steps) != 2 {
			t.Errorf("%+v: %d steps, %v", meta, len(p.Steps), err)
		}
	}
}
