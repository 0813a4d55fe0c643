package view

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/inferometer/inferometer/internal/show/number"
)

// unknown stands where nothing is known.
const unknown = number.None

// count writes a whole number with its thousands apart.
func count(n int64) string { return number.Group(strconv.FormatInt(n, 10)) }

// short writes a number with about three digits.
func short(v float64) string { return number.Group(number.Short(v)) }

// milliseconds writes a latency.
func milliseconds(v float64) string { return number.Duration(v / 1000) }

func share(v float64) string {
	if !(v >= 0 && v < 100) { // no share at all
		return unknown
	}
	return number.Fixed(100*v, 0) + " %" // a screen that moves has no room for more
}

// fit cuts a text to a width, with an ellipsis where something is missing.
func fit(text string, width int) string {
	if width <= 0 {
		return ""
	}
	if len(text) <= width { // no character is wider than it has bytes
		return text
	}
	return ansi.Truncate(text, width, "…")
}

// pad fills a text up to a width, or cuts it.
func pad(text string, width int) string {
	text = fit(text, width)
	return text + strings.Repeat(" ", max(width-widthOf(text), 0))
}

// padLeft puts a text at the right end of a width.
func padLeft(text string, width int) string {
	text = fit(text, width)
	return strings.Repeat(" ", max(width-widthOf(text), 0)) + text
}

// widthOf is how many cells a text takes. It is asked often, and mostly of plain words.
func widthOf(text string) int {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return ansi.StringWidth(text)
		}
	}
	return len(text)
}

// The colours, and what they are used for.
const (
	bold   = "1"
	dim    = "2"
	good   = "32"
	bad    = "31"
	doubt  = "33"
	accent = "36"
)

// paint colours a text, where colour is wanted.
func (m *Model) paint(style, text string) string {
	if !m.Color || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[m"
}
