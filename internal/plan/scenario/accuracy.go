package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/comparison"
	"github.com/inferometer/inferometer/internal/show/front"
	"github.com/inferometer/inferometer/internal/show/table"
)

// level is that of the intervals and calls of accuracy.
const level = 0.95

// answered reads what the answers of a row's repeat are worth: of the run of questions that
// followed its speed run, or of its only run. Throughput is the speed run's.
func (r *Row) answered(folder Folder, i int, m *measured) error {
	p := r.Points[i]
	if len(p.Eval) > 0 {
		of, err := readResult(folder.evalResult(p.ID))
		if err != nil {
			return err
		}
		m.Eval = of.Eval
		for _, k := range metric.All() {
			if v, ok := of.Numbers[k.Name]; ok && k.OfQuestions {
				m.Numbers[k.Name] = v
			}
		}
		if failed := of.Numbers["failed"]; failed > 0 {
			r.doubted = fmt.Sprintf("%.0f of %.0f questions got no answer: accuracy is that of the others", failed, of.Numbers["completed"]+failed)
		}
	}
	if p.asks() {
		r.side.Runs = append(r.side.Runs, m.Result)
	}
	return nil
}

// accuracy is a row's share of right answers with its standard error.
func (r *Row) accuracy() string {
	if len(r.side.Runs) == 0 {
		return r.cell(result.AccuracyMetric)
	}
	of := compare.AnswersOf(&r.side, level)
	return comparison.Accuracy(&of, nothing)
}

// accuracies compares the answers of rows: each with the first that differs from it in its
// target alone, and all of them on the front of accuracy against throughput.
func (s *Summary) accuracies() (front *compare.Front, notes []string) {
	var all []compare.Side
	groups, order := map[int][]compare.Side{}, []int(nil)
	for _, r := range s.Rows {
		if len(r.side.Runs) == 0 {
			continue
		}
		r.side.Name = s.plan.place(r)
		all = append(all, r.side)
		number := r.Points[0].number
		if groups[number] == nil {
			order = append(order, number)
		}
		groups[number] = append(groups[number], r.side)
	}
	for _, number := range order {
		if a := compare.AccuracyOf(groups[number], level); a != nil {
			for _, note := range a.Notes {
				if !slices.Contains(notes, note) {
					notes = append(notes, note)
				}
			}
		}
	}
	return compare.FrontOf(all, level), notes
}

// accuracySection is the front of accuracy against throughput, and what is said of pairs.
func (s *Summary) accuracySection(b *strings.Builder, width int) {
	if s.Front == nil && len(s.Pairs) == 0 {
		return
	}
	b.WriteString("\n## " + front.Title + "\n\n")
	if s.Front != nil {
		table.Within(b, front.Table(s.Front), width, nil)
		b.WriteString("\n")
	}
	for _, note := range s.Pairs {
		table.Line(b, "- ", outside.Markdown(note), width)
	}
}
