package model

import (
	"strings"

	"github.com/inferometer/inferometer/tokenizer/internal/split"
)

// spaceMark stands for a space in vocabularies that do not spell bytes.
const spaceMark = "▁"

// MarkJoins says where a text of such a vocabulary may be cut before a mark without changing its tokens.
// These models do not split text at all, so that a whole document is one piece, which is slow to merge
// and never in the cache. But a cut is safe where no merge can reach over it: where no token that a merge
// makes has the byte before the cut right before a mark. For nearly all bytes of real vocabularies, that is so.
type MarkJoins [256]bool

// note takes a token that a merge makes.
func (j *MarkJoins) note(token string) {
	for i := 0; ; i++ {
		at := strings.Index(token[i:], spaceMark)
		if at < 0 {
			return
		}
		if i += at; i > 0 {
			j[token[i-1]] = true
		}
	}
}

// Split cuts before each mark where that is safe.
func (j *MarkJoins) Split(text string, dst []split.Span) []split.Span {
	from := 0
	for i := 0; ; i += len(spaceMark) {
		at := strings.Index(text[i:], spaceMark)
		if at < 0 {
			break
		}
		if i += at; i > from && !j[text[i-1]] {
			dst = append(dst, split.Span{From: from, To: i})
			from = i
		}
	}
	if from < len(text) {
		dst = append(dst, split.Span{From: from, To: len(text)})
	}
	return dst
}
