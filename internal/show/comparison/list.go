package comparison

import (
	"io"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/show/front"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

// listTable is a run per line, its counts, its numbers.
func listTable(l *compare.List) *table.Table {
	t := &table.Table{Columns: table.Words("run")}
	if l.Kind == compare.Serving {
		t.Columns = append(t.Columns, table.Numbers(number.Text, "completed", "load")...)
	}
	for _, m := range l.Metrics {
		t.Columns = append(t.Columns, table.Column{Name: m.Label, Format: number.Text})
	}
	for i := range l.Runs {
		r := &l.Runs[i]
		name := r.Name
		if r.Facts.Missing() > 0 {
			name += " (!)"
		}
		line := table.Row(name)
		if l.Kind == compare.Serving {
			line = append(line, table.Word(completed(&compare.Side{Runs: l.Runs[i : i+1]})), table.Word(r.Facts.Load()))
		}
		for _, m := range l.Metrics {
			line = append(line, best(table.Word(valueAndError(r, m.Key)), l.Best(i, m.Key)))
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// valueAndError is a value, with the deviation or standard error that its tool gives beside it.
func valueAndError(r *result.Result, key string) string {
	v, ok := r.Values[key]
	err, has := r.ErrorOf(key)
	switch {
	case !ok:
		return ""
	case !has:
		return number.Text(v)
	case key == result.AccuracyMetric:
		return front.Accuracy(v, err)
	}
	return number.Text(v) + " ± " + number.Text(err)
}

// listedRun is a line of a list in JSON. What the file does not say is absent.
type listedRun struct {
	Name        string             `json:"name"`
	Tool        result.Tool        `json:"tool"`
	Path        string             `json:"path,omitempty"`
	Line        int                `json:"line,omitempty"`
	Model       string             `json:"model,omitempty"`
	Environment string             `json:"environment,omitempty"`
	Load        string             `json:"load,omitempty"`
	Asked       int                `json:"asked,omitempty"`
	Completed   *int               `json:"completed,omitempty"`
	Missing     int                `json:"missing,omitempty"`
	Verdict     string             `json:"verdict,omitempty"`
	Values      map[string]float64 `json:"values"`
	Errors      map[string]float64 `json:"errors,omitempty"` // the deviation or standard error beside a value
	Best        []string           `json:"best,omitempty"`   // metrics in which it is the best under its load
}

func listed(l *compare.List, i int) listedRun {
	r := &l.Runs[i]
	f := &r.Facts
	out := listedRun{
		Name: r.Name, Tool: r.Tool, Path: r.Path, Line: r.Line, Model: f.Model, Environment: f.Environment, Load: f.Load(),
		Asked: f.Asked, Missing: f.Missing(), Verdict: f.Verdict, Values: map[string]float64{},
	}
	if f.Completed > 0 || f.Nothing {
		out.Completed = &f.Completed
	}
	for _, m := range l.Metrics {
		if v, ok := r.Values[m.Key]; ok {
			out.Values[m.Key] = v
		}
		if err, ok := r.ErrorOf(m.Key); ok {
			if out.Errors == nil {
				out.Errors = map[string]float64{}
			}
			out.Errors[m.Key] = err
		}
		if l.Best(i, m.Key) {
			out.Best = append(out.Best, m.Key)
		}
	}
	return out
}

// listsJSON writes lists with their notes, as one array.
func listsJSON(w io.Writer, lists []compare.List) error {
	type list struct {
		Kind    string           `json:"kind"`
		Metrics []compare.Metric `json:"metrics"`
		Runs    []listedRun      `json:"runs"`
		Front   *compare.Front   `json:"front,omitempty"` // of accuracy against throughput
		Notes   []string         `json:"notes"`
	}
	all := make([]list, len(lists))
	for i := range lists {
		l := &lists[i]
		all[i] = list{Kind: l.Kind, Metrics: l.Metrics, Front: l.Front, Notes: l.Notes}
		for j := range l.Runs {
			all[i].Runs = append(all[i].Runs, listed(l, j))
		}
	}
	return JSON(w, all)
}

// listsCSV writes one line per run, under one header for all lists. A column is empty where the run does not have it.
func listsCSV(w io.Writer, lists []compare.List) error {
	names := []string{"kind", "run", "tool", "path", "line", "model", "environment", "load", "asked", "completed", "missing", "verdict"}
	facts := len(names)
	for i := range lists {
		for _, m := range lists[i].Metrics {
			hasErrors := slices.ContainsFunc(lists[i].Runs, func(r result.Result) bool { _, ok := r.ErrorOf(m.Key); return ok })
			for _, name := range []string{m.Key, "error_" + m.Key} {
				if !slices.Contains(names, name) && (name == m.Key || hasErrors) {
					names = append(names, name)
				}
			}
		}
	}
	t := &table.Table{Columns: table.Words(names...)}
	for i := range lists {
		for j := range lists[i].Runs {
			r := listed(&lists[i], j)
			done := table.Word("")
			if r.Completed != nil {
				done = table.Value(*r.Completed)
			}
			line := table.Row(lists[i].Kind, r.Name, string(r.Tool), r.Path, count(r.Line), r.Model, r.Environment, r.Load, count(r.Asked), done, count(r.Missing), r.Verdict)
			for _, name := range names[facts:] {
				v, ok := r.Values[name]
				if key, isError := strings.CutPrefix(name, "error_"); isError && !ok {
					v, ok = r.Errors[key]
				}
				cell := table.Word("")
				if ok {
					cell = table.Value(v)
				}
				line = append(line, cell)
			}
			t.Rows = append(t.Rows, line)
		}
	}
	return table.CSV(w, t)
}
