package comparison

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"

	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/show/table"
)

// csvOf writes one line per metric and side of all comparisons, with the point in front of each where there are points.
func csvOf(w io.Writer, points []string, all []*compare.Comparison) error {
	names := []string{"metric", "side", "value", "best", "change", "low", "high", "p", "call", "smallest_visible", "runs"}
	if points != nil {
		names = append([]string{"point"}, names...)
	}
	t := &table.Table{Columns: table.Words(names...)}
	for n, c := range all {
		add := func(cells ...any) {
			if points != nil {
				cells = append([]any{points[n]}, cells...)
			}
			t.Add(cells...)
		}
		for i := range c.Rows {
			row := &c.Rows[i]
			for side, cell := range row.Cells {
				addCSV(add, row.Metric.Key, c.Names[side], &cell)
			}
		}
		if c.Accuracy == nil {
			continue
		}
		for side := range c.Accuracy.Sides { // whose changes are differences: 0.01 is one point
			s := &c.Accuracy.Sides[side]
			cell := compare.Cell{Known: s.Known, Value: s.Value, Best: s.Best}
			if p := s.Change; p != nil {
				cell.Change = &compare.Change{Ratio: p.Difference, Bounded: p.NotPaired == "", Low: p.Low, High: p.High, P: p.P, Call: p.Call, Smallest: p.Smallest}
			}
			addCSV(add, result.AccuracyMetric, c.Names[side], &cell)
		}
	}
	return table.CSV(w, t)
}

// addCSV adds a cell as a line. A change without runs is one of answers: it is known only where they are paired.
func addCSV(add func(...any), key, side string, cell *compare.Cell) {
	var value, change, low, high, p, smallest any = "", "", "", "", "", ""
	call, runs := "", ""
	if cell.Known {
		value = cell.Value
	}
	if ch := cell.Change; ch != nil {
		call = string(ch.Call)
		if ch.Runs > 0 {
			runs = strconv.Itoa(ch.Runs)
		}
		if ch.Runs > 0 || ch.Bounded {
			change = ch.Ratio
		}
		if ch.Bounded {
			low, high, p, smallest = ch.Low, ch.High, ch.P, ch.Smallest
		}
	}
	add(key, side, value, strconv.FormatBool(cell.Best), change, low, high, p, call, smallest, runs)
}

// JSON writes a value for programs.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func pointsJSON(w io.Writer, p *compare.Points) error {
	type pair struct {
		Point string `json:"point"`
		*compare.Comparison
	}
	pairs := []pair{}
	for i := range p.Pairs {
		pairs = append(pairs, pair{p.Pairs[i].Point, p.Pairs[i].Comparison})
	}
	return JSON(w, struct {
		Scenarios []string          `json:"scenarios"`
		Points    []pair            `json:"points"`
		Only      []compare.Alone   `json:"no_partner,omitempty"`
		Notes     []string          `json:"notes,omitempty"`
		Gate      []compare.Finding `json:"gate,omitempty"`
	}{p.Names, pairs, p.Only, p.Notes, p.Findings})
}

// The elements of a JUnit file, which CI systems show as tests.
type junitCase struct {
	Name    string   `xml:"name,attr"`
	Class   string   `xml:"classname,attr"`
	Failure *junitNo `xml:"failure,omitempty"`
	Skipped *junitNo `xml:"skipped,omitempty"`
	Out     string   `xml:"system-out,omitempty"`
}

type junitNo struct {
	Message string `xml:"message,attr"`
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

// junit writes the gate's findings as tests: broken is a failure, undecided is skipped.
func junit(w io.Writer, findings []compare.Finding) error {
	s := junitSuite{Name: "inferometer compare", Tests: len(findings)}
	for _, f := range findings {
		t := junitCase{Name: f.Limit, Class: f.Side, Out: f.Sentence}
		switch f.Outcome {
		case compare.Broken:
			s.Failures++
			t.Failure = &junitNo{f.Sentence}
		case compare.Undecided:
			s.Skipped++
			t.Skipped = &junitNo{f.Sentence}
		}
		s.Cases = append(s.Cases, t)
	}
	b, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, b)
	return err
}
