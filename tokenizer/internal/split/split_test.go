package split

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// seeds are texts on which splitters have gone wrong, or might.
var seeds = []string{
	"", " ", "  ", "\n", " \n ", "\r\n\r\n", "a", " a", "  a", "\ta", "a\n", "a \n b", "a  \n\n  b", "a\u00a0b", "\u3000\u3000x",
	"it's", "IT'S", "it'ſ", "'", "''s", "'re've", "'x", "'l", "'ll", "'LL", " 's", "1234", " 12 34", "a1b2", "½²٣五", "!!\n\n?",
	" !?\r\n", "...a", "👩‍👩‍👧 e\u0301", "日本語 テキスト", "\u0085\u2028", "\x00\x1f", "a\u200bb", "𝒳𝟙 x", "end   ", "end\t\t",
	"camelCase HTTPServer's ABC'LL x/y//\n", "Aé\u0301B ʰA ʰ\u0301 Ǆx", "日本A a日B", "\u0301A \u0301\u0301", "ÀÉ\u0301", " \u0301B",
	"#include <a.h>\n\n$x+=_y", "1a 1 a\x00b\x00", "1234567 ٣٤٥٦٧", "漢字ひらカナ・ー々龥龦", "a漢b〇。、\r\n", " \u0301", "\u0301\u0301!", "\t!\n", "\u00a0!", "€5\r\n \r", "\ue000\ufeffx", " \n\n !\n",
}

func TestFastSplittersSeeds(t *testing.T) {
	for _, text := range seeds {
		checkSplitters(t, text)
	}
}

// TestFastSplittersRandom puts runes of all classes side by side, which a fuzzer that works on bytes seldom does.
func TestFastSplittersRandom(t *testing.T) {
	alphabet := []rune("aZé漢カー 　\t\u00a0\u0085\r\n'sLl15½٣!_-$€。、/\x00\u200b\u0301\u0903ʰǄſ龥龦\U0001F469𝒳𝟙\ue000\U000e0100\u1c89\U00010d40")
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		text := make([]rune, 1+random.IntN(12))
		for i := range text {
			text[i] = alphabet[random.IntN(len(alphabet))]
		}
		checkSplitters(t, string(text))
	}
}

// FuzzFastSplitters: each splitter written by hand gives the pieces of its pattern, for any text.
func FuzzFastSplitters(f *testing.F) {
	for _, text := range seeds {
		f.Add(text)
	}
	f.Fuzz(checkSplitters)
}

type twoWays struct{ fast, engine Splitter }

// byHand are the splitters written by hand, by their patterns.
var byHand = sync.OnceValue(func() map[string]twoWays {
	all := maps.Clone(knownSplitters)
	for pattern, match := range knownMatchers {
		all[pattern] = isolate(match)
	}
	ways := map[string]twoWays{}
	for pattern, fast := range all {
		re, err := Compile(pattern)
		if err != nil {
			panic(err)
		}
		ways[pattern] = twoWays{fast, isolated.splitter(finder(Step{Match: findRegexp(re)}.splitter()), false)}
	}
	return ways
})

func checkSplitters(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		return // Encode gives them no such text
	}
	for pattern, of := range byHand() {
		got, want := pieces(of.fast, text), pieces(of.engine, text)
		if !slices.Equal(got, want) {
			t.Errorf("%q\nby hand %q\npattern %q\n%s", text, got, want, pattern)
		}
		if strings.Join(got, "") != text {
			t.Errorf("%q: the pieces %q are not all of it", text, got)
		}
	}
}

// TestKnownPatterns: what a file says in other words, or wants otherwise, goes to the engine.
func TestKnownPatterns(t *testing.T) {
	tests := []struct {
		how, pattern string
		invert       bool
		want         string
	}{
		{"Isolated", patternDigits3, false, "a|123|4|b"},
		{"Isolated", patternDigits3, true, "a|123|4|b"},
		{"Removed", patternDigits3, false, "a|b"},
		{"Removed", patternDigits3, true, "123|4"},
		{"Isolated", `\p{N}{1,2}`, false, "a|12|34|b"},
	}
	for _, test := range tests {
		split, err := newSplit(&spec.Step{Behavior: test.how, Invert: test.invert, Pattern: spec.Pattern{Regex: test.pattern}})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(pieces(split.splitter(), "a1234b"), "|"); got != test.want {
			t.Errorf("%s of %s, invert %v: %s, want %s", test.how, test.pattern, test.invert, got, test.want)
		}
	}
}

// splitter is that of a step of either kind.
func (s Step) splitter() Splitter {
	return func(text string, dst []Span) []Span {
		budget := spec.NewBudget(len(text))
		defer budget.End()
		dst, _ = s.Cut(text, dst, &budget)
		return dst
	}
}

func pieces(split Splitter, text string) []string {
	var out []string
	for _, s := range split(text, nil) {
		out = append(out, text[s.From:s.To])
	}
	return out
}

func TestBehaviours(t *testing.T) {
	const text = "the-final--countdown"
	tests := []struct {
		how    string
		invert bool
		want   string // pieces between bars; from the documentation of the format
	}{
		{"Isolated", false, "the|-|final|-|-|countdown"},
		{"Removed", false, "the|final|countdown"},
		{"Removed", true, "-|-|-"},
		{"MergedWithPrevious", false, "the-|final-|-|countdown"},
		{"MergedWithNext", false, "the|-final|-|-countdown"},
		{"Contiguous", false, "the|-|final|--|countdown"},
	}
	for _, test := range tests {
		split, err := newSplit(&spec.Step{Behavior: test.how, Invert: test.invert, Pattern: spec.Pattern{String: "-"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(pieces(split.Split, text), "|"); got != test.want {
			t.Errorf("%s, invert %v: %s, want %s", test.how, test.invert, got, test.want)
		}
	}
}

func TestDigits(t *testing.T) {
	for each, want := range map[bool]string{false: "a|12|b|½", true: "a|1|2|b|½"} {
		if got := strings.Join(pieces(digitSplitter(each), "a12b½"), "|"); got != want {
			t.Errorf("each %v: %s, want %s", each, got, want)
		}
	}
}
