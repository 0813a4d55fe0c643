package sweep

import (
	"math"
	"strings"

	"github.com/inferometer/inferometer/internal/report"
)

// pyJSON is Python's json.dumps of a value, on one line.
func pyJSON(v any) string {
	w := jsonWriter{between: ", "}
	w.value(v, "")
	return w.String()
}

// pyJSONFile is Python's json.dump with an indent of 4, as vLLM's files are written.
func pyJSONFile(v any) []byte {
	w := jsonWriter{between: ",", step: "    "}
	w.value(v, "\n")
	return []byte(w.String())
}

// jsonWriter writes a value. line is what begins a line at the present depth; it is
// empty where all stands on one.
type jsonWriter struct {
	strings.Builder
	between, step string
}

func (w *jsonWriter) value(v any, line string) {
	switch v := v.(type) {
	case Object:
		w.many("{", "}", len(v), line, func(i int, inner string) {
			w.WriteString(report.PyString(v[i].Key) + ": ")
			w.value(v[i].Value, inner)
		})
	case []any:
		w.many("[", "]", len(v), line, func(i int, inner string) { w.value(v[i], inner) })
	case string:
		w.WriteString(report.PyString(v))
	case number:
		if math.IsInf(v.float(), 0) {
			w.WriteString(string(v)) // JSON has no word for it
			return
		}
		w.WriteString(v.python())
	case bool:
		w.WriteString(strings.ToLower(pyRepr(v)))
	default:
		w.WriteString("null")
	}
}

func (w *jsonWriter) many(open, shut string, n int, line string, item func(i int, inner string)) {
	w.WriteString(open)
	inner := line
	if line != "" {
		inner += w.step
	}
	for i := range n {
		if i > 0 {
			w.WriteString(w.between)
		}
		w.WriteString(inner)
		item(i, inner)
	}
	if n > 0 {
		w.WriteString(line)
	}
	w.WriteString(shut)
}
