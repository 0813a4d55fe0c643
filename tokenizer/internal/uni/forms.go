package uni

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func decomposes(r rune) bool {
	var b [utf8.UTFMax]byte
	return !norm.NFKD.IsNormal(b[:utf8.EncodeRune(b[:], r)])
}

// Form is a normal form. What is newer than the reference's tables stays as it is, and nothing moves over it.
func Form(form norm.Form) func(string) string {
	return func(text string) string {
		if form.IsNormalString(text) {
			return text
		}
		var out strings.Builder
		from := 0
		for i, r := range text {
			if r >= 0x300 && Inert(r) {
				n := i + utf8.RuneLen(r)
				out.WriteString(form.String(text[from:i]))
				out.WriteString(text[i:n])
				from = n
			}
		}
		if from == 0 {
			return form.String(text)
		}
		out.WriteString(form.String(text[from:]))
		return out.String()
	}
}
