package decode

import (
	"strings"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// decodeWordPiece joins the parts of words, and sets a space before each word but the first.
func decodeWordPiece(s *spec.Step) Decoder {
	prefix, tidy := s.Prefix, spec.Or(s.Cleanup, true)
	return func(names []string) []string {
		for i, name := range names {
			if i > 0 {
				if rest, ok := strings.CutPrefix(name, prefix); ok {
					name = rest
				} else {
					name = " " + name
				}
			}
			if tidy {
				name = english.Replace(name)
			}
			names[i] = name
		}
		return names
	}
}

// replacements makes each of them on all of the text before the next: a strings.Replacer would do all at once.
type replacements []string

func (r replacements) Replace(text string) string {
	if !strings.Contains(text, " ") {
		return text
	}
	for i := 0; i < len(r); i += 2 {
		text = strings.ReplaceAll(text, r[i], r[i+1])
	}
	return text
}

// english undoes the spaces before punctuation and inside contractions.
var english = replacements{
	" .", ".", " ?", "?", " !", "!", " ,", ",", " ' ", "'", " n't", "n't", " 'm", "'m", " do not", " don't",
	" 's", "'s", " 've", "'ve", " 're", "'re",
}

// decodeBPE makes spaces of the suffixes that end words.
func decodeBPE(s *spec.Step) Decoder {
	return func(names []string) []string {
		for i, name := range names {
			space := " "
			if i == len(names)-1 {
				space = ""
			}
			if s.Suffix != "" {
				names[i] = strings.ReplaceAll(name, s.Suffix, space)
			}
		}
		return names
	}
}

// decodeCTC keeps one of equal neighbours, and drops the padding.
func decodeCTC(s *spec.Step) Decoder {
	tidy := spec.Or(s.Cleanup, true)
	return func(names []string) []string {
		out, before := names[:0], ""
		for i, name := range names {
			if i > 0 && name == before {
				continue
			}
			before = name
			if s.PadToken != "" {
				name = strings.ReplaceAll(name, s.PadToken, "")
			}
			if tidy {
				name = english.Replace(name)
				if s.WordDelimiter != "" {
					name = strings.ReplaceAll(name, s.WordDelimiter, " ")
				}
			}
			if name != "" {
				out = append(out, name)
			}
		}
		return out
	}
}
