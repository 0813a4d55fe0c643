package table

import (
	"strings"

	"github.com/inferometer/inferometer/internal/show/markup"
	"github.com/inferometer/inferometer/internal/show/number"
)

// HTML writes a table of a page: the page's script sorts it and copies it.
func HTML(h *markup.HTML, t *Table) {
	if t.IsEmpty() {
		return
	}
	columns := t.Columns
	if len(columns) == 0 {
		columns = Words("what", "value")
	}
	if len(t.Rows) > 0 {
		h.Put(`<div class="tablebox"><div class="tools"><button type="button" data-copy="markdown" data-for="%s">Copy as Markdown</button><button type="button" data-copy="csv" data-for="%s">Copy as CSV</button></div>
<div class="scroll" tabindex="0" role="region" aria-label="%s"><table id="%s"><caption>%s</caption>
<thead><tr>`, t.ID, t.ID, t.Title, t.ID, t.Title)
		HTMLHeads(h, columns)
		h.WriteString("</tr></thead>\n<tbody>")
		for _, row := range t.Rows {
			h.WriteString("<tr>")
			for i := range columns {
				if columns[i].Except&OnPage == 0 {
					t.htmlCell(h, row, i, columns[i].Format != nil)
				}
			}
			h.WriteString("</tr>\n")
		}
		h.WriteString("</tbody></table></div></div>\n")
	}
	h.Each("<p class=\"muted\">%s</p>\n", t.Notes)
}

// HTMLHeads writes the heads of columns, each a button that sorts.
func HTMLHeads(h *markup.HTML, columns []Column) {
	for i := range columns {
		if columns[i].Except&OnPage != 0 {
			continue
		}
		class := ""
		if columns[i].Format != nil {
			class = ` class="num"`
		}
		h.Put(`<th scope="col"`+class+` aria-sort="none"><button type="button" class="sort">%s<span aria-hidden="true"></span></button></th>`, columns[i].head())
	}
}

func (t *Table) htmlCell(h *markup.HTML, row []Cell, i int, isNumber bool) {
	c := &row[i]
	text, class, data := t.text(row, i), c.Class, ""
	if c.Value != nil {
		data = ` data-v="` + number.Exact(*c.Value) + `"`
	}
	if class == Best {
		class = Good
	}
	if isNumber || c.Value != nil {
		text, class = number.Group(text), strings.TrimSpace("num "+class)
	}
	tag, scope := "td", ""
	if i == 0 {
		tag, scope = "th", ` scope="row"`
	}
	if class == "" {
		h.WriteString("<" + tag + scope + data + ">")
	} else {
		h.Put("<"+tag+scope+` class="%s"`+data+">", class)
	}
	h.Link(text, c.Link)
	h.WriteString("</" + tag + ">")
}
