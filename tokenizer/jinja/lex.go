package jinja

import (
	"fmt"
	"strings"
	"unicode"
)

type tokenKind uint8

const (
	endToken tokenKind = iota
	textToken
	printBegin // {{
	printEnd
	blockBegin // {%
	blockEnd
	nameToken
	stringToken
	intToken
	floatToken
	operatorToken
)

type token struct {
	kind tokenKind
	text string
	line int
}

// lexer cuts a template into text and tags, and the tags into tokens. What whitespace stands around a
// tag is decided here, as Jinja2 does, with trim_blocks and lstrip_blocks where they are set.
type lexer struct {
	source string
	at     int
	line   int
	// lineStart: is the text at the beginning of a line of the template?
	lineStart bool
	tokens    []token
	setup     Setup
}

func lex(source string, s Setup) []token {
	source = strings.ReplaceAll(source, "\r\n", "\n")
	source = strings.ReplaceAll(source, "\r", "\n")
	if !s.KeepTrailingNewline {
		source = strings.TrimSuffix(source, "\n")
	}
	l := &lexer{source: source, line: 1, lineStart: true, setup: s}
	for l.at < len(l.source) {
		l.textAndTag()
	}
	l.emit(endToken, "")
	return l.tokens
}

func (l *lexer) emit(kind tokenKind, text string) {
	l.tokens = append(l.tokens, token{kind, text, l.line})
}

func (l *lexer) fail(format string, args ...any) {
	panic(failure{err: fmt.Errorf(format, args...), line: l.line})
}

func (l *lexer) advance(n int) {
	l.line += strings.Count(l.source[l.at:l.at+n], "\n")
	l.at += n
}

// textAndTag reads the text up to the next tag, and that tag.
func (l *lexer) textAndTag() {
	rest := l.source[l.at:]
	n := nextTag(rest)
	if n < 0 {
		l.emit(textToken, rest)
		l.advance(len(rest))
		return
	}
	tag := rest[n : n+2]
	sign := signAt(rest, n+2)
	if text := l.textBefore(rest[:n], tag, sign); text != "" {
		l.emit(textToken, text)
	}
	l.advance(n + 2 + len(sign))
	switch tag {
	case "{#":
		l.comment()
	case "{{":
		l.emit(printBegin, "")
		l.inside("}}")
	case "{%":
		if !l.raw() {
			l.emit(blockBegin, "")
			l.inside("%}")
		}
	}
}

func nextTag(s string) int {
	for i := 0; i+1 < len(s); i++ {
		if s[i] == '{' && (s[i+1] == '{' || s[i+1] == '%' || s[i+1] == '#') {
			return i
		}
	}
	return -1
}

func signAt(s string, at int) string {
	if at < len(s) && (s[at] == '-' || s[at] == '+') {
		return s[at : at+1]
	}
	return ""
}

// textBefore takes off the whitespace that the tag after the text removes.
func (l *lexer) textBefore(text, tag, sign string) string {
	if sign == "-" {
		return strings.TrimRightFunc(text, isSpace)
	}
	if sign == "+" || tag == "{{" || !l.setup.LstripBlocks {
		return text
	}
	line := strings.LastIndexByte(text, '\n') + 1
	if (line > 0 || l.lineStart) && strings.TrimLeftFunc(text[line:], isSpace) == "" {
		return text[:line]
	}
	return text
}

// tagEnd looks for the end of a tag here: the marks with a sign before them, and the whitespace they
// remove. It gives its length, or 0.
func (l *lexer) tagEnd(s, marks string) int {
	sign := signAt(s, 0)
	if sign == "+" && marks == "}}" || !strings.HasPrefix(s[len(sign):], marks) {
		return 0
	}
	n := len(sign) + len(marks)
	switch {
	case sign == "-":
		n += len(s[n:]) - len(strings.TrimLeftFunc(s[n:], isSpace))
	case l.setup.TrimBlocks && sign == "" && marks != "}}" && strings.HasPrefix(s[n:], "\n"):
		n++ // trim_blocks
	}
	return n
}

// passEnd goes over the end of a tag.
func (l *lexer) passEnd(n int) {
	l.lineStart = l.source[l.at+n-1] == '\n'
	l.advance(n)
}

func (l *lexer) comment() {
	for i := l.at; i < len(l.source); i++ {
		if n := l.tagEnd(l.source[i:], "#}"); n > 0 {
			l.advance(i - l.at)
			l.passEnd(n)
			return
		}
	}
	l.fail("a comment is not closed")
}

// raw passes text between {% raw %} and {% endraw %} as it is, if that is what stands here.
func (l *lexer) raw() bool {
	n := wordTag(l.source[l.at:], "raw")
	if n == 0 {
		return false
	}
	l.advance(n)
	rest := l.source[l.at:]
	for i := range rest {
		if !strings.HasPrefix(rest[i:], "{%") {
			continue
		}
		sign := signAt(rest, i+2)
		from := i + 2 + len(sign)
		if n := wordTag(rest[from:], "endraw"); n > 0 {
			l.lineStart = false
			if text := l.textBefore(rest[:i], "{%", sign); text != "" {
				l.emit(textToken, text)
			}
			l.advance(from)
			if l.setup.TrimBlocks && n < len(rest[from:]) && rest[from+n-1] == '}' && rest[from+n] == '\n' {
				n++ // trim_blocks, which the beginning of raw does not have
			}
			l.passEnd(n)
			return true
		}
	}
	l.fail("raw without endraw")
	return true
}

// wordTag gives the length of " word %}" or " word -%}" with the whitespace it removes.
func wordTag(s, word string) int {
	rest := strings.TrimLeftFunc(s, isSpace)
	if !strings.HasPrefix(rest, word) {
		return 0
	}
	rest = strings.TrimLeftFunc(rest[len(word):], isSpace)
	if after, ok := strings.CutPrefix(rest, "-%}"); ok {
		return len(s) - len(strings.TrimLeftFunc(after, isSpace))
	}
	if after, ok := strings.CutPrefix(rest, "%}"); ok {
		return len(s) - len(after)
	}
	return 0
}

// isSpace is Python's str.isspace for one character.
func isSpace(c rune) bool {
	return unicode.IsSpace(c) || c >= 0x1c && c <= 0x1f
}
