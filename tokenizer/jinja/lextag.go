package jinja

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// inside reads the tokens of a tag up to its end, which does not count within brackets.
func (l *lexer) inside(marks string) {
	var open []byte
	for l.at < len(l.source) {
		rest := l.source[l.at:]
		if n := l.tagEnd(rest, marks); n > 0 && len(open) == 0 {
			kind := printEnd
			if marks == "%}" {
				kind = blockEnd
			}
			l.emit(kind, "")
			l.passEnd(n)
			return
		}
		c, _ := utf8.DecodeRuneInString(rest)
		switch {
		case isSpace(c):
			l.advance(len(rest) - len(strings.TrimLeftFunc(rest, isSpace)))
		case c >= '0' && c <= '9':
			l.number(rest)
		case c == '_' || unicode.IsLetter(c):
			n := nameLength(rest)
			l.emit(nameToken, rest[:n])
			l.advance(n)
		case c == '"' || c == '\'':
			l.quoted(rest)
		default:
			open = l.operator(rest, open)
		}
	}
	l.fail("a tag is not closed by %s", marks)
}

func nameLength(s string) int {
	for i, c := range s {
		if c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.Is(unicode.Mn, c) {
			return i
		}
	}
	return len(s)
}

func (l *lexer) operator(rest string, open []byte) []byte {
	n := 1
	if len(rest) > 1 {
		switch rest[:2] {
		case "//", "**", "==", "!=", ">=", "<=":
			n = 2
		}
	}
	switch c := rest[0]; c {
	case '(', '[', '{':
		open = append(open, c+closing(c))
	case ')', ']', '}':
		if len(open) == 0 || open[len(open)-1] != c {
			l.fail("unexpected %q", c)
		}
		open = open[:len(open)-1]
	default:
		if n == 1 && !strings.ContainsRune("+-/*%~><=.:|,", rune(c)) {
			l.fail("unexpected %q", c)
		}
	}
	l.emit(operatorToken, rest[:n])
	l.advance(n)
	return open
}

// closing is how far the closing bracket is from the opening one in ASCII.
func closing(c byte) byte {
	if c == '(' {
		return 1
	}
	return 2
}

// number reads 12, 1_000, 0x1f, 1.5 and 1e3. What follows a dot must be a digit: in 1.real it is an attribute.
func (l *lexer) number(rest string) {
	n, kind := digits(rest, 0), intToken
	if prefix := strings.ToLower(rest[:min(2, len(rest))]); prefix == "0x" || prefix == "0o" || prefix == "0b" {
		for n = 2; n < len(rest) && (rest[n] == '_' || isHex(rest[n])); {
			n++
		}
	} else {
		if n+1 < len(rest) && rest[n] == '.' && isDigit(rest[n+1]) {
			n, kind = digits(rest, n+1), floatToken
		}
		if n < len(rest) && (rest[n] == 'e' || rest[n] == 'E') {
			exponent := n + 1 + len(signAt(rest, n+1))
			if end := digits(rest, exponent); end > exponent {
				n, kind = end, floatToken
			}
		}
	}
	l.emit(kind, strings.ReplaceAll(rest[:n], "_", ""))
	l.advance(n)
}

func digits(s string, at int) int {
	for at < len(s) && (isDigit(s[at]) || s[at] == '_' && at+1 < len(s) && isDigit(s[at+1])) {
		at++
	}
	return at
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isHex(c byte) bool   { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

func (l *lexer) quoted(rest string) {
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case rest[0]:
			l.emit(stringToken, l.unescape(rest[1:i]))
			l.advance(i + 1)
			return
		}
	}
	l.fail("a string is not closed")
}

// unescape reads Python's escapes. One that Python does not know stays as it is.
func (l *lexer) unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case '\n':
		case '\\', '\'', '"':
			b.WriteByte(c)
		case 'x':
			i += l.escapedRune(&b, s[i+1:], 2, 16)
		case 'u':
			i += l.escapedRune(&b, s[i+1:], 4, 16)
		case 'U':
			i += l.escapedRune(&b, s[i+1:], 8, 16)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n := 1
			for n < 3 && i+n < len(s) && s[i+n] >= '0' && s[i+n] <= '7' {
				n++
			}
			i += l.escapedRune(&b, s[i:], n, 8) - 1
		default:
			if at := strings.IndexByte("abfnrtv", c); at >= 0 {
				b.WriteByte("\a\b\f\n\r\t\v"[at])
			} else {
				b.WriteByte('\\')
				b.WriteByte(c)
			}
		}
	}
	return b.String()
}

func (l *lexer) escapedRune(b *strings.Builder, s string, n, base int) int {
	if len(s) < n {
		l.fail("an escape in a string is cut short")
	}
	code, err := strconv.ParseUint(s[:n], base, 32)
	if err != nil || code > unicode.MaxRune {
		l.fail("a string has an escape that is no character: %q", s[:n])
	}
	b.WriteRune(rune(code))
	return n
}
