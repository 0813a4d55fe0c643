package scenario

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/whole"
)

// Summary is what a scenario showed.
type Summary struct {
	Answers  Answers
	Rows     []*Row
	Replicas []Replicas
	Notes    []string // doubts about the whole

	// Of the points that were to be run.
	Done, Failed, Missing int

	plan    *Plan
	records []*Record
}

// Summarize reads the results of all points that have one.
func Summarize(plan *Plan, records []*Record, folder Folder) *Summary {
	list := rows(plan, records, folder)
	s := &Summary{Rows: list, plan: plan, records: records, Replicas: replicas(plan, list), Answers: answers(plan, list)}
	versions := map[string][]string{}
	for i, rec := range records {
		switch {
		case !plan.Points[i].Selected && rec == nil:
			continue
		case !plan.Points[i].Selected:
		case rec == nil:
			s.Missing++
			continue
		case rec.State == Done:
			s.Done++
		default:
			s.Failed++
		}
		name := plan.Points[i].Target()
		if rec.Version != "" && !slices.Contains(versions[name], rec.Version) {
			versions[name] = append(versions[name], rec.Version)
		}
	}
	for name, list := range versions {
		if len(list) > 1 {
			s.Notes = append(s.Notes, fmt.Sprintf("the points of %s were measured with different versions of the server: %s; run with --fresh to compare like with like",
				name, strings.Join(list, ", ")))
		}
	}
	if note := specDecodeNote(list); note != "" {
		s.Notes = append(s.Notes, note)
	}
	slices.Sort(s.Notes)
	return s
}

// Write keeps the summary in the folder: table.md, summary.json and summary.csv.
func (s *Summary) Write(f Folder) error {
	var table bytes.Buffer
	if err := s.Markdown(&table); err != nil {
		return err
	}
	all, err := s.json(f)
	if err != nil {
		return err
	}
	lines, err := s.csv()
	return errors.Join(err, whole.WriteBytes(f.Table(), table.Bytes()), whole.WriteBytes(f.file("summary.json"), all), whole.WriteBytes(f.file("summary.csv"), lines))
}

// pointJSON is a point in summary.json.
type pointJSON struct {
	*Record
	Verdict string             `json:"verdict,omitempty"`
	SLO     string             `json:"slo,omitempty"`
	Result  string             `json:"result,omitempty"` // the file, from the summary's folder
	Numbers map[string]float64 `json:"numbers,omitempty"`
}

func (s *Summary) json(f Folder) ([]byte, error) {
	type answer struct {
		Point  string             `json:"point"`
		Values map[string]string  `json:"values"`
		Mean   map[string]float64 `json:"mean"`
	}
	give := func(r *Row) *answer {
		if r == nil {
			return nil
		}
		a := &answer{s.plan.place(r), r.Values, map[string]float64{}}
		for _, c := range s.columns() {
			if st, ok := r.Stat(c.metric); ok {
				a.Mean[c.metric] = st.Mean
			}
		}
		return a
	}
	var points []pointJSON
	for _, r := range s.Rows {
		points = append(points, r.json(f)...)
	}
	return json.MarshalIndent(map[string]any{
		"schema": 1, "name": s.plan.Name, "slo": s.plan.Scenario.SLO.String(), "axes": s.plan.Axes,
		"done": s.Done, "failed": s.Failed, "missing": s.Missing,
		"answers": map[string]any{"most": give(s.Answers.Most), "within_slo": give(s.Answers.WithinSLO), "text": s.Answers.Lines},
		"points":  points, "replicas": s.Replicas, "notes": s.Notes,
	}, "", "  ")
}

func (r *Row) json(f Folder) (points []pointJSON) {
	for i, rec := range r.Records {
		p := r.Points[i]
		if rec == nil {
			rec = &Record{ID: p.ID, Values: p.Values, Repeat: p.Repeat, State: "missing", Fingerprint: p.Fingerprint, Args: p.Shown}
		}
		out := pointJSON{Record: rec}
		if m := r.measured[i]; m != nil {
			out.Verdict, out.Numbers = m.verdict, m.numbers
			out.Result = strings.TrimPrefix(strings.TrimPrefix(f.result(p.ID), f.Path), "/")
			if objective := p.scenario.SLO.SLO; len(objective) > 0 {
				out.SLO = string(objective.Judge(m.value).Status)
			}
		}
		points = append(points, out)
	}
	return points
}

// csv is one line a point and repeat, for a spreadsheet.
func (s *Summary) csv() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	head := append(slices.Clone(s.plan.Axes), "repeat", "state", "verdict", "slo", "completed", "failed", "duration_s")
	for _, c := range s.columns() {
		unit := ""
		if c.better == lower {
			unit = "_ms"
		}
		head = append(head, c.metric+unit)
	}
	if err := w.Write(append(head, "error")); err != nil {
		return nil, err
	}
	for _, r := range s.Rows {
		for _, p := range r.json(Folder{}) {
			var line []string
			for _, name := range s.plan.Axes {
				line = append(line, outside.CSV(p.Values[name]))
			}
			line = append(line, strconv.Itoa(p.Repeat), string(p.State), p.Verdict, p.SLO)
			m := measured{numbers: p.Numbers}
			for _, metric := range []string{"completed", "failed", "duration"} {
				line = append(line, m.csvCell(metric))
			}
			for _, c := range s.columns() {
				line = append(line, m.csvCell(c.metric))
			}
			if err := w.Write(append(line, outside.CSV(p.Error))); err != nil {
				return nil, err
			}
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

func (m *measured) csvCell(metric string) string {
	v, ok := m.value(metric)
	if !ok {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 8, 64)
}
