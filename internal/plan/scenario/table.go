package scenario

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/plan/routers"
	"github.com/inferometer/inferometer/internal/plan/run"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

// Markdown writes the answers and the table, to be pasted as they are.
func (s *Summary) Markdown(w io.Writer) error { return s.Text(w, 0, nil) }

// Text is Markdown within the width of a screen; 0: of a file. bold makes words bold there;
// nil: they keep Markdown's stars.
func (s *Summary) Text(w io.Writer, width int, bold func(string) string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", s.plan.Name)
	for _, line := range s.Answers.Lines {
		table.Line(&b, "- ", line, width)
	}
	if age := s.age(); age != "" {
		table.Line(&b, "- ", age, width)
	}
	b.WriteString("\n")
	t := s.table()
	t.Bold = bold
	t.Write(&b, width)
	b.WriteString("\n")
	table.Line(&b, "", s.legend(), width)
	if s.Routers != nil {
		routers.Write(&b, s.Routers, width)
	}
	s.accuracySection(&b, width)
	s.clausesSection(&b, width)
	s.replicasSection(&b, width)
	s.startupSection(&b, width)
	s.problemsSection(&b, width)
	_, err := io.WriteString(w, b.String())
	return err
}

// table is one line for each row.
func (s *Summary) table() *table.Grid {
	t := &table.Grid{Head: s.plan.heads(), Keys: len(s.plan.Axes)}
	list := s.columns()
	for _, c := range list {
		t.Head = append(t.Head, c.title)
	}
	best := s.best(list)
	for i, r := range s.Rows {
		line := r.keys(s.plan)
		for j, c := range list {
			cell := r.text(c)
			if slices.Contains(best[j], i) {
				cell = table.Strong(cell)
			}
			line = append(line, cell)
		}
		t.Body = append(t.Body, line)
	}
	return t
}

// heads are the names of the matrix's keys.
func (p *Plan) heads() (cells []string) {
	for _, name := range p.Axes {
		cells = append(cells, outside.Markdown(name))
	}
	return cells
}

// keys are a row's values of the matrix.
func (r *Row) keys(plan *Plan) (cells []string) {
	for _, name := range plan.Axes {
		cells = append(cells, outside.Markdown(r.Values[name]))
	}
	return cells
}

func (s *Summary) hasSLO() bool {
	return slices.ContainsFunc(s.Rows, func(r *Row) bool { return len(r.Points[0].scenario.SLO.SLO) > 0 })
}

// best are the rows with the best number of each column, as it is shown; none where there is
// nothing to choose. A number that can't be trusted is never the best.
func (s *Summary) best(columns []column) [][]int {
	list := make([][]int, len(columns))
	for j, c := range columns {
		if c.better == neither {
			continue
		}
		known, best := map[int]float64{}, math.NaN()
		for i, r := range s.Rows {
			st, ok := r.Stat(c.metric)
			if !ok || r.Verdict == "INVALID" {
				continue
			}
			known[i] = st.Mean
			if math.IsNaN(best) || c.better == more && st.Mean > best || c.better == lower && st.Mean < best {
				best = st.Mean
			}
		}
		for i, v := range known {
			if number.Text(v) == number.Text(best) {
				list[j] = append(list[j], i)
			}
		}
		if len(list[j]) == len(known) { // one, or all the same
			list[j] = nil
		}
	}
	return list
}

func (r *Row) requests() string {
	if r.Done == 0 {
		return nothing
	}
	return fmt.Sprintf("%.0f/%.0f", r.Ok, r.Total)
}

// cell is a mean, with the deviation over repeats where there are several.
func (r *Row) cell(name string) string {
	st, ok := r.Stat(name)
	switch {
	case !ok && r.unsupported(name):
		return tooFew
	case !ok:
		return nothing
	case st.N > 1:
		if st.Dev < 1 && st.Mean >= 1 { // no finer than the mean
			return number.Text(st.Mean) + " ± " + number.Fixed(st.Dev, 2)
		}
		return number.Text(st.Mean) + " ± " + number.Text(st.Dev)
	}
	if n, ok := metric.ParseName(name); ok && (n.Metric.Unit == "requests" || n.Metric.Unit == "tokens") {
		return number.Short(st.Mean) // 4, not 4.00
	}
	return number.Text(st.Mean)
}

// unsupported reports that the row has values of a metric, and too few for this percentile.
func (r *Row) unsupported(metric string) bool {
	for m := range r.results {
		if slices.Contains(m.Facts.Unsupported, metric) {
			return true
		}
	}
	return false
}

// state is the verdict, or what is missing.
func (r *Row) state() string {
	words := r.Verdict
	if r.Done > 0 && words == "" {
		words = "not judged"
	}
	count := map[run.State]int{}
	missing := 0
	for _, rec := range r.Records {
		if rec == nil {
			missing++
		} else if rec.State != run.Done {
			count[rec.State]++
		}
	}
	add := func(n int, word string) {
		if n == 0 {
			return
		}
		if len(r.Records) > 1 {
			word = fmt.Sprintf("%d %s", n, word)
		}
		if words != "" {
			words += ", "
		}
		words += word
	}
	add(count[run.Failed], "failed")
	add(count[run.Interrupted], "interrupted")
	add(missing, "not run")
	return words
}

func (r *Row) kept() string {
	switch r.SLO {
	case slo.Met:
		return "met"
	case slo.Broken:
		clause, _, _ := strings.Cut(r.Binding, ":")
		return "broken: " + clause
	case slo.Unknown:
		return "unknown"
	}
	return nothing
}

func (s *Summary) legend() string {
	text := "Latencies in ms."
	if slices.ContainsFunc(s.best(s.columns()), func(rows []int) bool { return len(rows) > 0 }) {
		text += " Best of each column in bold."
	}
	if slices.ContainsFunc(s.table().Body, func(line []string) bool { return slices.Contains(line, tooFew) }) {
		text += " n/a: too few requests for that percentile."
	}
	if slices.ContainsFunc(s.Rows, func(r *Row) bool { return len(r.side.Runs) > 0 }) {
		text += " Accuracy ± standard error."
	}
	if slices.ContainsFunc(s.Rows, func(r *Row) bool { return r.Done > 1 }) {
		text += " Mean ± standard deviation over the repeats."
	}
	return text
}
