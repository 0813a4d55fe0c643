package page

import (
	"io"

	"github.com/inferometer/inferometer/internal/show/chart"
	"github.com/inferometer/inferometer/internal/show/table"
)

// Link is a text that leads elsewhere.
type Link struct{ Text, Link string }

// Document is a page that is not the report of runs. It has the looks and the script of a
// report, and what its author puts into its sections.
type Document struct {
	Title, Subtitle string
	Way             []Link
	Cards           []Card
	Sections        []Section
	Version         string // of inferometer
	Forms           bool   // a form may be sent to where the page came from
}

// Section is a part of a document, in the order of the fields.
type Section struct {
	ID, Title string
	Words     []string
	List      []table.Cell // sentences
	Choose    *Choose
	Figures   []Figure // two beside each other, where they are not as wide as the page
	Table     *table.Table
	Links     []Link
}

// Choose is a form in which two of a list are chosen.
type Choose struct {
	Action, Button string
	Names          [2]string // of the fields
	Labels         [2]string
	Options        []Link // Link is the value
	Chosen         [2]string
}

// Write writes the document.
func (d *Document) Write(w io.Writer) error {
	f := frame{
		name: d.Title, subtitle: d.Subtitle, way: d.Way, skip: "To the content", forms: "'none'", live: &liveSet{}, data: []int{},
		foot: "Written by inferometer " + d.Version + ". What each number means: docs/metrics.md and docs/serve-report.md of Inferometer.",
	}
	if d.Forms {
		f.forms = "'self'"
	}
	for i := range d.Sections {
		f.live.add(d.Sections[i].Figures)
	}
	return f.write(w, func(m *content) {
		m.cards(d.Cards)
		for i := range d.Sections {
			d.Sections[i].write(m)
		}
	})
}

func (s *Section) write(m *content) {
	m.Put("<section aria-labelledby=\"%s\"><h2 id=\"%s\">%s</h2>\n", s.ID, s.ID, s.Title)
	for _, text := range s.Words {
		m.muted(text)
	}
	m.list(s.List)
	if s.Choose != nil {
		s.Choose.write(m)
	}
	m.figures(s.Figures)
	m.table(s.Table, s.Title)
	if len(s.Links) > 0 {
		m.WriteString("<ul><li>")
		m.links(s.Links[:len(s.Links)-1], "</li><li>")
		m.links(s.Links[len(s.Links)-1:], "</li></ul>\n")
	}
	m.WriteString("</section>\n")
}

func (c *Choose) write(m *content) {
	m.Put("<form class=\"choose\" method=\"get\" action=\"%s\">\n", c.Action)
	for i, name := range c.Names {
		m.Put(`<label>%s <select name="%s">`, c.Labels[i], name)
		for _, o := range c.Options {
			selected := ""
			if o.Link == c.Chosen[i] {
				selected = " selected"
			}
			m.Put(`<option value="%s"`+selected+`>%s</option>`, o.Link, o.Text)
		}
		m.WriteString("</select></label>\n")
	}
	m.Put("<button>%s</button></form>\n", c.Button)
}

// Draw makes a figure of a chart, for a screen and for a phone; full: as wide as the page.
func Draw(id string, c *chart.Chart, full bool) (Figure, error) {
	d := &drawer{}
	if full {
		f := d.full(id, c, 320)
		return f, d.err
	}
	f := d.half(id, c)
	return f, d.err
}
