package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
)

// TestFrame: what every reader looks at first. That real readers read the values
// is tested with DuckDB and pandas in test/parquet.
func TestFrame(t *testing.T) {
	var b bytes.Buffer
	w, err := NewWriter(&b, []Column{{"index", Int}, {"name", Text}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(3) {
		if err := w.Row(i, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file := b.Bytes()
	if !bytes.HasPrefix(file, []byte(magic)) || !bytes.HasSuffix(file, []byte(magic)) {
		t.Error("the file does not begin and end with PAR1")
	}
	length := int(binary.LittleEndian.Uint32(file[len(file)-8:]))
	footer := file[len(file)-8-length : len(file)-8]
	for _, name := range []string{"index", "name", "inferometer"} {
		if !bytes.Contains(footer, []byte(name)) {
			t.Errorf("%s is not in the footer", name)
		}
	}
}

func TestRuns(t *testing.T) {
	got := runs([]bool{true, true, true, false, true})
	if want := []byte{3 << 1, 1, 1 << 1, 0, 1 << 1, 1}; !bytes.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestTruthValues: eight to a byte, the first lowest; those without a value take no place.
func TestTruthValues(t *testing.T) {
	c := chunk{Column: Column{"ok", Bool}}
	for _, v := range []any{true, nil, false, true, true, false, false, false, false, true} {
		if err := c.add(v); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(c.data, []byte{0b00001101, 0b1}) {
		t.Errorf("%08b", c.data)
	}
}

func TestRefusals(t *testing.T) {
	if _, err := NewWriter(&bytes.Buffer{}, nil); err == nil {
		t.Error("a table without columns was begun")
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
