package scenario

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/front"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

// replicasSection shows targets of several servers: their total, each server, the skew
// between them, and the total against N times a single server.
func (s *Summary) replicasSection(b *strings.Builder, width int) {
	if len(s.Replicas) == 0 {
		return
	}
	b.WriteString("\n## Replicas\n\n")
	var body [][]string
	for _, r := range s.Replicas {
		each := make([]string, len(r.Each))
		for i, v := range r.Each {
			each[i] = number.Text(v)
		}
		skew, times, change := number.None, number.None, number.None
		if r.Skew != nil {
			skew = number.Fixed(*r.Skew, 2)
		}
		if r.TimesOne != nil {
			times = fmt.Sprintf("%s (%s)", number.Text(*r.TimesOne), outside.Markdown(r.One))
			change = number.Change(r.Together / *r.TimesOne - 1)
		}
		body = append(body, []string{outside.Markdown(r.Place), number.Text(r.Together), strings.Join(each, ", "), skew, times, change})
	}
	t := table.Grid{Head: []string{"point", "together, out tok/s", "each", "skew, max/min", "N × one", "together against N × one"}, Body: body, Keys: 1}
	t.Write(b, width)
}

// Replicas is a row of several servers that were loaded together.
type Replicas struct {
	Place    string    `json:"place"`
	Balance  string    `json:"balance"`
	Together float64   `json:"together"` // output tokens a second
	Each     []float64 `json:"each"`
	Skew     *float64  `json:"skew"` // highest / lowest of each
	One      string    `json:"one,omitempty"`
	TimesOne *float64  `json:"times_one"` // the single server of the matrix times the number
}

// replicas finds the rows of several servers. N times a single server is known if the
// matrix also runs the same command as one server with the same load per server: 1/N of
// the concurrency, or of the rate.
func replicas(plan *Plan, list []*Row) (found []Replicas) {
	for _, row := range list {
		n := row.Points[0].target.count()
		if n == 1 || row.Done == 0 {
			continue
		}
		r := Replicas{Place: plan.place(row)}
		st, _ := row.Stat(throughput)
		r.Together = st.Mean
		r.addEach(row)
		if one := single(list, row, n); one != nil {
			st, _ := one.Stat(throughput)
			times := st.Mean * float64(n)
			r.One, r.TimesOne = plan.place(one), &times
		}
		found = append(found, r)
	}
	return found
}

// addEach takes the mean over the repeats of what each server did.
func (r *Replicas) addEach(row *Row) {
	skews, sum := 0, 0.0
	for m := range row.results {
		t := m.Replicas
		if t == nil {
			continue
		}
		r.Balance = t.Balance
		if r.Each == nil {
			r.Each = make([]float64, len(t.Each))
		}
		for i := range min(len(t.Each), len(r.Each)) {
			r.Each[i] += t.Each[i].OutputThroughput / float64(row.Done)
		}
		if t.Skew != nil {
			skews++
			sum += *t.Skew
		}
	}
	if skews > 0 {
		mean := sum / float64(skews)
		r.Skew = &mean
	}
}

func single(list []*Row, many *Row, n int) *Row {
	i := slices.IndexFunc(list, func(r *Row) bool {
		return r.Points[0].target.count() == 1 && r.Done > 0 && r.Verdict != "" && loadShare(many.Points[0], r.Points[0], n)
	})
	if i < 0 {
		return nil
	}
	return list[i]
}

// loadShare reports whether one is a single server of many, with its share of the load.
func loadShare(many, one *Point, n int) bool {
	if one.commandKey() != many.commandKey() {
		return false
	}
	a, b := many.scenario.Pace, one.scenario.Pace
	if a.Concurrency != nil && (b.Concurrency == nil || *a.Concurrency != *b.Concurrency*n) {
		return false
	}
	if a.Rate != nil && (b.Rate == nil || *a.Rate != *b.Rate*float64(n)) {
		return false
	}
	wa, wb := many.scenario.Workload, one.scenario.Workload
	for _, w := range []*Workload{&wa, &wb} {
		w.NumPrompts, w.PromptsPerSlot = nil, nil // a share of them is enough
	}
	return sameJSON(wa, wb)
}

