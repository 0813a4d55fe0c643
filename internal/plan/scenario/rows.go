package scenario

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/foreign"
	"github.com/inferometer/inferometer/internal/foreign/serverlog"
	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/plan/run"
	"github.com/inferometer/inferometer/internal/show/comparison"
	"github.com/inferometer/inferometer/internal/stats"
)

// Row is a point with its repeats: one line of the table.
type Row struct {
	Values   map[string]string
	Points   []*Point
	Records  []*Record // parallel to Points; nil: not run
	Done     int
	Errors   []string
	Verdict  string // the worst of its repeats
	Reasons  []string
	SLO      slo.Status  // met only if each repeat met it; empty: there is none
	Binding  string      // the clause that takes the most of its limit, and its value
	Clauses  []slo.Check // each with its worst repeat
	Ok       float64     // requests, over all repeats
	Total    float64
	measured []*measured  // parallel to Points; nil: no result
	side     compare.Side // its results with questions, as compare reads them
	doubted  string       // what is wrong with the answers' run
}

// Stat is a metric over the repeats of a point.
type Stat struct {
	N         int
	Mean, Dev float64 // the sample's standard deviation; 0 of one repeat
}

// rows brings the repeats of each point together, in the order of the matrix.
func rows(plan *Plan, records []*Record, folder Folder) (list []*Row) {
	byPoint := map[string]*Row{}
	for i, p := range plan.Points {
		key := p.ID[:len(p.ID)-len(repeatSuffix(p.Repeat))]
		row := byPoint[key]
		if row == nil {
			row = &Row{Values: p.Values}
			byPoint[key] = row
			list = append(list, row)
		}
		row.Points, row.Records = append(row.Points, p), append(row.Records, records[i])
	}
	for _, row := range list {
		row.read(folder)
	}
	slices.SortStableFunc(list, func(a, b *Row) int { return a.Points[0].place - b.Points[0].place })
	return list
}

// read reads the results of a row. One that can't be read is an error of the row.
func (r *Row) read(folder Folder) {
	objective := r.Points[0].scenario.SLO.SLO
	r.measured = make([]*measured, len(r.Points))
	for i, rec := range r.Records {
		switch {
		case rec == nil:
			continue
		case rec.State != run.Done:
			r.Errors = append(r.Errors, rec.Error)
			continue
		}
		m, err := readResult(folder.result(r.Points[i].ID))
		if err != nil {
			r.Errors = append(r.Errors, err.Error())
			continue
		}
		if err := r.answered(folder, i, m); err != nil {
			r.Errors = append(r.Errors, err.Error())
			continue
		}
		m.addAccepted(rec.SpecDecode)
		r.Done++
		r.measured[i] = m
		r.Ok += m.Numbers["completed"]
		r.Total += m.Numbers["completed"] + m.Numbers["failed"]
		if worse(m.Facts.Verdict, r.Verdict) {
			r.Verdict, r.Reasons = m.Facts.Verdict, m.Facts.Reasons
		}
		r.judge(objective, m)
	}
}

// results walks the repeats that have one.
func (r *Row) results(yield func(*measured) bool) {
	for _, m := range r.measured {
		if m != nil && !yield(m) {
			return
		}
	}
}

func worse(a, b string) bool {
	rank := []string{"", "VALID", "SUSPECT", "INVALID"}
	return slices.Index(rank, a) > slices.Index(rank, b)
}

// Stat is a number of the result over the repeats that have it.
func (r *Row) Stat(metric string) (Stat, bool) {
	var all stats.Moments
	for m := range r.results {
		if v, ok := m.value(metric); ok && !math.IsNaN(v) && !slices.Contains(m.Facts.Unsupported, metric) {
			all.Add(v)
		}
	}
	return Stat{N: all.N, Mean: all.Mean, Dev: math.Sqrt(all.Variance())}, all.N > 0
}

// measured is the result of a point.
type measured struct {
	result.Result
	fromLog bool // its numbers of speculative decoding are those of a log
}

// readResult reads a result.json.
func readResult(path string) (*measured, error) {
	list, err := foreign.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read a point's result: %w", err)
	}
	if list[0].Numbers == nil {
		return nil, fmt.Errorf("read a point's result: %s is one of %s", path, list[0].Tool)
	}
	return &measured{Result: list[0]}, nil
}

// value gives a metric by its name in an SLO.
func (m *measured) value(metric string) (float64, bool) {
	for _, key := range []string{metric, metric + "_ms"} {
		if v, ok := m.Numbers[key]; ok {
			return v, true
		}
	}
	name, share := strings.CutSuffix(metric, "_share")
	v, has := m.Numbers[name] // what a run does not have is no share of zero
	all := m.Numbers["completed"] + m.Numbers["failed"]
	return v / all, share && has && all > 0
}

// judge holds a repeat against the SLO; of each clause the worst repeat counts.
func (r *Row) judge(objective slo.SLO, m *measured) {
	if len(objective) == 0 {
		return
	}
	j := objective.Judge(m.value)
	if r.Clauses == nil {
		r.Clauses = j.Checks
	}
	for i, c := range j.Checks {
		if worseCheck(&c, &r.Clauses[i]) {
			r.Clauses[i] = c
		}
	}
	all := slo.Judgement{Checks: r.Clauses}
	r.SLO, r.Binding = all.Status(), ""
	if b := all.Binding(); b != nil {
		r.Binding = b.String()
	}
}

func worseCheck(a, b *slo.Check) bool {
	rank := []slo.Status{slo.Met, slo.Unknown, slo.Broken}
	x, y := slices.Index(rank, a.Status), slices.Index(rank, b.Status)
	return x > y || x == y && a.Status != slo.Unknown && a.Clause.Use(a.Value) > b.Clause.Use(b.Value)
}

// answered reads what the answers of a row's repeat are worth: of the run of questions that
// followed its speed run, or of its only run. Throughput is the speed run's.
func (r *Row) answered(folder Folder, i int, m *measured) error {
	p := r.Points[i]
	if len(p.Eval) > 0 {
		of, err := readResult(folder.evalResult(p.ID))
		if err != nil {
			return err
		}
		m.Eval = of.Eval
		for _, k := range metric.All() {
			if v, ok := of.Numbers[k.Name]; ok && k.OfQuestions {
				m.Numbers[k.Name] = v
			}
		}
		if failed := of.Numbers["failed"]; failed > 0 {
			r.doubted = fmt.Sprintf("%.0f of %.0f questions got no answer: accuracy is that of the others", failed, of.Numbers["completed"]+failed)
		}
	}
	if p.asks() {
		r.side.Runs = append(r.side.Runs, m.Result)
	}
	return nil
}

// accuracy is a row's share of right answers with its standard error.
func (r *Row) accuracy() string {
	if len(r.side.Runs) == 0 {
		return r.cell(result.AccuracyMetric)
	}
	of := compare.AnswersOf(&r.side, level)
	return comparison.Accuracy(&of, nothing)
}

// The numbers of speculative decoding, as a result names them.
const (
	acceptanceRate   = "spec_decode_acceptance_rate" // percent
	acceptanceLength = "spec_decode_acceptance_length"
)

// addAccepted adds what the servers' logs say of speculative decoding, where the server's counters say nothing.
func (m *measured) addAccepted(d *serverlog.Accepted) {
	if _, known := m.Numbers[acceptanceRate]; d == nil || known {
		return
	}
	m.Numbers[acceptanceRate], m.fromLog = d.AcceptanceRate, true
	if d.AcceptanceLength != nil {
		m.Numbers[acceptanceLength] = *d.AcceptanceLength
	}
}
