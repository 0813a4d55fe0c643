package comparison

import (
	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/show/front"
	"github.com/inferometer/inferometer/internal/show/page"
	"github.com/inferometer/inferometer/internal/show/table"
)

// Document is the comparison as a page.
func Document(c *compare.Comparison, findings []compare.Finding) (*page.Document, error) {
	d := &page.Document{Title: "Comparison"}
	list := func(id, title string, cells []table.Cell) {
		if len(cells) > 0 {
			d.Sections = append(d.Sections, page.Section{ID: id, Title: title, List: cells})
		}
	}
	var doubts, gate, notes []table.Cell
	for _, doubt := range c.Doubts {
		cell := table.Cell{Text: doubt.Side + ": " + doubt.Sentence, Class: table.Doubt}
		if doubt.Severe {
			cell.Text, cell.Class = "Not comparable: "+cell.Text, table.Bad
		}
		doubts = append(doubts, cell)
	}
	for _, f := range findings {
		class := map[compare.Outcome]string{compare.Broken: table.Bad, compare.Undecided: table.Doubt}[f.Outcome]
		gate = append(gate, table.Cell{Text: finding(&f), Class: class})
	}
	for _, words := range c.Footnotes {
		notes = append(notes, table.Cell{Text: words})
	}
	list("doubts", "May they be compared?", doubts)
	list("gate", "Gate", gate)
	numbers := Table(c)
	numbers.Title, numbers.Columns[0].Name = "The best of a line is marked; a change is real, unclear, or within noise", "metric"
	d.Sections = append(d.Sections, page.Section{ID: "numbers-h", Title: "Numbers", Table: numbers})
	if c.Accuracy != nil && c.Accuracy.Front != nil {
		figure, err := page.Draw("front-chart", front.Chart(c.Accuracy.Front), true)
		if err != nil {
			return nil, err
		}
		t := front.Table(c.Accuracy.Front)
		d.Sections = append(d.Sections, page.Section{ID: "front-h", Title: front.Title, Wide: []page.Figure{figure}, Table: t})
	}
	list("notes", "Notes", notes)
	return d, nil
}
