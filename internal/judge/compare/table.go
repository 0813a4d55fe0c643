package compare

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/outside"
)

// Table writes the comparison for a terminal. strong emphasises the best values and
// adds nothing that takes a place on the screen; nil: they carry a star.
func (c *Comparison) Table(w io.Writer, strong func(string) string) error {
	var b strings.Builder
	for _, d := range c.Doubts {
		word := "note:"
		if d.Severe {
			word = "NOT COMPARABLE:"
		}
		fmt.Fprintf(&b, "%s %s: %s\n", word, d.Side, d.Sentence)
	}
	if len(c.Doubts) > 0 {
		b.WriteString("\n")
	}
	lines := c.grid()
	if strong == nil {
		strong = func(s string) string { return s }
		star(lines)
	}
	writeAligned(&b, lines, strong, isLeft)
	if front := c.front(); front != nil {
		front.Table(&b, strong)
	}
	for i, f := range c.Footnotes {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString("- " + f + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// front is that of accuracy against throughput; nil: there is none.
func (c *Comparison) front() *Front {
	if c.Accuracy == nil {
		return nil
	}
	return c.Accuracy.Front
}

// star marks the best values where nothing else can.
func star(lines [][]box) {
	for i := range lines {
		for j := range lines[i] {
			if lines[i][j].best {
				lines[i][j].text += "*"
			}
		}
	}
}

func writeAligned(b *strings.Builder, lines [][]box, strong func(string) string, isLeft func(column int) bool) {
	wide := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			wide[i] = max(wide[i], utf8.RuneCountInString(cell.text))
		}
	}
	for _, line := range lines {
		var row strings.Builder
		for i, cell := range line {
			pad, text := strings.Repeat(" ", wide[i]-utf8.RuneCountInString(cell.text)), cell.text
			if cell.best {
				text = strong(text)
			}
			if isLeft(i) {
				row.WriteString(text + pad + "  ")
			} else {
				row.WriteString(pad + text + "  ")
			}
		}
		b.WriteString(strings.TrimRight(row.String(), " ") + "\n")
	}
}

// Markdown writes the comparison to be pasted: the best values in bold.
func (c *Comparison) Markdown(w io.Writer) error {
	var b strings.Builder
	for _, d := range c.Doubts {
		mark := "Note:"
		if d.Severe {
			mark = "**Not comparable:**"
		}
		fmt.Fprintf(&b, "- %s %s: %s\n", mark, outside.Markdown(d.Side), outside.Markdown(d.Sentence))
	}
	if len(c.Doubts) > 0 {
		b.WriteString("\n")
	}
	writeMarkdown(&b, c.grid(), isLeft)
	if front := c.front(); front != nil {
		b.WriteString("\n" + FrontTitle + ":\n\n")
		front.Markdown(&b)
	}
	for i, f := range c.Footnotes {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString("- " + outside.Markdown(f) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeMarkdown(b *strings.Builder, lines [][]box, isLeft func(column int) bool) {
	for n, line := range lines {
		for _, cell := range line {
			text := outside.Markdown(cell.text)
			if cell.best {
				text = "**" + text + "**"
			}
			b.WriteString("| " + text + " ")
		}
		b.WriteString("|\n")
		if n == 0 {
			for i := range line {
				if isLeft(i) {
					b.WriteString("|---")
				} else {
					b.WriteString("|--:")
				}
			}
			b.WriteString("|\n")
		}
	}
}
