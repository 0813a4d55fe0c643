package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// table reads the rows of a CSV file, by the names of its columns. Fields of traces
// hold no commas and no line breaks.
type table struct {
	lines
	columns map[string]int
	header  []byte
	number  int
	fields  [][]byte
	row     func(*table, *Row) error
}

func newTable(in *input, row func(*table, *Row) error, needs ...string) (*table, error) {
	t := &table{lines: lines{in: in}, columns: map[string]int{}, row: row}
	header, err := t.lines.next()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	t.header = bytes.Clone(header)
	for i, name := range strings.Split(strings.TrimPrefix(string(header), "\ufeff"), ",") {
		if name = columnName(name); name != "" {
			if _, twice := t.columns[name]; !twice {
				t.columns[name] = i
			}
		}
	}
	for _, name := range needs {
		if !t.has(name) {
			return nil, fmt.Errorf("its first line has no column %q, but %q", name, outside.Word(string(header)))
		}
	}
	return t, nil
}

func columnName(s string) string { return strings.ToLower(strings.Trim(s, " \t\r\"")) }

func (t *table) has(name string) bool {
	_, ok := t.columns[columnName(name)]
	return ok
}

// head implements located.
func (t *table) head() []byte { return t.header }

func (t *table) next(r *Row) error {
	line, err := t.lines.next()
	if err != nil {
		return err
	}
	t.number++
	t.fields = t.fields[:0]
	for field := range bytes.SplitSeq(line, []byte(",")) {
		t.fields = append(t.fields, bytes.Trim(field, " \t\r\""))
	}
	*r = Row{Number: t.number}
	if err := errors.Join(t.row(t, r), r.check()); err != nil {
		return rowError(t.number, err)
	}
	return nil
}

// text is the field of a column; empty where the row has none.
func (t *table) text(name string) string {
	if i, ok := t.columns[columnName(name)]; ok && i < len(t.fields) {
		return string(t.fields[i])
	}
	return ""
}

// float is the number in a column.
func (t *table) float(name string) (float64, error) {
	v, err := strconv.ParseFloat(t.text(name), 64)
	if err != nil {
		return 0, fmt.Errorf("%s must be a number, not %q", name, outside.Word(t.text(name)))
	}
	return v, nil
}

// count is the whole number in a column, which may be written as 12.0.
func (t *table) count(name string) (int, error) {
	v, err := t.float(name)
	if err != nil || v != math.Trunc(v) || math.Abs(v) > mostTokens {
		return 0, fmt.Errorf("%s must be a whole number of at most %d, not %q", name, mostTokens, outside.Word(t.text(name)))
	}
	return int(v), nil
}

// lengths reads both lengths.
func (t *table) lengths(r *Row, input, output string) (err error) {
	if r.Input, err = t.count(input); err != nil {
		return err
	}
	r.Output, err = t.count(output)
	return err
}

// isTable says whether the first line of a file has these columns.
func isTable(head []byte, columns ...string) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	names := strings.Split(strings.TrimPrefix(string(line), "\ufeff"), ",")
	for _, want := range columns {
		found := false
		for _, n := range names {
			found = found || columnName(n) == columnName(want)
		}
		if !found {
			return false
		}
	}
	return true
}
