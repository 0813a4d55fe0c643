package table

import (
	"html"
	"strings"

	"github.com/inferometer/inferometer/internal/show/number"
)

// HTML writes a table of a page: the page's script sorts it and copies it.
func HTML(b *strings.Builder, t *Table) {
	if t.IsEmpty() {
		return
	}
	e := html.EscapeString
	title := t.Title
	columns := t.Columns
	if len(columns) == 0 {
		columns = Words("what", "value")
	}
	if len(t.Rows) > 0 {
		b.WriteString(`<div class="tablebox"><div class="tools"><button type="button" data-copy="markdown" data-for="` + e(t.ID) + `">Copy as Markdown</button><button type="button" data-copy="csv" data-for="` + e(t.ID) + `">Copy as CSV</button></div>` + "\n" +
			`<div class="scroll" tabindex="0" role="region" aria-label="` + e(title) + `"><table id="` + e(t.ID) + `"><caption>` + e(title) + "</caption>\n<thead><tr>")
		HTMLHeads(b, columns)
		b.WriteString("</tr></thead>\n<tbody>")
		for _, row := range t.Rows {
			b.WriteString("<tr>")
			for i := range columns {
				if columns[i].Except&OnPage == 0 {
					t.htmlCell(b, row, i, columns[i].Format != nil)
				}
			}
			b.WriteString("</tr>\n")
		}
		b.WriteString("</tbody></table></div></div>")
	}
	for _, note := range t.Notes {
		b.WriteString(`<p class="muted">` + e(note) + "</p>\n")
	}
}

// HTMLHeads writes the heads of columns, each a button that sorts.
func HTMLHeads(b *strings.Builder, columns []Column) {
	for i := range columns {
		if columns[i].Except&OnPage != 0 {
			continue
		}
		class := ""
		if columns[i].Format != nil {
			class = ` class="num"`
		}
		b.WriteString(`<th scope="col"` + class + ` aria-sort="none"><button type="button" class="sort">` + html.EscapeString(columns[i].head()) + `<span aria-hidden="true"></span></button></th>`)
	}
}

func (t *Table) htmlCell(b *strings.Builder, row []Cell, i int, isNumber bool) {
	c := &row[i]
	text, class, data := t.text(row, i), c.Class, ""
	if c.Value != nil {
		data = ` data-v="` + number.Exact(*c.Value) + `"`
	}
	if isNumber || c.Value != nil {
		text, class = number.Group(text), strings.TrimSpace("num "+class)
	}
	if class != "" {
		class = ` class="` + html.EscapeString(class) + `"`
	}
	tag, scope := "td", ""
	if i == 0 {
		tag, scope = "th", ` scope="row"`
	}
	b.WriteString("<" + tag + scope + class + data + ">")
	HTMLLink(b, text, c.Link)
	b.WriteString("</" + tag + ">")
}

// HTMLLink writes text that may lead elsewhere: to a path, never to a scheme of someone else's.
func HTMLLink(b *strings.Builder, text, link string) {
	first, _, _ := strings.Cut(link, "/")
	if link == "" || strings.Contains(first, ":") {
		b.WriteString(html.EscapeString(text))
		return
	}
	b.WriteString(`<a href="` + html.EscapeString(link) + `">` + html.EscapeString(text) + "</a>")
}
