package scenario

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/plan/find"
	"github.com/inferometer/inferometer/internal/show/table"
)

// SearchSettings are those of find that a scenario with a section search has.
func (s *Scenario) SearchSettings() (to option.Settings) {
	to.Add("vary", s.Search.Over)
	to.Add("slo", s.SLO.String())
	number := func(flag string, v *float64) {
		if v != nil {
			to.Add(flag, strconv.FormatFloat(*v, 'f', -1, 64))
		}
	}
	number("from", s.Search.Min)
	number("to", s.Search.Max)
	if p := float64(s.Search.Precision); p > 0 {
		number("tolerance", &p)
	}
	to.Span("confirm", s.Search.Confirm)
	to.Span("max-time", s.Search.Time)
	to.Span("probe", s.Search.Confirm/probesPerConfirm)
	return to
}

// probesPerConfirm is how much shorter a probe is than the confirmation of its load.
const probesPerConfirm = 6

// Searches shows what the searches of a scenario found, within the width of a screen
// (0: of a file), and keeps it in the folder; empty: the scenario has none.
func (p *Plan) Searches(folder Folder, width int) (string, error) {
	if p.Scenario.Search == nil {
		return "", nil
	}
	t := p.searchTable(folder)
	head := fmt.Sprintf("The highest %s within %s", find.Noun(p.Scenario.Search.Over), p.Scenario.SLO)
	text := func(width int) string {
		var b strings.Builder
		table.Line(&b, "## ", head, 0)
		b.WriteString("\n")
		t.Write(&b, width)
		return b.String()
	}
	return text(width), atomicfile.WriteBytes(folder.file("search.md"), []byte(text(0)))
}

// searchTable has one line for each point.
func (p *Plan) searchTable(folder Folder) *table.Grid {
	t := &table.Grid{Head: []string{"point", p.Scenario.Search.Over, "95 % interval", "binds", "verdict"}, Keys: 1}
	for _, p := range p.Points {
		line := []string{outside.Markdown(p.ID), "–", "–", "–", "–"}
		if r, err := find.Read(folder.Run(p.ID)); err == nil && len(r.Results) == 1 {
			a := &r.Results[0].Answer
			line[2], line[3] = find.Interval(a), a.Binding
			if a.X != nil {
				line[1], line[4] = find.LoadText(*a.X), r.Results[0].Verdict
			}
		}
		t.Body = append(t.Body, line)
	}
	return t
}
