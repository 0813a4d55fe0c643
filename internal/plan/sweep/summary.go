package sweep

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
	"github.com/inferometer/inferometer/internal/files/atomicfile"
)

// writeSummary writes a combination's results as one array.
func writeSummary(folder string, records []Object) error {
	list := make([]any, len(records))
	for i, o := range records {
		list[i] = o
	}
	return atomicfile.WriteBytes(filepath.Join(folder, summaryFile), pyJSONFile(list))
}

// writeTable writes all results as CSV.
func writeTable(dir string, records []Object) error {
	return atomicfile.WriteBytes(filepath.Join(dir, tableFile), []byte(csvTable(records)))
}

// csvTable is what pandas makes of the results: a column for each key in the order
// in which keys are first seen, and one with the row's number before them.
func csvTable(records []Object) string {
	keys := columns(records)
	cells := make([][]string, len(keys))
	for i, key := range keys {
		cells[i] = csvColumn(records, key)
	}
	var b strings.Builder
	for _, key := range keys {
		b.WriteString("," + csvCell(key))
	}
	b.WriteByte('\n')
	for row := range records {
		b.WriteString(strconv.Itoa(row))
		for i := range keys {
			b.WriteString("," + csvCell(cells[i][row]))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// ownKey holds what is ours in a result: a tree, which is no cell of a table. It is
// in the JSON files.
const ownKey = "inferometer"

// columns are all keys in the order in which they are first seen.
func columns(records []Object) (keys []string) {
	seen := map[string]bool{}
	for _, o := range records {
		for _, m := range o {
			if !seen[m.Key] && m.Key != ownKey {
				seen[m.Key] = true
				keys = append(keys, m.Key)
			}
		}
	}
	return keys
}

// csvColumn is a column's text. pandas makes floats of all numbers of a column in
// which one is a float or missing.
func csvColumn(records []Object, key string) []string {
	numbers, floats := true, false
	for _, o := range records {
		v := o.Get(key)
		n, isNumber := v.(json.Number)
		switch {
		case v == nil || isNumber && !pyjson.Whole(n):
			floats = true
		case !isNumber:
			numbers = false
		}
	}
	out := make([]string, len(records))
	for i, o := range records {
		v := o.Get(key)
		n, isNumber := v.(json.Number)
		switch {
		case v == nil:
		case isNumber && numbers && floats:
			f, _ := numeric(n)
			out[i] = pyjson.Float(f)
		default:
			out[i] = pyjson.Str(v)
		}
	}
	return out
}

func csvCell(text string) string {
	if !strings.ContainsAny(text, ",\"\r\n") {
		return text
	}
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
}
