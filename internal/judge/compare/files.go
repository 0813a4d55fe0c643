package compare

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/outside"
)

// CSV writes one line per metric and side.
func (c *Comparison) CSV(w io.Writer) error {
	out := &lines{csv.NewWriter(w), nil}
	if err := out.Write(csvHead()); err != nil {
		return err
	}
	if err := c.csv(out); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

func csvHead() []string {
	return []string{"metric", "side", "value", "best", "change", "low", "high", "p", "call", "smallest_visible", "runs"}
}

// lines are those of a CSV file, each behind some cells.
type lines struct {
	*csv.Writer
	before []string
}

func (l *lines) Write(line []string) error { return l.Writer.Write(slices.Concat(l.before, line)) }

// csv writes the lines of all points, with the point in front of each.
func (p *Points) csv(w io.Writer) error {
	out := &lines{csv.NewWriter(w), nil}
	if err := out.Write(append([]string{"point"}, csvHead()...)); err != nil {
		return err
	}
	for i := range p.Pairs {
		out.before = []string{outside.CSV(p.Pairs[i].Point)}
		if err := p.Pairs[i].c.csv(out); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// csv writes the lines of one comparison.
func (c *Comparison) csv(out *lines) error {
	exact := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for i := range c.Rows {
		row := &c.Rows[i]
		for side, cell := range row.Cells {
			line := []string{outside.CSV(row.Metric.Key), outside.CSV(c.Names[side]), "", strconv.FormatBool(cell.Best), "", "", "", "", "", "", ""}
			if cell.Known {
				line[2] = exact(cell.Value)
			}
			if ch := cell.Change; ch != nil {
				line[4], line[8], line[10] = exact(ch.Ratio), string(ch.Call), strconv.Itoa(ch.Runs)
				if ch.Bounded {
					line[5], line[6], line[7], line[9] = exact(ch.Low), exact(ch.High), exact(ch.P), exact(ch.Smallest)
				}
			}
			if err := out.Write(line); err != nil {
				return err
			}
		}
	}
	return c.Accuracy.csv(out, c.Names)
}

// csv writes the lines of accuracy. Their changes are differences: 0.01 is one point.
func (a *Accuracy) csv(out *lines, names []string) error {
	if a == nil {
		return nil
	}
	exact := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for side := range a.Sides {
		s := &a.Sides[side]
		line := []string{result.AccuracyMetric, outside.CSV(names[side]), "", strconv.FormatBool(s.Best), "", "", "", "", "", "", ""}
		if s.Known {
			line[2] = exact(s.Value)
		}
		if p := s.Change; p != nil {
			line[8] = string(p.Call)
			if p.NotPaired == "" {
				line[4], line[5], line[6], line[7], line[9] = exact(p.Difference), exact(p.Low), exact(p.High), exact(p.P), exact(p.Smallest)
			}
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// JSON writes everything, with the gate's findings if there are any.
func (c *Comparison) JSON(w io.Writer, findings []Finding) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		*Comparison
		Gate []Finding `json:"gate,omitempty"`
	}{c, findings})
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

// JUnit writes the gate's findings as tests: broken is a failure, undecided is skipped.
func JUnit(w io.Writer, findings []Finding) error {
	s := junitSuite{Name: "inferometer compare", Tests: len(findings)}
	for _, f := range findings {
		t := junitCase{Name: f.Limit, Class: f.Side, Out: f.Sentence}
		switch f.Outcome {
		case Broken:
			s.Failures++
			t.Failure = &junitNo{f.Sentence}
		case Undecided:
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
