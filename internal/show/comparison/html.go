package comparison

import (
	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/show/front"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/page"
	"github.com/inferometer/inferometer/internal/show/table"
)

// Document is the comparison as a page.
func Document(c *compare.Comparison, findings []compare.Finding) (*page.Document, error) {
	d := &page.Document{Title: "Comparison"}
	list := func(id, title string, cells []page.Cell) {
		if len(cells) > 0 {
			d.Sections = append(d.Sections, page.Section{ID: id, Title: title, List: cells})
		}
	}
	var doubts, gate, notes []page.Cell
	for _, doubt := range c.Doubts {
		cell := page.Cell{Text: doubt.Side + ": " + doubt.Sentence, Class: table.Doubt}
		if doubt.Severe {
			cell.Text, cell.Class = "Not comparable: "+cell.Text, table.Bad
		}
		doubts = append(doubts, cell)
	}
	for _, f := range findings {
		class := map[compare.Outcome]string{compare.Broken: table.Bad, compare.Undecided: table.Doubt}[f.Outcome]
		gate = append(gate, page.Cell{Text: finding(&f), Class: class})
	}
	for _, words := range c.Footnotes {
		notes = append(notes, page.Cell{Text: words})
	}
	list("doubts", "May they be compared?", doubts)
	list("gate", "Gate", gate)
	numbers := Table(c)
	numbers.Title, numbers.Columns[0].Name = "The best of a line is marked; a change is real, unclear, or within noise", "metric"
	d.Sections = append(d.Sections, page.Section{ID: "numbers-h", Title: "Numbers", Table: pageTable(numbers)})
	if c.Accuracy != nil && c.Accuracy.Front != nil {
		figure, err := page.Draw("front-chart", front.Chart(c.Accuracy.Front), true)
		if err != nil {
			return nil, err
		}
		t := front.Table(c.Accuracy.Front)
		d.Sections = append(d.Sections, page.Section{ID: "front-h", Title: front.Title, Wide: []page.Figure{figure}, Table: pageTable(t), Words: t.Notes})
	}
	list("notes", "Notes", notes)
	return d, nil
}

// pageTable is a table as pages lay it out.
func pageTable(t *table.Table) *page.Table {
	out := &page.Table{ID: t.ID, Caption: t.Title}
	for _, c := range t.Columns {
		out.Heads = append(out.Heads, page.Head{Text: c.Name, Number: c.Format != nil})
	}
	for _, row := range t.Rows {
		cells := make([]page.Cell, len(row))
		for i, c := range row {
			cells[i] = page.Cell{Text: c.Text, Value: c.Value, Class: c.Class}
			if c.Class == table.Best {
				cells[i].Class = table.Good
			}
			if c.Value != nil && c.Text == "" {
				cells[i].Text = number.Text(*c.Value)
			}
			if t.Columns[i].Format != nil {
				cells[i].Class += " num"
			}
		}
		out.Lines = append(out.Lines, cells)
	}
	return out
}
