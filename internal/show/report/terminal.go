package report

import (
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
