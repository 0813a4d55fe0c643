// Package export writes runs in the forms that other programs read and people
// paste: Markdown, CSV, Parquet, llm-d's benchmark report, and the keys of
// InferenceX. What a number means is decided in measure; here it only gets a name.
//
// Forms of whole runs take []page.Run. Forms with a line a request are written while
// a journal is measured (Requests is a measure.Watcher), so that a million of them
// need no memory.
package export

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/inferometer/inferometer/internal/judge/measure"
)

// latencies are the metrics of a run's line, with the names of vLLM's keys.
func latencies(r *measure.Result) []named {
	return []named{
		{"ttft", "TTFT", &r.Latency.Sent.TTFT},
		{"itl", "between chunks (ITL)", &r.InterChunk},
		{"tpot", "TPOT", &r.TPOT},
		{"e2el", "E2EL", &r.Latency.Sent.E2EL},
	}
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
