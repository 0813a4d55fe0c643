package compare

import (
	"fmt"
	"math"
	"strconv"
)

// number writes a value with as many digits as tell something.
func number(v float64) string {
	switch a := math.Abs(v); {
	case a >= 1000:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 100:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 1 || a == 0:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// words is a change for people: "+10.2 % [+8.1, +12.4] real".
func (c *Change) words() string {
	switch {
	case c == nil:
		return "unknown"
	case !c.Bounded && c.Why != "":
		return fmt.Sprintf("%s, no error: %s", percent(c.Ratio), c.Why)
	case !c.Bounded:
		return fmt.Sprintf("%s, unknown error", percent(c.Ratio))
	}
	text := fmt.Sprintf("%s [%s, %s] %s", percent(c.Ratio), bare(c.Low), bare(c.High), c.Call)
	switch more := c.Needs.words(); {
	case c.Call == Unclear && more != "":
		text += fmt.Sprintf(" (≥ %.0f %% could be seen; %s)", min(c.Smallest*100, most*100), more)
	case c.Call == Unclear:
		text += fmt.Sprintf(" (≥ %.0f %% could be seen)", min(c.Smallest*100, most*100))
	case more != "":
		text += " (" + more + ")"
	}
	return text
}

// words say what would decide an open change.
func (n *Needs) words() string {
	size := func(v float64) string { return fmt.Sprintf("%.0f %%", min(v, most)*100) }
	switch {
	case n == nil:
		return ""
	case n.Off > 0:
		return fmt.Sprintf("more runs can't decide it: the values may be off by %s", size(n.Off))
	case n.Runs == 0:
		return fmt.Sprintf("more than %d runs a side for %s", mostRuns, size(n.Change))
	}
	return fmt.Sprintf("about %d runs a side for %s", n.Runs, size(n.Change))
}

func percent(v float64) string { return bare(v) + " %" }

func bare(v float64) string {
	if v > most {
		return fmt.Sprintf(">%+.0f", most*100)
	}
	return fmt.Sprintf("%+.1f", v*100)
}

// most is where a change is only told to be larger: nobody reads the digits.
const most = 9.99

// box is one place of a table.
type box struct {
	text string
	best bool
}

// isLeft says whether a column holds words, which begin at the left.
func isLeft(column int) bool { return column == 0 || column >= 3 && column%2 == 1 }

// grid is the comparison as lines of boxes: the header, what the runs were, and one
// line per metric. From the second side on each has a second column for its change.
func (c *Comparison) grid() [][]box {
	header := []box{{}}
	for i, name := range c.Names {
		header = append(header, box{text: name})
		if i > 0 {
			header = append(header, box{text: "change"})
		}
	}
	lines := append([][]box{header}, c.facts()...)
	for i := range c.Rows {
		row := &c.Rows[i]
		line := []box{{text: row.Metric.Label}}
		for side, cell := range row.Cells {
			text := "unknown"
			if cell.Known {
				text = number(cell.Value)
			}
			line = append(line, box{text, cell.Best})
			if side > 0 {
				line = append(line, box{text: cell.Change.words()})
			}
		}
		lines = append(lines, line)
	}
	return append(lines, c.Accuracy.lines()...)
}

// facts are the lines above the metrics: what the runs were.
func (c *Comparison) facts() [][]box {
	var out [][]box
	add := func(label string, of func(s *Side) string) {
		line, any := []box{{text: label}}, false
		for i := range c.Sides {
			text := of(&c.Sides[i])
			any = any || text != ""
			line = append(line, box{text: text})
			if i > 0 {
				line = append(line, box{})
			}
		}
		if any {
			out = append(out, line)
		}
	}
	add("tool", func(s *Side) string { return string(s.Runs[0].Tool) })
	add("runs", func(s *Side) string {
		if len(s.Runs) == 1 {
			return ""
		}
		return strconv.Itoa(len(s.Runs))
	})
	add("completed", completed)
	add("concurrency", func(s *Side) string { return whole(s.Runs[0].Facts.Concurrency) })
	add("verdict", func(s *Side) string { return s.Runs[0].Facts.Verdict })
	return out
}

// completed is 36 of 64, where that is known.
func completed(s *Side) string {
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
