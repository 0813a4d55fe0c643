// Package parquet writes flat tables as Parquet files, which DuckDB, pandas and
// Spark read: columns of numbers, texts, truth values and moments, each possibly
// without a value, compressed with zstd.
package parquet

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// Type is the type of a column's values.
type Type int

// The types, and what they are in Go.
const (
	Int    Type = iota // int64
	Float              // float64
	Text               // string
	Bool               // bool
	Moment             // int64: microseconds since 1970 in UTC
)

// Column is a column of the table. Every column may lack values.
type Column struct {
	Name string
	Type Type
}

// groupRows is how many rows share a group: some megabytes in memory. batchRows go to the
// library at once, column by column: row by row it takes ten times as long.
const (
	groupRows = 1 << 16
	batchRows = 1 << 10
)

// Writer writes one table.
type Writer struct {
	out     *parquet.GenericWriter[any]
	columns []Column
	batch   [][]parquet.Value // of each column, what is not written yet
	rows    int               // in this group
	err     error
}

// NewWriter begins a table.
func NewWriter(out io.Writer, columns []Column) (*Writer, error) {
	if len(columns) == 0 {
		return nil, fmt.Errorf("a table without columns")
	}
	root := inOrder{Group: parquet.Group{}}
	for _, c := range columns {
		root.Group[c.Name] = parquet.Optional(c.Type.node())
		root.names = append(root.names, c.Name)
	}
	if len(root.Group) != len(columns) {
		return nil, fmt.Errorf("a column comes twice")
	}
	w := parquet.NewGenericWriter[any](out, parquet.NewSchema("schema", root),
		parquet.Compression(&parquet.Zstd), parquet.DataPageVersion(1), parquet.CreatedBy("inferometer", "", ""))
	return &Writer{out: w, columns: columns, batch: make([][]parquet.Value, len(columns))}, nil
}

// inOrder is a group whose columns have an order of ours, not that of their names.
type inOrder struct {
	parquet.Group
	names []string
}

// Fields implements parquet.Node.
func (g inOrder) Fields() []parquet.Field {
	byName := map[string]parquet.Field{}
	for _, f := range g.Group.Fields() {
		byName[f.Name()] = f
	}
	fields := make([]parquet.Field, len(g.names))
	for i, name := range g.names {
		fields[i] = byName[name]
	}
	return fields
}

// node is the column's type; values are written plainly, which every reader knows.
func (t Type) node() parquet.Node {
	switch t {
	case Float:
		return parquet.Encoded(parquet.Leaf(parquet.DoubleType), &parquet.Plain)
	case Text:
		return parquet.Encoded(parquet.String(), &parquet.Plain)
	case Bool:
		return parquet.Encoded(parquet.Leaf(parquet.BooleanType), &parquet.Plain)
	case Moment:
		return parquet.Encoded(parquet.Timestamp(parquet.Microsecond), &parquet.Plain)
	}
	return parquet.Encoded(parquet.Leaf(parquet.Int64Type), &parquet.Plain)
}

// Row adds a row: one value a column, of its type, or nil.
func (w *Writer) Row(values ...any) error {
	if w.err != nil {
		return w.err
	}
	if len(values) != len(w.columns) {
		return fmt.Errorf("a row of %d values for %d columns", len(values), len(w.columns))
	}
	for i, v := range values { // all or none
		if !w.columns[i].takes(v) {
			return fmt.Errorf("column %s takes no %T", w.columns[i].Name, v)
		}
	}
	for i, v := range values {
		x, defined := parquet.NullValue(), 0
		if v != nil {
			x, defined = parquet.ValueOf(v), 1
		}
		w.batch[i] = append(w.batch[i], x.Level(0, defined, i))
	}
	if w.rows++; w.rows%batchRows == 0 {
		w.write()
	}
	if w.rows == groupRows && w.err == nil {
		w.rows = 0
		w.err = w.out.Flush()
	}
	return w.err
}

// write hands the batch to the library.
func (w *Writer) write() {
	for i, c := range w.out.ColumnWriters() {
		if _, err := c.WriteRowValues(w.batch[i]); err != nil && w.err == nil {
			w.err = err
		}
		w.batch[i] = w.batch[i][:0]
	}
}

func (c *Column) takes(v any) bool {
	switch v.(type) {
	case nil:
		return true
	case int64:
		return c.Type == Int || c.Type == Moment
	case float64:
		return c.Type == Float
	case string:
		return c.Type == Text
	case bool:
		return c.Type == Bool
	}
	return false
}

// Close ends the file. It does not close what it was written to.
func (w *Writer) Close() error {
	if w.err == nil && len(w.batch[0]) > 0 {
		w.write()
	}
	if w.err != nil {
		return w.err
	}
	return w.out.Close()
}
