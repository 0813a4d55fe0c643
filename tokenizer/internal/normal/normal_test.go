package normal

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// FuzzReplaceSpaces: what is written by hand does what its pattern does.
func FuzzReplaceSpaces(f *testing.F) {
	for _, text := range []string{"", " ", "  ", "   ", "a  b", "  a   b ", "a \t  b\n  ", "é  \u00a0  \u3000 "} {
		f.Add(text, " ")
		f.Add(text, "")
		f.Add(text, "$1  ")
	}
	f.Fuzz(func(t *testing.T, text, content string) {
		if !utf8.ValidString(text + content) {
			return // Encode gives them no such text
		}
		engine, err := ReplaceRegexp(patternSpaces, content)
		if err != nil {
			t.Fatal(err)
		}
		budget := spec.NewBudget(len(text))
		defer budget.End()
		if got, want := replaceSpaces(text, content), engine(text, &budget); got != want {
			t.Errorf("%q with %q: by hand %q, pattern %q", text, content, got, want)
		}
	})
}

// TestGraphemes holds byGraphemes, which passes over plain text, to the same one grapheme at a time.
func TestGraphemes(t *testing.T) {
	m := packed(t, map[string]string{
		"A": "a", "e\u0301": "é", "Å": "aa", "½": "1/2", "\t": " ", "\r\n": "\n", "\u200b": "", "ﾟ": "゜", "\u0308": "", "\u1161": "y", "\U0001F3FD": "", "㍿": "株式会社",
	})
	alphabet := []rune("aAeZ ~\t\r\r\n\n\x00\x7f\u0301\u0308\u0903\u1038é½ﬁﾊﾟ①㍿Å漢カ\u3099한각가ᄀ\u1161\u11a8\u200b\u200d\u200c\u00ad\u0600\u2028\ufeff\ufffd\U0001F469\U0001F3FDกำ")
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		text := make([]rune, 1+random.IntN(10))
		for i := range text {
			text[i] = alphabet[random.IntN(len(alphabet))]
		}
		if got, want := m.byGraphemes(string(text)), oneByOne(m, string(text)); got != want {
			t.Fatalf("%q becomes %q, one grapheme at a time %q", string(text), got, want)
		}
	}
	for r := range rune(1 << 17) {
		for _, text := range []string{string(r), "a" + string(r), string(r) + "\u0301", "가" + string(r)} {
			if got, want := m.byGraphemes(text), oneByOne(m, text); got != want {
				t.Fatalf("%q becomes %q, one grapheme at a time %q", text, got, want)
			}
		}
	}
}

func oneByOne(m *charsmap, text string) string {
	var b strings.Builder
	become := func(part string) bool {
		becomes, n := m.match(part, false)
		b.WriteString(becomes)
		return n > 0
	}
	for text != "" {
		n := firstGrapheme(text)
		if n >= 6 || !become(text[:n]) {
			for _, r := range text[:n] {
				if !become(string(r)) {
					b.WriteRune(r)
				}
			}
		}
		text = text[n:]
	}
	return b.String()
}

func firstGrapheme(text string) int {
	if strings.HasPrefix(text, "\r\n") {
		return 2
	}
	before, n := utf8.DecodeRuneInString(text)
	for !breaks(before) && n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if !attaches(r) && !jamoJoin(before, r) {
			break
		}
		before, n = r, n+size
	}
	return n
}

// packed is a charsmap of some rules, as SentencePiece packs it but for its size: each state has a block of its own.
func packed(t *testing.T, rules map[string]string) *charsmap {
	t.Helper()
	units, texts := make([]uint32, 256), ""
	blocks := map[string]uint32{} // by what has been read
	for key, becomes := range rules {
		at := uint32(0)
		for i := range len(key) + 1 {
			block, ok := blocks[key[:i]]
			if !ok {
				block = uint32(len(units))
				blocks[key[:i]] = block
				units = append(units, make([]uint32, 256)...)
				units[at] |= (at ^ block) << 10
			}
			if i == len(key) {
				units[at] |= 1 << 8
				units[block] = 1<<31 | uint32(len(texts))
				break
			}
			at = block ^ uint32(key[i])
			units[at] |= uint32(key[i])
		}
		texts += becomes + "\x00"
	}
	blob := binary.LittleEndian.AppendUint32(nil, uint32(4*len(units)))
	for _, u := range units {
		blob = binary.LittleEndian.AppendUint32(blob, u)
	}
	m, err := newCharsmap(append(blob, texts...))
	if err != nil {
		t.Fatal(err)
	}
	for key, becomes := range rules {
		if got, n := m.match(key, true); got != becomes || n != len(key) {
			t.Fatalf("%q is packed wrong: %q, %d", key, got, n)
		}
	}
	return m
}
