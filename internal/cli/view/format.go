package view

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// unknown stands where nothing is known.
const unknown = "–"

// count writes a whole number with its thousands apart.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// number writes a number with about three digits.
func number(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return unknown
	case v == 0:
		return "0"
	case a >= 1e15:
		return fmt.Sprintf("%.3g", v)
	case a >= 100:
		return count(int64(math.Round(v)))
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// milliseconds writes a latency.
func milliseconds(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return unknown
	case v >= 10_000:
		return number(v/1000) + " s"
	}
	return number(v) + " ms"
}

func share(v float64) string {
	if !(v >= 0 && v < 100) { // no share at all
		return unknown
	}
	return fmt.Sprintf("%.0f %%", v*100)
}

// amount writes how many there are: a whole number, but for servers that tell means.
func amount(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return count(int64(v))
	}
	return number(v)
}

// clock writes seconds as minutes and seconds, or with hours.
func clock(seconds float64) string {
	d := time.Duration(min(max(seconds, 0), 1e8) * float64(time.Second)).Round(time.Second)
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	if h > 0 {
		return fmt.Sprintf("%d:%02d:%02d", h, m, s)
	}
	return fmt.Sprintf("%d:%02d", m, s)
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
