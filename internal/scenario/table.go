package scenario

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/slo"
)

// column is a number of the table.
type column struct {
	title  string
	metric string // by its name in an SLO
	better better
	some   bool // shown only where a point has it
}

// better is which direction of a column is an improvement.
type better int

const (
	lower better = iota // the latencies, in ms
	more
	neither
)

func allColumns() []column {
	return []column{
		{title: "req/s", metric: "request_throughput", better: more},
		{title: "out tok/s", metric: "output_throughput", better: more},
		{title: "TTFT p50", metric: "median_ttft"},
		{title: "TTFT p99", metric: "p99_ttft"},
		{title: "TPOT p50", metric: "median_tpot"},
		{title: "TPOT p99", metric: "p99_tpot"},
		{title: "ITL p50", metric: "median_itl"},
		{title: "ITL p99", metric: "p99_itl"},
		{title: "accepted %", metric: acceptanceRate, better: neither, some: true},
		{title: "accepted length", metric: acceptanceLength, better: neither, some: true},
	}
}

// columns are those that this summary shows.
func (s *Summary) columns() []column {
	return slices.DeleteFunc(allColumns(), func(c column) bool {
		has := func(r *Row) bool { _, ok := r.Stat(c.metric); return ok }
		return c.some && !slices.ContainsFunc(s.Rows, has)
	})
}

// Markdown writes the answers and the table, to be pasted as they are.
func (s *Summary) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", s.plan.Name)
	for _, line := range s.Answers.Lines {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	b.WriteString("\n")
	markdownTable(&b, s.head(), s.body())
	fmt.Fprintf(&b, "\n%s\n", s.legend())
	s.replicasSection(&b)
	s.startupSection(&b)
	s.problemsSection(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (s *Summary) head() (cells []string) {
	cells = append(cells, s.plan.Axes...)
	cells = append(cells, "ok/total")
	for _, c := range s.columns() {
		cells = append(cells, c.title)
	}
	cells = append(cells, "verdict")
	if s.hasSLO() {
		cells = append(cells, "SLO")
	}
	return cells
}

func (s *Summary) hasSLO() bool {
	return slices.ContainsFunc(s.Rows, func(r *Row) bool { return len(r.Points[0].scenario.SLO.SLO) > 0 })
}

func (s *Summary) body() (lines [][]string) {
	best := s.best()
	for i, r := range s.Rows {
		var cells []string
		for _, name := range s.plan.Axes {
			cells = append(cells, r.Values[name])
		}
		cells = append(cells, r.requests())
		for j, c := range s.columns() {
			cell := r.cell(c.metric)
			if best[j] == i {
				cell = "**" + cell + "**"
			}
			cells = append(cells, cell)
		}
		cells = append(cells, r.state())
		if s.hasSLO() {
			cells = append(cells, r.kept())
		}
		lines = append(lines, cells)
	}
	return lines
}

// best is the row with the best number of each column; -1 where there is nothing
// to choose. A number that can't be trusted is never the best.
func (s *Summary) best() []int {
	list := make([]int, len(s.columns()))
	for j, c := range s.columns() {
		list[j] = -1
		known, value := 0, 0.0
		for i, r := range s.Rows {
			st, ok := r.Stat(c.metric)
			if !ok || r.Verdict == "INVALID" || c.better == neither {
				continue
			}
			known++
			if list[j] < 0 || c.better == more && st.Mean > value || c.better == lower && st.Mean < value {
				list[j], value = i, st.Mean
			}
		}
		if known < 2 {
			list[j] = -1
		}
	}
	return list
}

func (r *Row) requests() string {
	if r.Done == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f/%.0f", r.Ok, r.Total)
}

// cell is a mean, with the deviation over repeats where there are several.
func (r *Row) cell(metric string) string {
	st, ok := r.Stat(metric)
	switch {
	case !ok:
		return "–"
	case st.N > 1:
		return number(st.Mean) + " ± " + number(st.Dev)
	}
	return number(st.Mean)
}

// state is the verdict, or what is missing.
func (r *Row) state() string {
	words := r.Verdict
	if r.Done > 0 && words == "" {
		words = "not judged"
	}
	count := map[State]int{}
	missing := 0
	for _, rec := range r.Records {
		if rec == nil {
			missing++
		} else if rec.State != Done {
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
	add(count[Failed], "failed")
	add(count[Interrupted], "interrupted")
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
	return "–"
}

// number is short and exact enough to compare by eye.
func number(v float64) string {
	switch a := math.Abs(v); {
	case a >= 1000:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 100:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

func (s *Summary) legend() string {
	text := "Latencies in ms. Best of each column in bold."
	if slices.ContainsFunc(s.Rows, func(r *Row) bool { return r.Done > 1 }) {
		text += " Mean ± standard deviation over the repeats."
	}
	return text
}

// markdownTable pads its cells, so that the text can be read as it is too.
func markdownTable(b *strings.Builder, head []string, body [][]string) {
	width := make([]int, len(head))
	for _, line := range append([][]string{head}, body...) {
		for i, cell := range line {
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	write := func(line []string) {
		for i, cell := range line {
			cell = strings.ReplaceAll(cell, "|", `\|`)
			fmt.Fprintf(b, "| %s%s ", cell, strings.Repeat(" ", max(0, width[i]-len([]rune(cell)))))
		}
		b.WriteString("|\n")
	}
	write(head)
	for i := range head {
		fmt.Fprintf(b, "|%s", strings.Repeat("-", width[i]+2))
	}
	b.WriteString("|\n")
	for _, line := range body {
		write(line)
	}
}
