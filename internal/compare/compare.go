// Package compare holds runs against each other: A, and B, C… against A. For each
// metric it says by how much they differ, between which bounds that lies, and
// whether the difference is real, too small to matter, or unclear. Before that it
// says what makes the runs not comparable at all.
//
//	results.Run… ─▶ doubts (may they be compared?)
//	             └▶ estimates (a value and its error) ─▶ changes ─▶ calls ─▶ gate
//
// It is a pure function of results: the same files give the same answer.
package compare

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/results"
)

// Side is one side of a comparison: a run, or several repeats of it.
type Side struct {
	Name string
	Runs []results.Run
}

// Options change how sides are compared. The zero value is the usual.
type Options struct {
	Metrics  []string // these only; nil: the usual ones
	Level    float64  // of intervals; 0: 0.95
	Interest float64  // a relative change from which on a difference matters; 0: 0.05
}

func (o Options) withDefaults() Options {
	if o.Level == 0 {
		o.Level = 0.95
	}
	if o.Interest == 0 {
		o.Interest = 0.05
	}
	return o
}

// Comparison is what was found.
type Comparison struct {
	Sides  []Side   `json:"-"`
	Names  []string `json:"sides"`
	Level  float64  `json:"level"`
	Doubts []Doubt  `json:"doubts"` // what makes the sides not comparable
	Rows   []Row    `json:"rows"`
	Feet   []string `json:"notes"` // differences in definition, and how it was computed
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
	c := &Comparison{Sides: sides, Level: opt.Level, Doubts: doubts(sides), Feet: feet(sides)}
	for i := range sides {
		c.Names = append(c.Names, sides[i].Name)
	}
	for _, m := range chosen(sides, opt.Metrics) {
		row := Row{Metric: m, Cells: make([]Cell, len(sides))}
		var base estimate
		for i := range sides {
			e := estimateOf(&sides[i], m, opt.Level)
			row.Cells[i] = Cell{Known: e.known, Value: e.value}
			if i == 0 {
				base = e
				continue
			}
			row.Cells[i].Change = changeOf(base, e, opt.Level)
		}
		c.markBest(&row)
		c.Rows = append(c.Rows, row)
	}
	if len(c.Rows) == 0 {
		return nil, fmt.Errorf("%s and the others have no metric in common", sides[0].Name)
	}
	c.call(opt)
	return c, nil
}

// markBest marks the best value, if more than one is known. A side that did not do
// its work can't win.
func (c *Comparison) markBest(row *Row) {
	best, known := -1, 0
	for i := range row.Cells {
		cell := &row.Cells[i]
		if !cell.Known || c.disqualified(i) {
			continue
		}
		known++
		if best < 0 || row.Metric.better(cell.Value, row.Cells[best].Value) {
			best = i
		}
	}
	if known < 2 {
		return
	}
	for i := range row.Cells {
		row.Cells[i].Best = row.Cells[i].Known && !c.disqualified(i) && row.Cells[i].Value == row.Cells[best].Value
	}
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
