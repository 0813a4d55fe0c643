package section

import (
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

func init() { Add(atTotals, totals) }

// Overview is several runs beside each other.
func Overview(runs []Run, limits slo.SLO) *table.Table {
	asked := slices.ContainsFunc(runs, func(r Run) bool { return r.Result.Eval != nil })
	speculative := Speculative(runs)
	names := slices.DeleteFunc(metric.UsualNames(func(u *metric.Usual) []string { return u.Page }), func(n metric.Name) bool { return n.Metric.OfQuestions && !asked })
	t := &table.Table{ID: "runs", Title: "Figures of each run; latencies in ms", Columns: append(table.Words("run", "verdict", "load"), table.Numbers(number.Rate, "output tok/s", "req/s")...)}
	for _, n := range names {
		format := number.Rate
		if n.Metric.OfQuestions {
			format = number.Accuracy
		}
		t.Columns = append(t.Columns, table.Column{Name: n.Column(), Format: format})
	}
	t.Columns = append(t.Columns, table.Numbers(number.Count, "failed")...)
	if asked {
		t.Columns = append(t.Columns, table.Words("± stderr, 95 % interval")...)
	}
	if limits != nil {
		t.Columns = append(t.Columns, table.Words("SLO")...)
	}
	if speculative {
		t.Columns = append(t.Columns, table.Numbers(number.Rate, "accepted %", "accepted length")...)
	}
	for i := range runs {
		r := runs[i].Result
		row := table.Row(runs[i].Name, VerdictCell(runs[i].Verdict), table.Cell{Text: Load(r), Class: "load"}, r.OutputThroughput, r.RequestThroughput)
		for _, n := range names {
			cell := table.Value(NumberOf(r, n))
			if cell.Value == nil && !math.IsNaN(Latency(r, string(n.Statistic), n.Metric.Name)) {
				cell.Text = number.TooFew
			}
			row = append(row, cell)
		}
		row = append(row, table.Value(r.Failed))
		if asked {
			text := number.None
			if e := r.Eval; e != nil && len(e.Scores) > 0 && e.Scores[0].Value != nil {
				a := &e.Scores[0].Accuracy
				text = "± " + number.Maybe(a.StdErr, number.Accuracy) + ", " + Interval(a)
			}
			row = append(row, table.Word(text))
		}
		if limits != nil {
			row = append(row, table.Word(map[bool]string{true: "kept", false: "not kept"}[Keeps(limits, r)]))
		}
		if speculative {
			rate, length := Acceptance(r)
			row = append(row, table.Row(rate, length)...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// VerdictCell is the word of a verdict, with how it is to be taken.
func VerdictCell(v *verdict.Verdict) table.Cell {
	if v == nil {
		return table.Cell{Text: "not judged", Class: "none"}
	}
	return table.Cell{Text: string(v.Level), Class: LevelClass(string(v.Level))}
}

// totals are what was done. A console has vLLM's block for it, a page its tiles.
func totals(run *Run) *Section {
	r := run.Result
	t := &table.Table{Columns: append(table.Numbers(number.Count, "requests", "failed"), table.Numbers(number.Rate, "duration, s", "req/s", "output tok/s", "total tok/s")...), Except: table.OnConsole | table.OnPage}
	t.Add(r.Requests, r.Failed, r.Duration, r.RequestThroughput, r.OutputThroughput, r.TotalTokenThroughput)
	return &Section{ID: "totals", Title: "Totals", Tables: []*table.Table{t}}
}
