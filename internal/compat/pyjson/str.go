package pyjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/inferometer/inferometer/internal/ordered"
)

// MaxDepth is far beyond any real file, and keeps a made one from filling the stack.
const MaxDepth = 500

// Parse reads one value; NaN and Infinity, which Python writes, become null.
func Parse(b []byte) (any, error) {
	return ordered.Read(bytes.NewReader(Strict(b)), ordered.Limits{Depth: MaxDepth})
}

// StrJSON is what Python's str() makes of a JSON value.
func StrJSON(raw json.RawMessage) (string, error) {
	v, err := ordered.Read(bytes.NewReader(raw), ordered.Limits{Depth: MaxDepth})
	if err != nil {
		return "", fmt.Errorf("not JSON: %w", err)
	}
	return Str(v), nil
}

// Str is Python's str() of a value that was read from JSON: a text as it is, and all else as [Repr].
func Str(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return Repr(v)
}

// Repr is Python's repr() of a value that was read from JSON: True, None, and lists and dictionaries in
// Python's own notation.
func Repr(v any) string {
	var parts []string
	switch v := v.(type) {
	case bool:
		if v {
			return "True"
		}
		return "False"
	case json.Number:
		return number(v)
	case string:
		return quote(v)
	case []any:
		for _, e := range v {
			parts = append(parts, Repr(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case ordered.Object:
		for _, m := range v {
			parts = append(parts, quote(m.Key)+": "+Repr(m.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "None"
}

// Whole says whether a number is an int in Python.
func Whole(n json.Number) bool { return !strings.ContainsAny(string(n), ".eE") }

// number is how Python prints a number; what is too large for a float is inf.
func number(n json.Number) string {
	switch {
	case n == "-0":
		return "0"
	case Whole(n):
		return string(n)
	}
	f, _ := n.Float64()
	return Float(f)
}

// quote is a text inside of a list: in single quotes, unless it holds one and no double one.
func quote(s string) string {
	mark := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		mark = '"'
	}
	var b strings.Builder
	b.WriteRune(mark)
	for _, r := range s {
		switch {
		case r == mark || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteString(map[rune]string{'\n': `\n`, '\r': `\r`, '\t': `\t`}[r])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xFF:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xFFFF:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteRune(mark)
	return b.String()
}
