package decode

import (
	"strings"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// decodeMetaspace turns marks back into spaces; those of the first token were put there by encoding.
func decodeMetaspace(s *spec.Step) Decoder {
	dropFirst := dropsFirst(s)
	return func(names []string) []string {
		for i, name := range names {
			space := " "
			if i == 0 && dropFirst {
				space = ""
			}
			names[i] = strings.ReplaceAll(name, s.Replacement, space)
		}
		return names
	}
}

func dropsFirst(s *spec.Step) bool {
	if s.PrependScheme == "" && s.AddPrefixSpace != nil {
		return *s.AddPrefixSpace
	}
	return s.PrependScheme != "never"
}

// joinMetaspace does that and joins the names, without a text of its own for each.
func joinMetaspace(s *spec.Step) Decoder {
	dropFirst := dropsFirst(s)
	return func(names []string) []string {
		size := 0
		for _, name := range names {
			size += len(name)
		}
		var b strings.Builder
		b.Grow(size)
		for i, name := range names {
			space := " "
			if i == 0 && dropFirst {
				space = ""
			}
			if rest, ok := strings.CutPrefix(name, s.Replacement); ok { // where most of them are
				b.WriteString(space)
				name = rest
			}
			if strings.IndexByte(name, s.Replacement[0]) >= 0 {
				name = strings.ReplaceAll(name, s.Replacement, space)
			}
			b.WriteString(name)
		}
		return []string{b.String()}
	}
}