// commandKey is what the processes of a target have in common.
func (p *Point) commandKey() string {
	t := p.target
	b, err := json.Marshal([]any{t.Command, t.Env, t.Cwd, t.BaseURL})
	if err != nil {
		panic(err) // texts alone
	}
	return string(b)
}

func sameJSON(a, b any) bool {
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && string(x) == string(y)
}

// startupSection shows how long servers took to start.
func (s *Summary) startupSection(b *strings.Builder, width int) {
	var body [][]string
	for _, rec := range s.records {
		if rec == nil {
			continue
		}
		for _, up := range rec.Startup {
			answer := number.None
			if up.FirstAnswerS > 0 {
				answer = number.Fixed(up.FirstAnswerS, 2)
			}
			body = append(body, []string{up.Server, rec.ID, number.Fixed(up.HealthyS, 2), answer, outside.Markdown(rec.Version)})
		}
	}
	if len(body) > 0 {
		b.WriteString("\n## Start-up\n\n")
		t := table.Grid{Head: []string{"server", "before point", "healthy, s", "first answer, s", "version"}, Body: body, Keys: 2}
		t.Write(b, width)
	}
}

// problemsSection says what failed and which numbers are in doubt.
func (s *Summary) problemsSection(b *strings.Builder, width int) {
	var lines []string
	for _, r := range s.Rows {
		for _, text := range r.Errors {
			first, _, _ := strings.Cut(text, "\n")
			lines = append(lines, fmt.Sprintf("%s: %s", s.plan.place(r), first))
		}
		if len(r.Reasons) > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s because of %s", s.plan.place(r), r.Verdict, strings.Join(r.Reasons, ", ")))
		}
	}
	for _, r := range s.Rows {
		if r.doubted != "" {
			lines = append(lines, s.plan.place(r)+": "+r.doubted)
		}
	}
	lines = append(lines, s.Notes...)
	if len(lines) == 0 {
		return
	}
	b.WriteString("\n## What went wrong, and what is in doubt\n\n")
	for _, line := range lines {
		table.Line(b, "- ", outside.Markdown(line), width)
	}
}

// clausesSection shows how each clause of the SLO stands at each point.
func (s *Summary) clausesSection(b *strings.Builder, width int) {
	var clauses []string
	for _, r := range s.Rows {
		for _, c := range r.Clauses {
			if text := c.Clause.String(); !slices.Contains(clauses, text) {
				clauses = append(clauses, text)
			}
		}
	}
	if len(clauses) == 0 {
		return
	}
	b.WriteString("\n## SLO, clause by clause\n\n")
	t := table.Grid{Head: slices.Concat(s.plan.heads(), clauses), Keys: len(s.plan.Axes)}
	for _, r := range s.Rows {
		line := r.keys(s.plan)
		for _, text := range clauses {
			line = append(line, r.clause(text))
		}
		t.Body = append(t.Body, line)
	}
	t.Write(b, width)
}

func (r *Row) clause(text string) string {
	i := slices.IndexFunc(r.Clauses, func(c slo.Check) bool { return c.Clause.String() == text })
	switch {
	case i < 0:
		return nothing
	case r.Clauses[i].Status == slo.Unknown:
		return "not known"
	}
	return string(r.Clauses[i].Status) + ", " + r.Clauses[i].Shown()
}

// level is that of the intervals and calls of accuracy.
const level = 0.95

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
		group := r.Points[0].number
		if groups[group] == nil {
			order = append(order, group)
		}
		groups[group] = append(groups[group], r.side)
	}
	for _, group := range order {
		if a := compare.AccuracyOf(groups[group], level); a != nil {
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

// specDecodeNote says how many points have these numbers from a log; empty: none.
func specDecodeNote(list []*Row) string {
	n := 0
	for _, r := range list {
		for m := range r.results {
			if m.fromLog {
				n++
			}
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("accepted %% and accepted length come from the server's log (in %d of the results): it sums up some seconds at a time, so that the edges of a point are blurred", n)
}
