// Package export writes runs in the forms that other programs read and people
// paste: Markdown, CSV, Parquet, llm-d's benchmark report, and the keys of
// InferenceX. What a number means is decided in measure; here it only gets a name.
//
// Forms of whole runs take []page.Run. Forms with a line a request are written while
// a journal is measured (Requests is a row.Collector), so that a million of them
// need no memory.
package export

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
)

// latencies are the metrics of a run's line, with the names of vLLM's keys.
func latencies(r *measure.Result) []named {
	var list []named
	for _, m := range metric.Always() {
		title := m.Short
		if m.Name == "itl" { // the word alone would be taken for the time between tokens
			title = "between chunks (ITL)"
		}
		if s := r.Summary(m.Name); s != nil {
			list = append(list, named{m.Name, title, s})
		}
	}
	return list
}

type named struct {
	key, title string
	*measure.Summary
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}
