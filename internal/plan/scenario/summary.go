package scenario

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/routing"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/plan/routers"
	"github.com/inferometer/inferometer/internal/plan/run"
	"github.com/inferometer/inferometer/internal/show/export"
	"github.com/inferometer/inferometer/internal/show/front"
	"github.com/inferometer/inferometer/internal/show/page"
	"github.com/inferometer/inferometer/internal/show/section"
)

// Summary is the result of a scenario.
type Summary struct {
	Answers  Answers
	Rows     []*Row
	Replicas []Replicas
	Notes    []string        // doubts about the whole
	Front    *compare.Front  // of accuracy against throughput; nil: there is none
	Pairs    []string        // what is said of answers to the same questions
	Routers  *routing.Answer // nil: no routers are compared

	// Counts of the selected points.
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
		case rec.State == run.Done:
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
	s.Front, s.Pairs = s.accuracies()
	if plan.Scenario.Routers != nil {
		s.Routers = routing.Judge(s.entries())
		s.Answers.Lines = append(routers.Sentences(s.Routers), s.Answers.Lines...)
	}
	return s
}

// entries are the runs of routers that are compared.
func (s *Summary) entries() (list []routing.Entry) {
	for _, r := range s.Rows {
		var others []string
		for _, axis := range s.plan.Axes {
			if axis != targetAxis && axis != promptsAxis {
				others = append(others, axis+" "+r.Values[axis])
			}
		}
		for i, m := range r.measured {
			if m == nil {
				continue
			}
			list = append(list, routing.Entry{
				Router: r.Values[targetAxis], Case: strings.Join(others, ", "), Control: r.Values[promptsAxis] == uniquePrompts,
				Repeat: r.Points[i].Repeat, Facts: r.Records[i].Routing, Result: m.Result,
			})
		}
	}
	return list
}

// FirstCause is why the first of the points without a result has none; empty: all have one.
func (s *Summary) FirstCause() string {
	for _, rec := range s.records {
		if rec != nil && rec.State == run.Failed {
			first, _, _ := strings.Cut(rec.Error, "\n")
			return rec.ID + ": " + first
		}
	}
	return ""
}

// Write keeps the summary in the folder: table.md, summary.json and summary.csv.
func (s *Summary) Write(f Folder) error {
	var table bytes.Buffer
	if err := s.Markdown(&table); err != nil {
		return err
	}
	all, err := json.MarshalIndent(s.json(f), "", "  ")
	if err != nil {
		return err
	}
	lines, err := s.csv()
	return errors.Join(err, atomicfile.WriteBytes(f.Table(), table.Bytes()), atomicfile.WriteBytes(f.file("summary.json"), all), atomicfile.WriteBytes(f.file("summary.csv"), lines))
}

