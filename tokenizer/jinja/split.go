package jinja

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// split is str.split, and from the right str.rsplit.
func (r *run) split(s string, a *arguments, fromRight bool) any {
	args := a.bind(0, "sep", "maxsplit")
	limit := intArgument(args[1], -1)
	var parts []string
	switch sep := unmarked(args[0]).(type) {
	case absent, nil:
		parts = splitSpace(s, limit, fromRight)
	case string:
		if sep == "" {
			fail("empty separator")
		}
		parts = splitBy(s, sep, limit, fromRight)
	default:
		fail("split needs a string, not %s", typeName(sep))
	}
	return r.listOf(parts)
}

func (r *run) listOf(texts []string) *List {
	r.spend(2 * itemCost * len(texts))
	items := make([]any, len(texts))
	for i, s := range texts {
		items[i] = s
	}
	return &List{items: items}
}

func splitBy(s, sep string, limit int64, fromRight bool) []string {
	if limit < 0 || limit >= int64(len(s)) {
		return strings.Split(s, sep)
	}
	if !fromRight {
		return strings.SplitN(s, sep, int(limit)+1)
	}
	var parts []string
	for ; limit > 0; limit-- {
		at := strings.LastIndex(s, sep)
		if at < 0 {
			break
		}
		parts = append(parts, s[at+len(sep):])
		s = s[:at]
	}
	parts = append(parts, s)
	slices.Reverse(parts)
	return parts
}

// splitSpace splits at runs of whitespace; those at the ends count for nothing.
func splitSpace(s string, limit int64, fromRight bool) []string {
	if limit < 0 || limit >= int64(len(s)) {
		return strings.FieldsFunc(s, isSpace)
	}
	var parts []string
	for {
		s = strip(s, nil, !fromRight, fromRight)
		at := strings.IndexFunc(s, isSpace)
		if fromRight {
			at = strings.LastIndexFunc(s, isSpace)
		}
		if s == "" || at < 0 || limit == 0 {
			break
		}
		limit--
		if fromRight {
			rest := strings.TrimLeftFunc(s[at:], isSpace)
			parts, s = append(parts, rest), s[:at]
		} else {
			parts, s = append(parts, s[:at]), s[at:]
		}
	}
	if s != "" {
		parts = append(parts, s)
	}
	if fromRight {
		slices.Reverse(parts)
	}
	return parts
}

func splitlinesMethod(r *run, s string, a *arguments) any {
	keep := a.bind(0, "keepends")[0]
	return r.listOf(splitLines(s, keep != (absent{}) && r.truth(keep)))
}

// splitLines splits where Python sees the end of a line.
func splitLines(s string, keep bool) []string {
	var lines []string
	for s != "" {
		at := strings.IndexFunc(s, isLineEnd)
		if at < 0 {
			return append(lines, s)
		}
		_, size := utf8.DecodeRuneInString(s[at:])
		if strings.HasPrefix(s[at:], "\r\n") {
			size = 2
		}
		end := at + size
		if keep {
			at = end
		}
		lines, s = append(lines, s[:at]), s[end:]
	}
	return lines
}

func isLineEnd(c rune) bool {
	return c >= '\n' && c <= '\r' || c >= 0x1c && c <= 0x1e || c == 0x85 || c == 0x2028 || c == 0x2029
}
