package compare

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/outside"
)

// Table writes the list for a terminal, as Comparison.Table does.
func (l *List) Table(w io.Writer, strong func(string) string) error {
	var b strings.Builder
	lines := l.grid()
	if strong == nil {
		strong = func(s string) string { return s }
		star(lines)
	}
	writeAligned(&b, lines, strong, firstLeft)
	if f := l.front(); f != nil {
		f.Table(&b, strong)
		b.WriteString("\n")
	}
	for _, d := range l.doubts() {
		b.WriteString(d + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Markdown writes the list to be pasted.
func (l *List) Markdown(w io.Writer) error {
	var b strings.Builder
	writeMarkdown(&b, l.grid(), firstLeft)
	if f := l.front(); f != nil {
		b.WriteString("\n" + FrontTitle + ":\n\n")
		f.Markdown(&b)
	}
	for i, d := range l.doubts() {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString("- " + outside.Markdown(d) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func firstLeft(column int) bool { return column == 0 }

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

func (l *List) run(i int) listedRun {
	r := &l.Runs[i]
	f := &r.Facts
	out := listedRun{
		Name: r.Name, Tool: r.Tool, Path: r.Path, Line: r.Line, Model: f.Model, Environment: f.Environment, Load: f.Load(),
		Asked: f.Asked, Missing: f.Missing(), Verdict: f.Verdict, Values: map[string]float64{},
	}
	if f.Completed > 0 || f.Nothing {
		out.Completed = &f.Completed
	}
	for col, m := range l.cols {
		if v, ok := r.Values[m.Key]; ok {
			out.Values[m.Key] = v
		}
		if err, ok := errorOf(r, m.Key); ok {
			if out.Errors == nil {
				out.Errors = map[string]float64{}
			}
			out.Errors[m.Key] = err
		}
		if l.best[place{i, col}] {
			out.Best = append(out.Best, m.Key)
		}
	}
	return out
}

// ListsJSON writes lists with their notes, as one array.
func ListsJSON(w io.Writer, lists []List) error {
	type list struct {
		Kind    string      `json:"kind"`
		Metrics []Metric    `json:"metrics"`
		Runs    []listedRun `json:"runs"`
		Front   *Front      `json:"front,omitempty"` // of accuracy against throughput
		Notes   []string    `json:"notes"`
	}
	all := make([]list, len(lists))
	for i := range lists {
		l := &lists[i]
		all[i] = list{Kind: kindOf(&l.Runs[0]), Metrics: l.cols, Front: l.front(), Notes: l.doubts()}
		for j := range l.Runs {
			all[i].Runs = append(all[i].Runs, l.run(j))
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(all)
}

// ListsCSV writes one line per run, under one header for all lists. A column is empty
// where the run does not have it.
func ListsCSV(w io.Writer, lists []List) error {
	head := []string{"kind", "run", "tool", "path", "line", "model", "environment", "load", "asked", "completed", "missing", "verdict"}
	facts := len(head)
	for i := range lists {
		for _, m := range lists[i].cols {
			for _, name := range []string{m.Key, "error_" + m.Key} {
				if !slices.Contains(head, name) && (name == m.Key || lists[i].hasErrors(m.Key)) {
					head = append(head, name)
				}
			}
		}
	}
	out := csv.NewWriter(w)
	safe := make([]string, len(head))
	for i, name := range head {
		safe[i] = outside.CSV(name)
	}
	if err := out.Write(safe); err != nil {
		return err
	}
	for i := range lists {
		for j := range lists[i].Runs {
			r := lists[i].run(j)
			done := ""
			if r.Completed != nil {
				done = strconv.Itoa(*r.Completed)
			}
			line := append(make([]string, 0, len(head)), kindOf(&lists[i].Runs[j]), outside.CSV(r.Name), string(r.Tool), outside.CSV(r.Path), whole(r.Line), outside.CSV(r.Model),
				outside.CSV(r.Environment), r.Load, whole(r.Asked), done, whole(r.Missing), outside.CSV(r.Verdict))
			for _, name := range head[facts:] {
				v, ok := r.Values[name]
				if key, isError := strings.CutPrefix(name, "error_"); isError && !ok {
					v, ok = r.Errors[key]
				}
				line = append(line, "")
				if ok {
					line[len(line)-1] = strconv.FormatFloat(v, 'g', -1, 64)
				}
			}
			if err := out.Write(line); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

func (l *List) hasErrors(key string) bool {
	return slices.ContainsFunc(l.Runs, func(r result.Result) bool { _, ok := errorOf(&r, key); return ok })
}

// whole is a count that may not be told.
func whole(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
