package comparison

import (
	"fmt"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/show/front"
	"github.com/inferometer/inferometer/internal/show/page"
	"github.com/inferometer/inferometer/internal/show/table"
)

// Document is the comparison as a page.
func Document(c *compare.Comparison, findings []compare.Finding) (*page.Document, error) {
	d := &page.Document{Title: "Comparison", Subtitle: fmt.Sprintf("%d results against %s", len(c.Names)-1, clip(c.Names[0]))}
	if len(c.Names) == 2 {
		d.Subtitle = clip(c.Names[1]) + " against " + clip(c.Names[0])
		if !slices.ContainsFunc(c.Doubts, func(d compare.Doubt) bool { return d.Severe }) {
			d.Cards = cards(c)
		}
	}
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
	list("gate", "Gate", gate)
	list("doubts", "May they be compared?", doubts)
	drawn := page.Section{ID: "changes", Title: "Changes, with their intervals"}
	for side := 1; side < min(len(c.Names), 1+maxDrawn); side++ {
		chart := changes(c, side)
		if chart == nil {
			continue
		}
		figure, err := page.Draw(fmt.Sprintf("changes-%d", side), chart, len(c.Names) == 2)
		if err != nil {
			return nil, err
		}
		drawn.Figures = append(drawn.Figures, figure)
	}
	if more := len(c.Names) - 1 - maxDrawn; more > 0 {
		drawn.Words = []string{fmt.Sprintf("Drawn are the first %d sides; the table below has %d more.", maxDrawn, more)}
	}
	if len(drawn.Figures) > 0 {
		d.Sections = append(d.Sections, drawn)
	}
	if c.Accuracy != nil && c.Accuracy.Front != nil {
		figure, err := page.Draw("front-chart", front.Chart(c.Accuracy.Front), true)
		if err != nil {
			return nil, err
		}
		t := front.Table(c.Accuracy.Front)
		d.Sections = append(d.Sections, page.Section{ID: "front-h", Title: front.Title, Figures: []page.Figure{figure}, Table: t})
	}
	numbers := Table(c)
	numbers.Title, numbers.Columns[0].Name = "The best of a line is marked; a change is real, unclear, or within noise", "metric"
	for i := range numbers.Columns {
		numbers.Columns[i].Name = clip(numbers.Columns[i].Name)
	}
	d.Sections = append(d.Sections, page.Section{ID: "numbers-h", Title: "Numbers", Table: numbers})
	if of := Replicas(c); of != nil {
		d.Sections = append(d.Sections, page.Section{ID: "replicas-h", Title: replicasTitle, Table: of})
	}
	list("notes", "Notes", notes)
	return d, nil
}
