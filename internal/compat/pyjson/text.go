package pyjson

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Float is a float as Python's repr prints it: 10.0, 0.1, 1e-05, 1e+16, inf.
func Float(f float64) string { return string(appendFloat(nil, f)) }

func appendFloat(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, "nan"...)
	case math.IsInf(f, 1):
		return append(b, "inf"...)
	case math.IsInf(f, -1):
		return append(b, "-inf"...)
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.AppendFloat(b, f, 'e', -1, 64)
	}
	n := len(b)
	b = strconv.AppendFloat(b, f, 'f', -1, 64)
	for _, c := range b[n:] {
		if c == '.' {
			return b
		}
	}
	return append(b, ".0"...)
}

// text writes a string in ASCII. Bytes that are no UTF-8 become U+FFFD.
func (e *encoder) text(s string) {
	w := e.w
	w.WriteByte('"')
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			i++
			e.ascii(c)
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if r > 0xFFFF {
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(w, `\u%04x\u%04x`, hi, lo)
			continue
		}
		fmt.Fprintf(w, `\u%04x`, r)
	}
	w.WriteByte('"')
}

func (e *encoder) ascii(c byte) {
	switch {
	case c == '"' || c == '\\':
		e.w.WriteByte('\\')
		e.w.WriteByte(c)
	case c >= ' ':
		e.w.WriteByte(c) // 0x7f too: Python leaves it
	default:
		if i := strings.IndexByte("\b\f\n\r\t", c); i >= 0 {
			e.w.WriteByte('\\')
			e.w.WriteByte("bfnrt"[i])
			return
		}
		fmt.Fprintf(e.w, `\u%04x`, c)
	}
}
