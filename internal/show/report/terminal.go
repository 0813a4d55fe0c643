package report

import (
	"strings"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/judge/verdict"
)

// The colours of a terminal that are told apart on light and on dark.
const (
	red    = "31"
	yellow = "33"
	green  = "32"
)

// paint colours words, if asked to.
func (c *console) paint(color, words string) string {
	if !c.color {
		return words
	}
	return "\x1b[1;" + color + "m" + words + "\x1b[0m"
}

func levelColor(level verdict.Trust) string {
	switch level {
	case verdict.TrustValid:
		return green
	case verdict.TrustInvalid:
		return red
	}
	return yellow
}

// words prints a label and words that may be long: on one line in a pipe, where
// scripts read it, and broken at spaces on a terminal.
func (c *console) words(label, words string) {
	if c.width == 0 || utf8.RuneCountInString(label+words) <= c.width {
		c.line("%s%s", label, words)
		return
	}
	c.broken(label, "  ", words, c.width)
}

// broken prints words in lines of at most so many columns; a longer word stays whole.
func (c *console) broken(first, next, words string, limit int) {
	line, empty := first, true
	for _, word := range strings.Fields(words) {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > limit {
			c.line("%s", line)
			line, empty = next, true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	c.line("%s", line)
}
