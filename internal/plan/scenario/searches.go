package scenario

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/plan/find"
	"github.com/inferometer/inferometer/internal/show/table"
)

// SearchArgs are the flags of find that a scenario with a section search sets.
func (s *Scenario) SearchArgs() []string {
	args := []string{"--vary", s.Search.Over, "--slo", s.SLO.String()}
	number := func(flag string, v *float64) {
		if v != nil {
			args = append(args, flag, strconv.FormatFloat(*v, 'f', -1, 64))
		}
	}
	span := func(flag string, d time.Duration) {
		if d > 0 {
			args = append(args, flag, d.String())
		}
	}
	number("--from", s.Search.Min)
	number("--to", s.Search.Max)
	if p := float64(s.Search.Precision); p > 0 {
		number("--tolerance", &p)
	}
	span("--confirm", s.Search.Confirm)
	span("--max-time", s.Search.Time)
	span("--probe", s.Search.Confirm/probesPerConfirm)
	return args
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
	head := fmt.Sprintf("The highest %s within %s", p.Scenario.Search.Over, p.Scenario.SLO)
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
