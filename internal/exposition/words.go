package exposition

import (
	"strconv"
	"strings"
)

// blank are what separates words on a line; a carriage return is what some add at its end.
const blank = " \t\r"

func trim(s string) string {
	if s == "" || s[0] > ' ' && s[len(s)-1] > ' ' {
		return s
	}
	return strings.Trim(s, blank)
}

// cutBlank gives the first word and what follows the blanks behind it.
func cutBlank(s string) (word, rest string) {
	for i := range len(s) {
		if s[i] == ' ' || s[i] == '\t' {
			return s[:i], trim(s[i:])
		}
	}
	return s, ""
}

// readName reads the name of a metric or a label, in quotes or without.
func readName(s string) (name, rest string, ok bool) {
	if strings.HasPrefix(s, `"`) {
		name, rest, ok = readQuoted(s)
		return name, rest, ok && name != ""
	}
	end := 0
	for end < len(s) && isNameByte(s[end]) {
		end++
	}
	if end == 0 || s[0] >= '0' && s[0] <= '9' {
		return "", "", false
	}
	return s[:end], s[end:], true
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == ':'
}

// readQuoted reads "…" with the escapes \\, \" and \n.
func readQuoted(s string) (text, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		return "", "", false
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return s[1:i], s[i+1:], true
		case '\\':
			return readEscaped(s, i)
		}
	}
	return "", "", false
}

// readEscaped goes on with readQuoted where there is an escape.
func readEscaped(s string, i int) (text, rest string, ok bool) {
	var b strings.Builder
	b.WriteString(s[1:i])
	for ; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), s[i+1:], true
		case '\\':
			i++
			if i < len(s) {
				b.WriteByte(unescaped(s[i]))
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return "", "", false
}

func unescaped(c byte) byte {
	if c == 'n' {
		return '\n'
	}
	return c
}

// unescape is for a help text, which has no quotes around it.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			b.WriteByte(unescaped(s[i]))
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// readFloat reads a value. Go's hexadecimals and underscores are not among them.
func readFloat(s string) (float64, bool) {
	if strings.ContainsAny(s, "pPxX_") {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}
