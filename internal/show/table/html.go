package table

import (
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/show/markup"
	"github.com/inferometer/inferometer/internal/show/number"
)

// stacks says that a phone has no room for the columns: there each row stands by itself, its cells with the names of their columns.
func (t *Table) stacks() bool {
	const many, manyWithWords = 6, 4
	isLong := func(c Cell) bool { return c.Class == Long }
	n := len(t.shown(OnPage))
	return n >= many || n >= manyWithWords && slices.ContainsFunc(t.Rows, func(row []Cell) bool { return slices.ContainsFunc(row, isLong) })
}

// HTML writes a table of a page: the page's script sorts it and copies it. name is what a table without a title is called by those who can't see what stands above it.
func HTML(h *markup.HTML, t *Table, name string) {
	if t.IsEmpty() {
		return
	}
	if len(t.Rows) > 0 {
		columns, class := t.Columns, ""
		if len(columns) == 0 {
			columns, class = Words("what", "value"), "facts"
		} else if t.stacks() {
			class = "stack"
		}
		HTMLHead(h, t.ID, class, t.Title, name, columns)
		for _, row := range t.Rows {
			h.WriteString("<tr>")
			for i := range columns {
				if columns[i].Except&OnPage == 0 {
					t.htmlCell(h, row, i, &columns[i], class == "stack")
				}
			}
			h.WriteString("</tr>\n")
		}
		HTMLEnd(h)
	}
	h.Each("<p class=\"muted\">%s</p>\n", t.Notes)
}

// HTMLHead writes a table up to its first row, and HTMLEnd what follows its last.
func HTMLHead(h *markup.HTML, id, class, title, name string, columns []Column) {
	if title != "" {
		name = title
	}
	h.Put(`<div class="tablebox"><div class="tools">Copy <button type="button" data-copy="markdown" data-for="%s" aria-label="Copy as Markdown: %s">Markdown</button><button type="button" data-copy="csv" data-for="%s" aria-label="Copy as CSV: %s">CSV</button></div>
<div class="scroll" tabindex="0" role="group" aria-label="%s"><table id="%s" class="%s">`, id, name, id, name, name, id, class)
	if title != "" {
		h.Put("<caption>%s</caption>", title)
	}
	h.WriteString("\n<thead><tr>")
	htmlHeads(h, columns)
	h.WriteString("</tr></thead>\n<tbody>")
}

// HTMLEnd closes what HTMLHead has opened.
func HTMLEnd(h *markup.HTML) { h.WriteString("</tbody></table></div></div>\n") }

// htmlHeads writes the heads of columns, each a button that sorts.
func htmlHeads(h *markup.HTML, columns []Column) {
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

func (t *Table) htmlCell(h *markup.HTML, row []Cell, i int, column *Column, stacks bool) {
	c := &row[i]
	text, class, data := t.text(row, i), c.Class, ""
	if c.Value != nil {
		data = ` data-v="` + number.Exact(*c.Value) + `"`
	}
	if class == Best {
		class = Good
	}
	if column.Format != nil || c.Value != nil {
		text, class = number.Group(text), strings.TrimSpace("num "+class)
	}
	tag, scope := "td", ""
	if i == 0 {
		tag, scope = "th", ` scope="row"`
	}
	h.WriteString("<" + tag + scope)
	if class != "" {
		h.Put(` class="%s"`, class)
	}
	h.WriteString(data)
	if stacks && i > 0 {
		h.Put(` data-head="%s"`, column.head())
	}
	h.WriteString(">")
	h.Link(text, c.Link)
	h.WriteString("</" + tag + ">")
}
