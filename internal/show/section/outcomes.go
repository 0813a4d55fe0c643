package section

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/judge/hangups"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

func init() { Add(atOutcomes, outcomeSection) }

// outcomeSection is how requests ended. A console has the errors on top.
func outcomeSection(run *Run) *Section {
	r := run.Result
	facts := &table.Table{Except: table.Files}
	facts.Fact("Outcomes", outcomes(r.Outcomes))
	facts.Fact("Hung up on purpose", hangUps(r.HangUps))
	facts.Fact("Numbers above by the rules of", r.Compat)
	each := &table.Table{Title: "How requests ended", Columns: append(table.Words("outcome"), table.Numbers(number.Count, "requests")...), Except: table.OnConsole}
	each.Columns = append(each.Columns, table.Column{Name: "share", Unit: "%", Format: number.Points})
	for _, o := range r.Outcomes {
		each.Add(string(o.Outcome), o.Count, float64(o.Count)/float64(max(r.Requests+r.Unsent, 1)))
	}
	errors := &table.Table{Title: "What went wrong", Columns: append(table.Numbers(number.Count, "requests"), table.Words("outcome", "message")...), Except: table.OnConsole | table.InMarkdown}
	for _, e := range r.Errors {
		errors.Add(e.Count, string(e.Outcome), table.Sentence(e.Message))
	}
	return &Section{ID: "outcomes", Title: "Outcomes", Tables: []*table.Table{facts, each, errors}}
}

// hangUps is what clients that hung up left behind, in words; empty: nobody was to.
func hangUps(h *hangups.Summary) string {
	if h == nil {
		return ""
	}
	words := fmt.Sprintf("%d of %d that were to be, after %d tokens", h.Requests, h.Planned, h.Received)
	switch n := h.ForNobody; {
	case n == nil:
		return words + "; what the server generated for nobody is unknown: it has no counter of that"
	case n.Low == n.High:
		return words + fmt.Sprintf("; the server generated %.0f more for nobody, of the %d that were left", n.High, h.Left)
	default:
		return words + fmt.Sprintf("; the server generated %.0f to %.0f more for nobody, of the %d that were left", n.Low, n.High, h.Left)
	}
}
