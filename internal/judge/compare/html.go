package compare

import (
	_ "embed" // the page
	"io"

	"github.com/inferometer/inferometer/internal/template"
)

//go:embed page.html
var pageText string

var page = template.Page(pageText)

// HTML writes the comparison as one page that needs nothing else.
func (c *Comparison) HTML(w io.Writer, findings []Finding) error {
	type cell struct {
		Text, Class string
	}
	type line []cell
	laid := func(grid [][]box, isLeft func(int) bool) (lines []line) {
		for _, boxes := range grid {
			l := make(line, len(boxes))
			for i, b := range boxes {
				l[i].Text = b.text
				if b.best {
					l[i].Class = "best"
				}
				if isLeft(i) {
					l[i].Class += " left"
				}
			}
			lines = append(lines, l)
		}
		return lines
	}
	lines, front := laid(c.grid(), isLeft), []line(nil)
	if f := c.front(); f != nil {
		front = laid(f.grid(), frontLeft)
	}
	return page.Execute(w, struct {
		Doubts    []Doubt
		Head      line
		Lines     []line
		Front     []line // its head first
		Title     string // of the front
		Picture   template.HTML
		Footnotes []string
		Findings  []Finding
	}{c.Doubts, lines[0], lines[1:], front, FrontTitle, c.Picture, c.Footnotes, findings})
}
