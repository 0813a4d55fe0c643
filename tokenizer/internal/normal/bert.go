package normal

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
	"github.com/inferometer/inferometer/tokenizer/internal/uni"
)

// newBert is BERT's own normalizer. Accents go where letters are lowered, unless the file says otherwise.
func newBert(s *spec.Step) Normalizer {
	var steps []Normalizer
	if spec.Or(s.CleanText, true) {
		steps = append(steps, plain(bertClean))
	}
	if spec.Or(s.HandleChinese, true) {
		steps = append(steps, plain(bertChinese))
	}
	lower := spec.Or(s.Lowercase, true)
	if spec.Or(s.StripAccents, lower) {
		decompose := uni.Form(norm.NFD)
		steps = append(steps, plain(func(text string) string { return without(decompose(text), uni.BertCombining) }))
	}
	if lower {
		steps = append(steps, plain(uni.ToLower))
	}
	return func(text string, budget *spec.Budget) string { return All(steps, text, budget) }
}

func bertClean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case uni.BertControl(r):
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, text)
}

// bertChinese puts spaces around ideographs, so that each is a word.
func bertChinese(text string) string {
	var b strings.Builder
	from := 0
	for i, r := range text {
		if r < 0x3400 || !bertIdeograph(r) {
			continue
		}
		end := i + len(string(r))
		b.WriteString(text[from:i])
		b.WriteString(" " + text[i:end] + " ")
		from = end
	}
	if from == 0 {
		return text
	}
	return b.String() + text[from:]
}

func bertIdeograph(r rune) bool {
	switch {
	case r >= 0x3400 && r <= 0x4DBF, r >= 0x4E00 && r <= 0x9FFF, r >= 0xF900 && r <= 0xFAFF,
		r >= 0x20000 && r <= 0x2A6DF, r >= 0x2A700 && r <= 0x2B81F, r >= 0x2B920 && r <= 0x2CEAF, r >= 0x2F800 && r <= 0x2FA1F:
		return true
	}
	return false
}
