package table

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Line writes words after a lead, broken at spaces; the next lines are indented as
// wide as the lead. A width of 0 breaks nothing, and a longer word stays whole.
func Line(b *strings.Builder, lead, words string, width int) {
	if width <= 0 {
		b.WriteString(lead + words + "\n")
		return
	}
	n := utf8.RuneCountInString(lead)
	b.WriteString(lead + Wrap(words, width-n, strings.Repeat(" ", n)) + "\n")
}

// Wrap breaks a text into lines of at most so many columns; the second and later ones
// begin with the indent, which is not counted. A longer word stays whole.
func Wrap(text string, width int, indent string) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case column == 0:
		case column+1+n > width:
			b.WriteString("\n" + indent)
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// Screen is a text of Write, as a file holds it, with its bold cells bold.
func Screen(text string, bold func(string) string) string {
	if bold == nil {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") {
			line = strongCell.ReplaceAllStringFunc(line, func(cell string) string {
				return "| " + bold(cell[len("| "+stars):len(cell)-len(stars)]) + strings.Repeat(" ", 2*len(stars))
			})
		}
		b.WriteString(line)
	}
	return b.String()
}

var strongCell = regexp.MustCompile(`\| \*\*[^*|]+\*\*`)
