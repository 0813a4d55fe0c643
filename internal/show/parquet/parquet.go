// Package parquet writes flat tables as Parquet files, which DuckDB, pandas and
// Spark read: columns of numbers, texts, truth values and moments, each possibly
// without a value, one plain page a column and group of rows, compressed with zstd.
//
// The library that reads Parquet describes a file for us; its writer, which knows all of
// Parquet, would make the program 2.5 MB larger.
package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
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

const magic = "PAR1"

// groupRows is how many rows share a group: some megabytes in memory.
const groupRows = 1 << 16

// Writer writes one table.
type Writer struct {
	out     io.Writer
	at      int64 // bytes written
	zip     *zstd.Encoder
	columns []*column
	rows    int // in this group
	file    format.FileMetaData
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
	w := &Writer{out: out, zip: zip, file: format.FileMetaData{Version: 1, CreatedBy: "inferometer"}}
	w.file.Schema = append(w.file.Schema, format.SchemaElement{Name: "schema", NumChildren: thrift.New(int32(len(columns)))})
	names := map[string]bool{}
	for _, c := range columns {
		if names[c.Name] {
			return nil, fmt.Errorf("the column %s comes twice", c.Name)
		}
		names[c.Name] = true
		w.columns = append(w.columns, &column{Column: c})
		w.file.Schema = append(w.file.Schema, c.element())
	}
	w.write([]byte(magic))
	return w, nil
}

// element describes a column.
func (c *Column) element() format.SchemaElement {
	e := format.SchemaElement{Name: c.Name, Type: thrift.New(c.Type.physical()), RepetitionType: thrift.New(format.Optional)}
	switch c.Type {
	case Text:
		e.ConvertedType, e.LogicalType.Value = thrift.New(deprecated.UTF8), &format.StringType{}
	case Moment:
		unit := format.TimeUnit{Value: &format.MicroSeconds{}}
		e.ConvertedType, e.LogicalType.Value = thrift.New(deprecated.TimestampMicros), &format.TimestampType{IsAdjustedToUTC: true, Unit: unit}
	}
	return e
}

func (t Type) physical() format.Type {
	switch t {
	case Float:
		return format.Double
	case Text:
		return format.ByteArray
	case Bool:
		return format.Boolean
	}
	return format.Int64
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
		w.columns[i].add(v)
	}
	if w.rows++; w.rows == groupRows {
		w.endGroup()
	}
	return w.err
}

// Close ends the file. It does not close what it was written to.
func (w *Writer) Close() error {
	if w.rows > 0 {
		w.endGroup()
	}
	footer := w.encode(&w.file)
	w.write(footer)
	w.write(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))))
	w.write([]byte(magic))
	return w.err
}

// endGroup writes the columns of the rows so far.
func (w *Writer) endGroup() {
	group := format.RowGroup{NumRows: int64(w.rows)}
	for _, c := range w.columns {
		page := c.page()
		packed := w.zip.EncodeAll(page, nil)
		statistics := format.Statistics{NullCount: int64(c.nulls)}
		header := w.encode(&format.PageHeader{
			Type: format.DataPage, UncompressedPageSize: int32(len(page)), CompressedPageSize: int32(len(packed)),
			DataPageHeader: thrift.New(format.DataPageHeader{
				NumValues: int32(w.rows), Encoding: format.Plain, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE, Statistics: statistics,
			}),
		})
		meta := format.ColumnMetaData{
			Type: c.Type.physical(), Encoding: []format.Encoding{format.Plain, format.RLE}, PathInSchema: []string{c.Name}, Codec: format.Zstd,
			NumValues: int64(w.rows), TotalUncompressedSize: int64(len(header) + len(page)), TotalCompressedSize: int64(len(header) + len(packed)), DataPageOffset: w.at, Statistics: statistics,
		}
		group.Columns = append(group.Columns, format.ColumnChunk{FileOffset: w.at, MetaData: meta})
		group.TotalByteSize += meta.TotalUncompressedSize
		w.write(header)
		w.write(packed)
		*c = column{Column: c.Column, present: c.present[:0], data: c.data[:0]}
	}
	w.file.RowGroups = append(w.file.RowGroups, group)
	w.file.NumRows += group.NumRows
	w.rows = 0
}

func (w *Writer) encode(v any) []byte {
	data, err := thrift.Marshal(&thrift.CompactProtocol{}, v)
	if err != nil && w.err == nil {
		w.err = err
	}
	return data
}

func (w *Writer) write(b []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(b)
		w.at += int64(len(b))
	}
}

// column is a column's values in the group that is being written.
type column struct {
	Column
	present []bool
	data    []byte
	nulls   int
	bits    int // truth values so far
}

func (c *column) takes(v any) bool {
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

func (c *column) add(v any) {
	c.present = append(c.present, v != nil)
	switch x := v.(type) {
	case nil:
		c.nulls++
	case int64:
		c.data = binary.LittleEndian.AppendUint64(c.data, uint64(x))
	case float64:
		c.data = binary.LittleEndian.AppendUint64(c.data, math.Float64bits(x))
	case string:
		c.data = append(binary.LittleEndian.AppendUint32(c.data, uint32(len(x))), x...)
	case bool:
		if c.bits%8 == 0 {
			c.data = append(c.data, 0)
		}
		if x {
			c.data[len(c.data)-1] |= 1 << (c.bits % 8)
		}
		c.bits++
	}
}

// page is which rows have a value, as runs of equal ones, and the values.
func (c *column) page() []byte {
	var runs []byte
	for i := 0; i < len(c.present); {
		from, level := i, byte(0)
		for i < len(c.present) && c.present[i] == c.present[from] {
			i++
		}
		if c.present[from] {
			level = 1
		}
		runs = append(binary.AppendUvarint(runs, uint64(i-from)<<1), level)
	}
	page := binary.LittleEndian.AppendUint32(nil, uint32(len(runs)))
	return append(append(page, runs...), c.data...)
}
