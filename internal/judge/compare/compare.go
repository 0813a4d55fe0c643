// Package compare holds runs against each other: A, and B, C… against A. For each
// metric it says by how much they differ, between which bounds that lies, and
// whether the difference is real, too small to matter, or unclear. Before that it
// says what makes the runs not comparable at all.
//
//	results ─▶ doubts (may they be compared?)
//	        └▶ estimates (a value and its error) ─▶ changes ─▶ calls ─▶ gate
//
// It is a pure function of results: the same files give the same answer.
package compare

import (
	"fmt"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// Side is one side of a comparison: a run, or several repeats of it.
type Side struct {
	Name string
	Runs []result.Result
}

// Options change how sides are compared. The zero value is the usual.
type Options struct {
	Metrics  []string // these only; nil: the usual ones
	Level    float64  // of intervals; 0: 0.95
	Interest float64  // a relative change from which on a difference matters; 0: 0.05
	Tables   int      // that are read at once, of which this is one; 0: 1
}

func (o Options) withDefaults() Options {
	if o.Level == 0 {
		o.Level = 0.95
	}
	if o.Interest == 0 {
		o.Interest = 0.05
	}
	o.Tables = max(o.Tables, 1)
	return o
}

// Comparison is what was found.
type Comparison struct {
	Sides     []Side   `json:"-"`
	Names     []string `json:"sides"`
	Level     float64  `json:"level"`
	Doubts    []Doubt  `json:"doubts"` // what makes the sides not comparable
	Rows      []Row    `json:"rows"`
	Footnotes []string `json:"notes"` // differences in definition, and how it was computed

	Accuracy *Accuracy `json:"accuracy,omitempty"` // nil: no side asked questions

	tables int // that are read at once
}

// Row is one metric.
type Row struct {
	Metric Metric `json:"metric"`
	Cells  []Cell `json:"cells"` // one a side
}

// Cell is one side's value of a metric.
type Cell struct {
	Known  bool    `json:"known"`
	Value  float64 `json:"value"`
	Best   bool    `json:"best,omitempty"`   // of all sides, where it is clear what better means
	Change *Change `json:"change,omitempty"` // against the first side; nil for that one
}

// Compare holds sides[1:] against sides[0].
func Compare(sides []Side, opt Options) (*Comparison, error) {
	if len(sides) < 2 {
		return nil, fmt.Errorf("%d result: a comparison needs two", len(sides))
	}
	opt = opt.withDefaults()
	c := &Comparison{Sides: sides, Level: opt.Level, tables: opt.Tables, Doubts: doubts(sides), Footnotes: footnotes(sides)}
	for i := range sides {
		c.Names = append(c.Names, sides[i].Name)
	}
	ratios := make([]spreads, len(sides))
	var known [][]estimate // by row
	c.Accuracy = AccuracyOf(sides, opt.Level)
	for _, m := range chosen(sides, opt.Metrics) {
		if m.Key == result.AccuracyMetric && c.Accuracy != nil {
			continue // it has lines of its own: answers are paired by their questions
		}
		of := estimates(sides, m, opt.Level)
		c.Rows, known = append(c.Rows, rowOf(m, of, ratios)), append(known, of)
	}
	for i := range c.Rows {
		for side := range sides {
			c.Rows[i].Cells[side].Change.steady(&ratios[side])
		}
	}
	c.Footnotes = append(c.Footnotes, absent(c.Rows)...)
	if len(absent(c.Rows)) == len(c.Rows) && c.Accuracy == nil {
		return nil, fmt.Errorf("%s and the others have no metric in common", sides[0].Name)
	}
	if c.Accuracy != nil {
		c.Footnotes = append(c.Footnotes, c.Accuracy.Notes...)
	}
	each := c.call(opt)
	for i := range c.Rows {
		c.markBest(&c.Rows[i], known[i], each)
	}
	return c, nil
}

// rowOf is a metric of all sides. It adds to what is known of their spreads.
func rowOf(m Metric, of []estimate, ratios []spreads) Row {
	row := Row{Metric: m, Cells: make([]Cell, len(of))}
	for i, e := range of {
		row.Cells[i] = Cell{Known: e.known, Value: e.value}
		if i > 0 {
			row.Cells[i].Change = changeOf(of[0], e)
			ratios[i].add(&of[0], &e)
		}
	}
	return row
}

// absent tells of metrics that were asked for and that no side has.
func absent(rows []Row) []string {
	var out []string
	for i := range rows {
		if !slices.ContainsFunc(rows[i].Cells, func(c Cell) bool { return c.Known }) {
			out = append(out, fmt.Sprintf("no side has %s", rows[i].Metric.Key))
		}
	}
	return out
}

// markBest marks the best value: of sides under the same load that did their work, and
// only where no other is as good within its error, at each share of error. What has no
// error known is taken as it is printed.
func (c *Comparison) markBest(row *Row, of []estimate, each float64) {
	var able []int
	for i := range of {
		if of[i].known && !c.disqualified(i) {
			able = append(able, i)
		}
	}
	if len(able) < 2 || row.Metric.Unsure || c.unequalLoads(able) {
		return
	}
	for _, i := range winners(row.Metric, of, able, func(a, b int) bool {
		if a > b {
			a, b = b, a
		}
		if ch := row.Cells[b].Change; a == 0 && ch != nil {
			return ch.Call == Real || ch.Call == Unknown && ch.Why == "" // it has been decided
		}
		return apart(of[a], of[b], each)
	}) {
		row.Cells[i].Best = true
	}
}

// winners are the best of some estimates: one, or several with the same value and no
// known error; none where another one is not told apart from the best.
func winners(m Metric, of []estimate, able []int, apart func(a, b int) bool) []int {
	best := able[0]
	for _, i := range able {
		if m.better(of[i].value, of[best].value) {
			best = i
		}
	}
	out := []int{best}
	for _, i := range able {
		switch {
		case i == best:
		case !apart(best, i):
			return nil
		case of[i].value == of[best].value:
			out = append(out, i)
		}
	}
	return out
}

// apart says whether two estimates differ beyond noise with this share of error; those
// with no error known always do.
func apart(a, b estimate, share float64) bool {
	ch := changeOf(a, b)
	return ch == nil || !ch.Bounded && ch.Why == "" || ch.Bounded && ch.tail() < share
}

func (c *Comparison) disqualified(side int) bool {
	for i := range c.Sides[side].Runs {
		f := &c.Sides[side].Runs[i].Facts
		if f.Missing() > 0 || f.Verdict == "INVALID" {
			return true
		}
	}
	return false
}

// unequalLoads says whether two of the sides tell of different loads.
func (c *Comparison) unequalLoads(able []int) bool {
	first := ""
	for _, i := range able {
		load := c.Sides[i].Runs[0].Facts.Load()
		if load != "" && first != "" && load != first {
			return true
		}
		first = max(first, load)
	}
	return false
}
