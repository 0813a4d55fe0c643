package comparison

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

// Table is the comparison: what the runs were, and one line per metric. From the second side on each has a second
// column for its change.
func Table(c *compare.Comparison) *table.Table {
	t := &table.Table{ID: "comparison", Columns: table.Words("")}
	for i, name := range c.Names {
		t.Columns = append(t.Columns, table.Column{Name: name, Format: number.Text})
		if i > 0 {
			t.Columns = append(t.Columns, table.Words("change")...)
		}
	}
	addFacts(t, c)
	for i := range c.Rows {
		row := &c.Rows[i]
		line := []table.Cell{table.Word(row.Metric.Label)}
		for side, cell := range row.Cells {
			value := table.Word(number.Unknown)
			if cell.Known {
				value = best(table.Value(cell.Value), cell.Best)
			}
			line = append(line, value)
			if side > 0 {
				line = append(line, table.Sentence(Change(cell.Change)))
			}
		}
		t.Rows = append(t.Rows, line)
	}
	addAccuracy(t, c.Accuracy)
	return t
}

func best(c table.Cell, is bool) table.Cell {
	if is {
		c.Class = table.Best
	}
	return c
}

// addFacts adds the lines above the metrics: what the runs were.
func addFacts(t *table.Table, c *compare.Comparison) {
	add := func(label string, of func(s *compare.Side) string) {
		line, said := table.Row(label), false
		for i := range c.Sides {
			words := of(&c.Sides[i])
			said = said || words != ""
			line = append(line, table.Word(words))
			if i > 0 {
				line = append(line, table.Word(""))
			}
		}
		if said {
			t.Rows = append(t.Rows, line)
		}
	}
	add("tool", func(s *compare.Side) string { return string(s.Runs[0].Tool) })
	add("runs", func(s *compare.Side) string {
		if len(s.Runs) == 1 {
			return ""
		}
		return strconv.Itoa(len(s.Runs))
	})
	add("completed", completed)
	add("concurrency", func(s *compare.Side) string { return count(s.Runs[0].Facts.Concurrency) })
	add("verdict", func(s *compare.Side) string { return s.Runs[0].Facts.Verdict })
}

// completed is 36 of 64, where that is known.
func completed(s *compare.Side) string {
	done, asked, nothing := 0, 0, false
	for i := range s.Runs {
		f := &s.Runs[i].Facts
		nothing = nothing || f.Nothing
		done += f.Completed
		asked += max(f.Asked, f.Completed+f.Missing())
	}
	switch {
	case done == 0 && !nothing:
		return ""
	case asked == done && s.Runs[0].Facts.Asked == 0 && s.Runs[0].Facts.Failed == nil:
		return fmt.Sprintf("%d of ?", done)
	}
	return fmt.Sprintf("%d of %d", done, asked)
}

// count is a number of things that may not be told.
func count(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// maxChange is where a change is only told to be larger: nobody reads the digits.
const maxChange = 9.99

// signed is a relative change in per cent, without its sign.
func signed(v float64) string {
	if v > maxChange {
		return fmt.Sprintf(">%+.0f", maxChange*100)
	}
	return number.Signed(v)
}

// whole is the size of a change in whole per cent.
func whole(v float64) string { return number.Fixed(min(v, maxChange)*100, 0) + " %" }

// Change is a change for people: "+10.2 % [+8.1, +12.4] real".
func Change(c *compare.Change) string {
	switch {
	case c == nil:
		return number.Unknown
	case !c.Bounded && c.Why != "":
		return fmt.Sprintf("%s %%, no error: %s", signed(c.Ratio), c.Why)
	case !c.Bounded:
		return fmt.Sprintf("%s %%, unknown error", signed(c.Ratio))
	}
	text := fmt.Sprintf("%s %% %s %s", signed(c.Ratio), number.Interval(c.Low, c.High, signed), c.Call)
	switch more := needs(c.Needs); {
	case c.Call == compare.Unclear && more != "":
		text += fmt.Sprintf(" (≥ %s could be seen; %s)", whole(c.Smallest), more)
	case c.Call == compare.Unclear:
		text += fmt.Sprintf(" (≥ %s could be seen)", whole(c.Smallest))
	case more != "":
		text += " (" + more + ")"
	}
	return text
}

// needs says what would decide an open change.
func needs(n *compare.Needs) string {
	switch {
	case n == nil:
		return ""
	case n.Off > 0:
		return fmt.Sprintf("more runs can't decide it: the values may be off by %s", whole(n.Off))
	case n.Runs == 0:
		return fmt.Sprintf("more than %d runs per side for %s", compare.MaxRuns, whole(n.Change))
	}
	return fmt.Sprintf("about %d runs per side for %s", n.Runs, whole(n.Change))
}

// Rounds is the state of the metrics that a duel must decide, for its progress.
func Rounds(a *compare.Analysis, keys []string) string {
	var parts []string
	for _, key := range keys {
		parts = append(parts, key+" "+Change(a.Row(key).Cells[1].Change))
	}
	return strings.Join(parts, "; ")
}
