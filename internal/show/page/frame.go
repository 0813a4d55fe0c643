package page

import (
	"fmt"
	"io"

	"github.com/inferometer/inferometer/internal/show/chart"
	"github.com/inferometer/inferometer/internal/show/markup"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

// content is the page's own way of writing HTML.
type content struct{ markup.HTML }

// table writes a table below a head of that name.
func (m *content) table(t *table.Table, name string) { table.HTML(&m.HTML, t, name) }

// frame is what all our pages have around their content.
type frame struct {
	name, subtitle string
	way            []Link
	skip           string // where the first link leads
	forms          string // where a form may lead
	foot           string
	live           *liveSet
	data           any // of the table of requests
}

// write writes a page whose content body writes.
func (f *frame) write(w io.Writer, body func(*content)) error {
	m := &content{}
	m.Put(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Inferometer: %s</title>
<link rel="icon" href="data:,">
<style>`, Policy(f.forms), f.name)
	m.WriteString(styleText)
	if !f.live.empty() {
		m.WriteString(liveStyle)
	}
	m.WriteString("</style>\n<style id=\"chart-style\">" + chart.Style(":root[data-theme=dark]") + "</style>\n</head>\n<body>\n")
	m.Put("<a class=\"skip\" href=\"#main\">%s</a>\n", f.skip)
	if len(f.way) > 0 {
		m.WriteString(`<nav aria-label="Way back">`)
		m.links(f.way, " ")
		m.WriteString("</nav>\n")
	}
	m.Put(`<header><div><p class="brand">Inferometer</p><h1>%s</h1><p class="muted">%s</p></div>
<label class="theme">Colours <select id="theme"><option value="">as the system</option><option value="light">light</option><option value="dark">dark</option></select></label></header>
<main id="main" tabindex="-1">
`, f.name, f.subtitle)
	body(m)
	m.Put("</main>\n<footer><p class=\"muted\">%s</p></footer>\n<div id=\"said\" role=\"status\" aria-live=\"polite\"></div>\n", f.foot)
	if err := m.JSON("data", f.data); err != nil {
		return err
	}
	if err := m.JSON("charts", f.live); err != nil {
		return err
	}
	if library := f.live.library(); library != "" {
		m.WriteString("<script>" + library + "</script>\n")
	}
	m.WriteString("<script>" + scriptText + "</script>\n</body>\n</html>\n")
	if _, err := io.WriteString(w, m.String()); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

func (m *content) links(list []Link, behind string) {
	for _, l := range list {
		m.Link(l.Text, l.Link)
		m.WriteString(behind)
	}
}

// cards writes the boxes on top.
func (m *content) cards(list []Card) {
	if len(list) == 0 {
		return
	}
	m.WriteString(`<dl class="cards">`)
	for _, c := range list {
		m.Put(`<div><dt>%s</dt><dd class="big %s">%s`, c.Title, c.Class, c.Text)
		if c.Unit != "" {
			m.Put(` <span class="unit">%s</span>`, c.Unit)
		}
		m.WriteString("</dd>")
		m.Each(`<dd class="muted">%s</dd>`, c.Notes)
		m.WriteString("</div>")
	}
	m.WriteString("</dl>\n")
}

// fold opens a part that the reader can close. folded says that the script closes it at first: without it all is to be seen.
func (m *content) fold(class string, folded bool) {
	if m.Put(`<details class="fold %s" open`, class); folded {
		m.WriteString(" data-folded")
	}
	m.WriteString("><summary>")
}

// figures writes pictures, two beside each other where they are not as wide as the page.
func (m *content) figures(list []Figure) {
	if len(list) == 0 {
		return
	}
	m.WriteString(`<div class="figures">`)
	for i := range list {
		m.figure(&list[i])
	}
	m.WriteString("</div>\n")
}

func (m *content) figure(f *Figure) {
	class := ""
	if f.Full {
		class = ` class="full"`
	}
	m.Put(`<figure id="%s"`+class+`><figcaption>`, f.ID)
	m.Link(f.Title, f.Link)
	m.Put(`</figcaption><div class="tools"><button type="button" data-save="svg" aria-label="Save as SVG: %s">SVG</button><button type="button" data-save="png" aria-label="Save as PNG: %s">PNG</button></div>`+"\n", f.Title, f.Title)
	m.WriteString(`<div class="wide">` + f.wide + `</div><div class="narrow">` + f.narrow + `</div>`) // chart has escaped its texts
	m.muted(f.Note)
	m.WriteString("</figure>\n")
}

func (m *content) muted(text string) {
	if text != "" {
		m.Put("<p class=\"muted\">%s</p>\n", text)
	}
}

// short is a number for people, its thousands apart.
func short(v float64) string { return number.Group(number.Short(v)) }

func counted(n int) string { return short(float64(n)) }
