// Package outside makes words from outside safe to keep and to show. A server's
// error, a model's name, a label in someone else's file: each is data, and may hold
// whatever its author likes. It is cleaned once, where it enters, so that nothing
// behind that point has to think of terminals, tables or spreadsheets.
//
// Line and Word clean; Markdown and CSV write a clean word into a form that gives
// some characters a meaning. HTML is escaped where it is written: show/markup.
package outside

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxWord is the length of a name: of a model, a server, a version, a label.
// MaxSentence is that of what someone says: an error's body.
const (
	MaxWord     = 200
	MaxSentence = 500
)

// Word is a name from outside: one line of at most MaxWord characters.
func Word(s string) string { return Line(s, MaxWord) }

// Sentence is what someone outside says: one line of at most MaxSentence characters.
func Sentence(s string) string { return Line(s, MaxSentence) }

// Line is s on one line of at most n characters. White space becomes one space; the
// sequences that steer a terminal, control characters, and characters that are not
// seen but change how others are (bidirectional overrides, zero width) are left out;
// bytes that are no UTF-8 become U+FFFD. What is cut off is shown by an ellipsis.
func Line(s string, n int) string {
	if len(s) <= n && isPlain(s) {
		return s
	}
	var b strings.Builder
	length, gap := 0, false
	for i := 0; i < len(s); {
		if skip := sequence(s[i:]); skip > 0 {
			i += skip
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if unicode.IsSpace(r) {
			gap = length > 0 // at the beginning it is left out
			continue
		}
		if isHidden(r) {
			continue
		}
		if gap {
			b.WriteByte(' ')
			length++
		}
		gap = false
		b.WriteRune(r)
		if length++; length > n {
			return shortened(b.String(), n)
		}
	}
	return b.String()
}

// isPlain says at little cost that most words need no cleaning.
func isPlain(s string) bool {
	space := true // not at the beginning, not twice, not at the end
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || (s[i] == ' ' && space) {
			return false
		}
		space = s[i] == ' '
	}
	return !space || s == ""
}

// isHidden says that a character is not seen: control characters, and those of
// format, which hold the bidirectional overrides and the invisible tags.
func isHidden(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }

func shortened(s string, n int) string {
	runes := []rune(s)
	if n <= 0 {
		return ""
	}
	return strings.TrimRight(string(runes[:min(n-1, len(runes))]), " ") + "…"
}

// Text is s without what steers a terminal or is not seen, its white space kept, and
// at most n bytes of it: for an argument of a command line.
func Text(s string, n int) string {
	s = strings.ToValidUTF8(s[:min(n, len(s))], "\uFFFD")
	var b strings.Builder
	for i := 0; i < len(s); {
		if skip := sequence(s[i:]); skip > 0 {
			i += skip
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if r == '\n' || r == '\t' || !isHidden(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Lines cleans each line of a text and keeps their breaks: the last lines of a log.
func Lines(s string, n int) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = Line(lines[i], n)
	}
	return strings.Join(lines, "\n")
}
