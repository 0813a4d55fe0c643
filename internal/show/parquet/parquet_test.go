package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// TestWhatIsWrittenIsRead: values, gaps and the order of columns. That other readers read
// them is tested with DuckDB and pandas in test/parquet.
func TestWhatIsWrittenIsRead(t *testing.T) {
	columns := []Column{{"z", Int}, {"a", Text}, {"m", Float}, {"b", Bool}, {"at", Moment}}
	var b bytes.Buffer
	w, err := NewWriter(&b, columns)
	if err != nil {
		t.Fatal(err)
	}
	const rows = groupRows + 10 // two groups
	for i := range int64(rows) {
		row := []any{i, fmt.Sprint("é", i), float64(i) / 2, i%2 == 0, 1_000_000 * i}
		row[i%5] = nil
		if err := w.Row(row...); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if f.NumRows() != rows || len(f.RowGroups()) != 2 {
		t.Errorf("%d rows in %d groups", f.NumRows(), len(f.RowGroups()))
	}
	for i, c := range f.Root().Columns() {
		if c.Name() != columns[i].Name || !c.Optional() {
			t.Errorf("column %d is %s", i, c)
		}
	}
	reader := f.RowGroups()[0].Rows()
	defer reader.Close()
	got := make([]parquet.Row, 3)
	if n, err := reader.ReadRows(got); n != 3 {
		t.Fatal(n, err)
	}
	want := "[[<null> é0 0 true 0] [1 <null> 0.5 false 1000000] [2 é2 <null> true 2000000]]"
	if fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

func TestRefusals(t *testing.T) {
	for _, columns := range [][]Column{nil, {{"a", Int}, {"a", Text}}} {
		if _, err := NewWriter(&bytes.Buffer{}, columns); err == nil {
			t.Errorf("a table with the columns %v was begun", columns)
		}
	}
	w, err := NewWriter(&bytes.Buffer{}, []Column{{"index", Int}})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range [][]any{{}, {int64(1), int64(2)}, {"a"}, {1.5}, {true}, {1}} {
		if err := w.Row(row...); err == nil {
			t.Errorf("%v was taken", row)
		}
	}
}

// failing takes so many bytes and then no more.
type failing struct{ left int }

func (f *failing) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errors.New("the disk is full")
	}
	return len(b), nil
}

func TestAFullDiskIsTold(t *testing.T) {
	for _, room := range []int{0, 4, 60} {
		w, err := NewWriter(&failing{room}, []Column{{"index", Int}})
		if err != nil {
			t.Fatal(err)
		}
		rowErr := w.Row(int64(1))
		if err := w.Close(); err == nil && rowErr == nil {
			t.Errorf("with room for %d bytes nothing was told", room)
		}
	}
}

// BenchmarkRow is what a row of a run's usual table costs.
func BenchmarkRow(b *testing.B) {
	var columns []Column
	row := make([]any, 24)
	for i := range row {
		columns = append(columns, Column{fmt.Sprint("column", i), Float})
		row[i] = float64(i)
	}
	var out bytes.Buffer
	w, err := NewWriter(&out, columns)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		row[3] = row[3].(float64) + 0.37
		if err := w.Row(row...); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}