// pointJSON is a point in summary.json.
type pointJSON struct {
	*Record
	Earlier bool     `json:"measured_before,omitempty"` // by an earlier run
	Verdict string   `json:"verdict,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
	// Unsupported are percentiles among the numbers that rest on too few values.
	Unsupported []string           `json:"unsupported,omitempty"`
	SLO         string             `json:"slo,omitempty"`
	Outcomes    map[string]int     `json:"outcomes,omitempty"`
	Result      string             `json:"result,omitempty"` // the file, from the summary's folder
	Numbers     map[string]float64 `json:"numbers,omitempty"`
}

// JSON writes what summary.json has as one line, and the folder that it is in.
func (s *Summary) JSON(w io.Writer, f Folder) error {
	all := s.json(f)
	all["folder"] = f.Path
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(all)
}

func (s *Summary) json(f Folder) map[string]any {
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
	all := map[string]any{
		"schema": 1, "name": s.plan.Name, "slo": s.plan.Scenario.SLO.String(), "axes": s.plan.Axes,
		"done": s.Done, "failed": s.Failed, "missing": s.Missing,
		"answers": map[string]any{"most": give(s.Answers.Most), "saturated": s.Answers.Saturated, "within_slo": give(s.Answers.WithinSLO), "text": s.Answers.Lines},
		"points":  points, "replicas": s.Replicas, "notes": s.Notes,
	}
	if s.Routers != nil {
		all["routers"] = s.Routers
	}
	if s.Front != nil || len(s.Pairs) > 0 {
		all["accuracy"] = map[string]any{"front": s.Front, "notes": s.Pairs}
	}
	return all
}

func (r *Row) json(f Folder) (points []pointJSON) {
	for i, rec := range r.Records {
		p := r.Points[i]
		if rec == nil {
			rec = &Record{ID: p.ID, Values: p.Values, Repeat: p.Repeat, State: "missing", Fingerprint: p.Fingerprint, Args: p.Shown}
		}
		out := pointJSON{Record: rec, Earlier: rec.Earlier}
		if m := r.measured[i]; m != nil {
			out.Verdict, out.Numbers, out.Reasons, out.Unsupported, out.Outcomes = m.Facts.Verdict, m.Numbers, m.Facts.Reasons, m.Facts.Unsupported, m.Outcomes
			out.Result = strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(f.result(p.ID), f.Path)), "/")
			if objective := p.scenario.SLO.SLO; len(objective) > 0 {
				out.SLO = string(objective.Judge(m.value).Status())
			}
		}
		points = append(points, out)
	}
	return points
}

// csv is one line for each point and repeat, with all its numbers, for a spreadsheet.
func (s *Summary) csv() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	numbers, outcomes := s.numberKeys()
	head := append(slices.Clone(s.plan.Axes), "repeat", "point", "state", "verdict", "reasons", "slo", "measured", "server_version")
	head = append(head, numbers...)
	for _, name := range outcomes {
		head = append(head, "outcome_"+name)
	}
	if err := w.Write(append(head, "error")); err != nil {
		return nil, err
	}
	for _, r := range s.Rows {
		for i, p := range r.json(Folder{}) {
			var line []string
			for _, name := range s.plan.Axes {
				line = append(line, outside.CSV(r.Values[name]))
			}
			line = append(line, strconv.Itoa(p.Repeat), p.ID, string(p.State), p.Verdict, strings.Join(p.Reasons, " "), p.SLO, p.started(), outside.CSV(p.Version))
			m := r.measured[i]
			for _, key := range numbers {
				line = append(line, m.csvCell(key))
			}
			for _, name := range outcomes {
				line = append(line, m.csvOutcome(name))
			}
			if err := w.Write(append(line, outside.CSV(p.Error))); err != nil {
				return nil, err
			}
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// numberKeys are the numbers and the outcomes that some point has: those of the
// table first, and then by name.
func (s *Summary) numberKeys() (numbers, outcomes []string) {
	seen, ended := map[string]bool{}, map[string]bool{}
	for _, r := range s.Rows {
		for m := range r.results {
			for key := range m.Numbers {
				seen[key] = true
			}
			for name := range m.Outcomes {
				ended[name] = true
			}
		}
	}
	for _, c := range append(numberColumns(), usualColumns()...) {
		for _, key := range []string{c.name, c.name + "_ms"} {
			if seen[key] {
				numbers = append(numbers, key)
				delete(seen, key)
			}
		}
	}
	return append(numbers, slices.Sorted(maps.Keys(seen))...), slices.Sorted(maps.Keys(ended))
}

// started is when a point was measured, as a spreadsheet reads it; empty: it was not.
func (p *pointJSON) started() string {
	if p.Started.IsZero() {
		return ""
	}
	return p.Started.Format(time.RFC3339)
}

// csvCell is a number of the result by its key; empty where there is none, or it is a
// percentile of too few values.
func (m *measured) csvCell(key string) string {
	if m == nil {
		return ""
	}
	v, ok := m.Numbers[key]
	if !ok || slices.Contains(m.Facts.Unsupported, strings.TrimSuffix(key, "_ms")) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 8, 64)
}

func (m *measured) csvOutcome(name string) string {
	if m == nil {
		return ""
	}
	return strconv.Itoa(m.Outcomes[name])
}

// Draw writes one page with the charts of every point that has a result. A point that
// was a search has none of its own: its probes have.
func (s *Summary) Draw(f Folder, version string) error {
	var runs []section.Run
	for _, rec := range s.records {
		if !rec.done() {
			continue
		}
		at := f.Run(rec.ID)
		if _, err := os.Stat(filepath.Join(at, journal.FileName)); err != nil {
			continue
		}
		one, err := export.ReadRun(at, measure.Options{}, true, len(s.records))
		if err != nil {
			return err
		}
		one.Name = rec.ID
		if d := rec.SpecDecode; d != nil && one.Result.SpecDecode == nil {
			one.Result.SpecDecode = &measure.SpecDecode{AcceptanceRate: d.AcceptanceRate, AcceptanceLength: d.AcceptanceLength}
		}
		runs = append(runs, one)
		if _, err := os.Stat(filepath.Join(f.Eval(rec.ID), journal.FileName)); err != nil {
			continue
		}
		if one, err = export.ReadRun(f.Eval(rec.ID), measure.Options{}, true, len(s.records)); err != nil {
			return err
		}
		one.Name = rec.ID + ", eval"
		runs = append(runs, one)
	}
	if len(runs) == 0 {
		return nil
	}
	opt := page.Options{SLO: s.plan.Scenario.SLO.SLO, Version: version, Accuracy: front.Chart(s.Front)}
	if s.Routers != nil {
		opt.Tables = routers.Tables(s.Routers)
	}
	return atomicfile.Write(f.file(Pictures), func(w io.Writer) error {
		return page.Write(w, runs, opt)
	})
}
