package score

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/inferometer/inferometer/internal/outside"
)

// isSpace is Python's str.isspace of one character.
func isSpace(c rune) bool { return unicode.IsSpace(c) || c >= 0x1c && c <= 0x1f }

// strip is Python's str.strip.
func strip(s string) string { return strings.TrimFunc(s, isSpace) }

// lower and upper are Python's str.lower and str.upper: by the rules of Unicode that
// make several characters of one, and with the sigma that ends a word.
func lower(s string) string { return cases.Lower(language.Und).String(s) }

func upper(s string) string { return cases.Upper(language.Und).String(s) }

// clip is the first n characters of a text from outside, on one line, for a message.
func clip(s string, n int) string { return outside.Line(s, n) }

func quote(s string) string { return strconv.Quote(clip(s, 80)) }

func reason(err error) string { return clip(err.Error(), 200) }
