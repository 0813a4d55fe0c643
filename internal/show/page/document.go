package page

import (
	_ "embed" // the page
	"fmt"
	"io"

	"github.com/inferometer/inferometer/internal/show/chart"
	"github.com/inferometer/inferometer/internal/template"
)

//go:embed document.html
var documentText string

var document = template.Page(documentText, pageText, explainText, servingText)

// What other pages of ours are made of. A Document is such a page: it has the looks
// and the script of a report, and what its author puts into its sections.
type (
	Table  = table
	Head   = head
	Cell   = cell
	Answer = answer
	Figure = figure
)

// Link is a text that leads elsewhere.
type Link struct{ Text, Link string }

// Document is a page that is not the report of runs.
type Document struct {
	Title, Subtitle string
	Way             []Link
	Answers         []Answer // boxes on top
	Sections        []Section
	Version         string // of inferometer
	Forms           bool   // a form may be sent to where the page came from
}

// Section is a part of a document, in the order of the fields.
type Section struct {
	ID, Title string
	Words     []string
	List      []Cell // sentences
	Choose    *Choose
	Wide      []Figure
	Figures   []Figure // two beside each other
	Table     *Table
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
	forms := "'none'"
	if d.Forms {
		forms = "'self'"
	}
	live := &liveSet{}
	for i := range d.Sections {
		live.add(d.Sections[i].Wide)
		live.add(d.Sections[i].Figures)
	}
	style := styleText
	if !live.empty() {
		style += liveStyle
	}
	err := document.Execute(w, struct {
		*Document
		Policy            string
		Style, ChartStyle template.CSS
		Live              *liveSet
		Library, Script   template.JS
	}{d, Policy(forms), template.CSS(style), template.CSS(chart.Style(":root[data-theme=dark]")), live, live.library(), template.JS(scriptText)})
	if err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// Style is how our pages look.
func Style() template.CSS { return template.CSS(styleText) }

// Heads are the heads of a table; one that begins with # is of numbers.
func Heads(texts ...string) []Head { return heads(texts...) }

// Words is a cell of text.
func Words(text string) Cell { return words(text) }

// Value is a cell of a number.
func Value(v float64) Cell { return value(v) }

// Number writes a value for people.
func Number(v float64) string { return number(v) }

// Draw makes a figure of a chart, for a screen and for a phone.
func Draw(id string, c *chart.Chart, full bool) (Figure, error) {
	d := &drawer{}
	if full {
		f := d.full(id, c, 320)
		return f, d.err
	}
	f := d.half(id, c)
	return f, d.err
}
