// Package parquet writes flat tables as Parquet files, which DuckDB, pandas and
// Spark read. It knows only what such a table needs: columns of numbers, texts,
// truth values and moments, each possibly without a value; plain pages, compressed
// with zstd; one page a column and group of rows.
//
// A library for all of Parquet is nine megabytes of program; this is one page of a
// specification (docs/dependencies.md).
package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
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

// groupRows is how many rows share a group: some megabytes in memory.
const groupRows = 1 << 16

// Writer writes one table.
type Writer struct {
	out     io.Writer
	at      int64 // bytes written
	columns []*chunk
	rows    int // in this group
	groups  []group
	zip     *zstd.Encoder
	err     error
}

// NewWriter begins a table.
func NewWriter(out io.Writer, columns []Column) (*Writer, error) {
	if len(columns) == 0 {
		return nil, fmt.Errorf("a table without columns")
	}
	zip, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	w := &Writer{out: out, zip: zip}
	for _, c := range columns {
		w.columns = append(w.columns, &chunk{Column: c})
	}
	w.write([]byte(magic))
	return w, nil
}

const magic = "PAR1"

// Row adds a row: one value a column, of its type, or nil.
func (w *Writer) Row(values ...any) error {
	if w.err != nil {
		return w.err
	}
	if len(values) != len(w.columns) {
		return fmt.Errorf("a row of %d values for %d columns", len(values), len(w.columns))
	}
	for i, v := range values {
		if err := w.columns[i].add(v); err != nil {
			return err
		}
	}
	w.rows++
	if w.rows == groupRows {
		w.endGroup()
	}
	return w.err
}

// Close ends the file. It does not close what it was written to.
func (w *Writer) Close() error {
	if w.rows > 0 {
		w.endGroup()
	}
	footer := w.footer()
	w.write(footer)
	w.write(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))))
	w.write([]byte(magic))
	return w.err
}

func (w *Writer) write(b []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(b)
		w.at += int64(len(b))
	}
}

// chunk is a column's values in the group that is being written.
type chunk struct {
	Column
	present []bool
	data    []byte
	bits    int // truth values so far
}

func (c *chunk) add(v any) error {
	c.present = append(c.present, v != nil)
	if v == nil {
		return nil
	}
	switch x := v.(type) {
	case int64:
		if c.Type == Int || c.Type == Moment {
			c.data = binary.LittleEndian.AppendUint64(c.data, uint64(x))
			return nil
		}
	case float64:
		if c.Type == Float {
			c.data = binary.LittleEndian.AppendUint64(c.data, math.Float64bits(x))
			return nil
		}
	case string:
		if c.Type == Text {
			c.data = binary.LittleEndian.AppendUint32(c.data, uint32(len(x)))
			c.data = append(c.data, x...)
			return nil
		}
	case bool:
		if c.Type == Bool {
			if c.bits%8 == 0 {
				c.data = append(c.data, 0)
			}
			if x {
				c.data[len(c.data)-1] |= 1 << (c.bits % 8)
			}
			c.bits++
			return nil
		}
	}
	return fmt.Errorf("column %s takes no %T", c.Name, v)
}

// page is the column's page: which rows have a value, and the values.
func (c *chunk) page() []byte {
	levels := runs(c.present)
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(levels)))
	return append(append(out, levels...), c.data...)
}

// runs writes truth values as runs of equal ones.
func runs(values []bool) []byte {
	var out []byte
	for i := 0; i < len(values); {
		j := i
		for j < len(values) && values[j] == values[i] {
			j++
		}
		out = binary.AppendUvarint(out, uint64(j-i)<<1)
		if values[i] {
			out = append(out, 1)
		} else {
			out = append(out, 0)
		}
		i = j
	}
	return out
}

func (c *chunk) reset() { c.present, c.data, c.bits = c.present[:0], c.data[:0], 0 }
