package decode

import (
	"strings"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// decodeSentencePiece is the library's own way: the space that encoding put before the text goes, and each byte that is
// no part of a text becomes U+FFFD.
func decodeSentencePiece(s *spec.Step) Decoder {
	const mark = "▁"
	return func(names []string) []string {
		var b strings.Builder
		var run []byte
		flush := func() {
			for len(run) > 0 {
				r, n := utf8.DecodeRune(run)
				b.WriteRune(r)
				run = run[n:]
			}
			run = run[:0]
		}
		begun := false
		for _, name := range names {
			if c, ok := FallbackByte(name); ok {
				run = append(run, c)
				continue
			}
			flush()
			if !begun && b.Len() == 0 && (s.DummyPrefix || !s.ExtraSpaces) {
				rest, cut := strings.CutPrefix(name, mark)
				name, begun = rest, cut && s.ExtraSpaces // without extra spaces all before the first word go
			}
			b.WriteString(strings.ReplaceAll(name, mark, " "))
		}
		flush()
		return []string{b.String()}
	}
}
