package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// textFile is a file of rows of text, of which only the places are kept.
type textFile struct {
	file        *os.File
	spans       []span
	columns     []string
	interleaved int
	parse       func(raw []byte) (Object, error)
}

// span is where a row lies in the file.
type span struct {
	at   int64
	size int
}

func (t *textFile) Rows() int         { return len(t.spans) }
func (t *textFile) Columns() []string { return t.columns }
func (t *textFile) Interleaved() int  { return t.interleaved }
func (t *textFile) Close() error      { return t.file.Close() }

func (t *textFile) Read(rows []int, _ []string, each func(int, Object) error) error {
	for i, n := range rows {
		row, err := t.row(n)
		if err != nil {
			return fmt.Errorf("row %d: %w", n+1, err)
		}
		if err := each(i, row); err != nil {
			return err
		}
	}
	return nil
}

func (t *textFile) row(n int) (Object, error) {
	if n < 0 || n >= len(t.spans) {
		return nil, errNoRow
	}
	raw := make([]byte, t.spans[n].size)
	if _, err := t.file.ReadAt(raw, t.spans[n].at); err != nil {
		return nil, err
	}
	return t.parse(raw)
}

// add keeps a row's place; false: there are too many.
func (t *textFile) add(s span) bool {
	t.spans = append(t.spans, s)
	return len(t.spans) <= maxRows
}

var errMany = fmt.Errorf("it has more than %d rows: take a part of it", maxRows)

var errNoRow = errors.New("there is no such row")

// named completes a file of JSON with the columns of its first row.
func (t *textFile) named() (File, error) {
	if len(t.spans) == 0 {
		return nil, fmt.Errorf("it has no rows")
	}
	first, err := t.row(0)
	if err != nil {
		return nil, fmt.Errorf("row 1: %w", err)
	}
	t.columns = first.Keys()
	return t, nil
}

// batchRows is how many rows datasets take from a file in turn.
const batchRows = 100

func openLines(f *os.File) (File, error) {
	t := &textFile{file: f, interleaved: batchRows, parse: func(raw []byte) (Object, error) {
		return decodeRow(bytes.NewReader(bytes.TrimPrefix(raw, bom)))
	}}
	in := bufio.NewReaderSize(f, 1<<20)
	var line span
	blank := true
	for {
		part, err := in.ReadSlice('\n')
		line.size += len(part)
		blank = blank && len(bytes.TrimSpace(part)) == 0
		if line.size > maxRow {
			return nil, errLong
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if !blank && !t.add(line) {
			return nil, errMany
		}
		line, blank = span{at: line.at + int64(line.size)}, true
		if errors.Is(err, io.EOF) {
			return t.named()
		}
		if err != nil {
			return nil, err
		}
	}
}

var errLong = fmt.Errorf("a row has more than %d MB", maxRow>>20)

func openArray(f *os.File) (File, error) {
	// datasets read such a file whole and without knowing its columns, and then take row by row.
	t := &textFile{file: f, interleaved: 1, parse: func(raw []byte) (Object, error) {
		return decodeRow(bytes.NewReader(bytes.TrimLeft(raw, ", \t\r\n"))) // a span begins at the comma before
	}}
	in := bufio.NewReaderSize(f, 1<<20)
	skipped := int64(0)
	if head, _ := in.Peek(len(bom)); bytes.Equal(head, bom) {
		n, _ := in.Discard(len(bom))
		skipped = int64(n)
	}
	d := json.NewDecoder(in)
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	for d.More() {
		from := d.InputOffset()
		var row json.RawMessage
		if err := d.Decode(&row); err != nil {
			return nil, fmt.Errorf("row %d: %w", len(t.spans)+1, err)
		}
		if len(row) > maxRow {
			return nil, errLong
		}
		if !t.add(span{skipped + from, int(d.InputOffset() - from)}) {
			return nil, errMany
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("the array has no end: %w", err)
	}
	return t.named()
}

func openCSV(f *os.File, comma rune) (File, error) {
	in := bufio.NewReaderSize(f, 1<<20)
	skipped := int64(0)
	if head, _ := in.Peek(len(bom)); bytes.Equal(head, bom) {
		n, _ := in.Discard(len(bom))
		skipped = int64(n)
	}
	r := csv.NewReader(in)
	r.Comma, r.FieldsPerRecord, r.ReuseRecord, r.LazyQuotes = comma, -1, true, true
	header, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("its first line must name the columns: %w", err)
	}
	t := &textFile{file: f, interleaved: batchRows}
	for _, name := range header {
		t.columns = append(t.columns, strings.Clone(strings.TrimSpace(name)))
	}
	t.parse = func(raw []byte) (Object, error) { return t.record(raw, comma) }
	for {
		from := r.InputOffset()
		if _, err := r.Read(); errors.Is(err, io.EOF) {
			return t, nil
		} else if err != nil {
			return nil, err
		}
		size := r.InputOffset() - from
		if size > maxRow {
			return nil, errLong
		}
		if !t.add(span{skipped + from, int(size)}) {
			return nil, errMany
		}
	}
}

// record reads one row of CSV. A number is a number; an empty field is none.
func (t *textFile) record(raw []byte, comma rune) (Object, error) {
	r := csv.NewReader(bytes.NewReader(raw))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = comma, -1, true
	fields, err := r.Read()
	if err != nil {
		return nil, err
	}
	row := make(Object, len(t.columns))
	for i, name := range t.columns {
		row[i].Key = name
		if i < len(fields) && fields[i] != "" {
			row[i].Value = fields[i]
		}
	}
	return row, nil
}
