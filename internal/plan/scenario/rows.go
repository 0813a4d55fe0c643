package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/judge/stats"
	"github.com/inferometer/inferometer/internal/plan/run"
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
		rec.SpecDecode.number(m)
		r.Done++
		r.measured[i] = m
		r.Ok += m.numbers["completed"]
		r.Total += m.numbers["completed"] + m.numbers["failed"]
		if worse(m.verdict, r.Verdict) {
			r.Verdict, r.Reasons = m.verdict, m.reasons
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
		if v, ok := m.value(metric); ok && !math.IsNaN(v) && !slices.Contains(m.unsupported, metric) {
			all.Add(v)
		}
	}
	return Stat{N: all.N, Mean: all.Mean, Dev: math.Sqrt(all.Variance())}, all.N > 0
}

// measured is what tables and SLOs read of a point's result.json.
type measured struct {
	numbers     map[string]float64 // every number under its key of the result
	verdict     string             // VALID, SUSPECT, INVALID; empty: not judged
	reasons     []string
	unsupported []string           // percentiles that it has too few values for
	outcome     map[string]float64 // requests by their outcome
	targets     *targetResults     // nil: it was one server
	fromLog     bool               // its numbers of speculative decoding are those of a log
}

// targetResults are the servers behind one target.
type targetResults struct {
	Balance string         `json:"balance"`
	Each    []targetResult `json:"each"`
	Skew    struct {
		Output struct {
			MaxOverMin *float64 `json:"max_over_min"`
		} `json:"output_throughput"`
	} `json:"skew"`
}

type targetResult struct {
	URL              string  `json:"url"`
	Requests         int     `json:"requests"`
	Completed        int     `json:"completed"`
	OutputThroughput float64 `json:"output_throughput"`
	TTFT             summary `json:"ttft"`
	TPOT             summary `json:"tpot"`
}

type summary struct {
	P50   float64 `json:"p50_ms"`
	P99   float64 `json:"p99_ms"`
	Count int     `json:"count"`
}

// readResult reads a result.json.
func readResult(path string) (*measured, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read a point's result: %w", err)
	}
	var all map[string]json.RawMessage
	var ours struct {
		Inferometer struct {
			Verdict *struct {
				Level       string
				Reasons     []string
				Unsupported []string
			}
			Outcomes map[string]float64
			Targets  *targetResults
			Numbers  map[string]*float64 // of the whole run, beside vLLM's
			Goodput  *struct {
				Tokens *float64 `json:"output_tokens_per_s"`
			}
		}
	}
	if err := errors.Join(json.Unmarshal(b, &all), json.Unmarshal(b, &ours)); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	m := &measured{numbers: map[string]float64{}, targets: ours.Inferometer.Targets, outcome: ours.Inferometer.Outcomes}
	for key, text := range all {
		var v *float64
		if json.Unmarshal(text, &v) == nil && v != nil {
			m.numbers[key] = *v
		}
	}
	if g := ours.Inferometer.Goodput; g != nil && g.Tokens != nil {
		m.numbers["output_token_goodput"] = *g.Tokens
	}
	for name, v := range ours.Inferometer.Numbers {
		if v != nil {
			m.numbers[name] = *v
		}
	}
	if v := ours.Inferometer.Verdict; v != nil {
		m.verdict, m.reasons, m.unsupported = v.Level, v.Reasons, v.Unsupported
	}
	return m, nil
}

// value gives a metric by its name in an SLO.
func (m *measured) value(metric string) (float64, bool) {
	for _, key := range []string{metric, metric + "_ms"} {
		if v, ok := m.numbers[key]; ok {
			return v, true
		}
	}
	name, share := strings.CutSuffix(metric, "_share")
	v, has := m.numbers[name] // what a run does not have is no share of zero
	all := m.numbers["completed"] + m.numbers["failed"]
	return v / all, share && has && all > 0
}
