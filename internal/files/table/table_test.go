package table

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
)

func write(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// read gives the rows of a file as text, one a line.
func read(t testing.TB, path string, rows []int, columns ...string) string {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if rows == nil {
		for i := range f.Rows() {
			rows = append(rows, i)
		}
	}
	var b strings.Builder
	seen := 0
	err = f.Read(rows, columns, func(i int, row Object) error {
		if i != seen {
			t.Errorf("call %d has the number %d", seen, i)
		}
		seen++
		fmt.Fprintln(&b, row)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const sample = `{"id": 1, "turns": ["a", "b"], "deep": {"x": [{"y": null}]}, "z": 1.50}
{"id": 2, "turns": [], "deep": null, "z": "ü"}
`

func gzipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	z.Close()
	return b.Bytes()
}

func zstandard(text string) []byte {
	z, _ := zstd.NewWriter(nil)
	return z.EncodeAll([]byte(text), nil)
}

func TestTextFiles(t *testing.T) {
	want := "[{id 1} {turns [a b]} {deep [{x [[{y <nil>}]]}]} {z 1.50}]\n[{id 2} {turns []} {deep <nil>} {z ü}]\n"
	array := "\xef\xbb\xbf [\n" + strings.ReplaceAll(strings.TrimSpace(sample), "\n", " ,\n\n") + "]"
	for name, content := range map[string][]byte{
		"a.jsonl":        []byte(sample),
		"blank.jsonl":    []byte("\n  \n" + strings.ReplaceAll(sample, "\n", "\r\n\n")),
		"named.json":     []byte(sample),
		"array.json":     []byte(array),
		"a.jsonl.gz":     gzipped(sample),
		"array.json.zst": zstandard(array),
	} {
		if diff := cmp.Diff(want, read(t, write(t, name, content), nil)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	table := "\xef\xbb\xbfname, text\nx,\"two\nlines, \"\"so\"\"\"\ny,\n"
	wantTable := "[{name x} {text two\nlines, \"so\"}]\n[{name y} {text <nil>}]\n"
	for name, content := range map[string]string{"a.csv": table, "a.tsv": strings.ReplaceAll(strings.ReplaceAll(table, ", \"", "; \""), ",", "\t")} {
		got := read(t, write(t, name, []byte(content)), nil)
		if strings.ReplaceAll(got, "; ", ", ") != wantTable {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := read(t, write(t, "texts.json", []byte(`["a", "b"]`)), []int{1}); got != "[{text b}]\n" {
		t.Errorf("texts: %q", got)
	}
}

type message struct {
	From  string
	Value *string
}

type image struct {
	Bytes []byte
	Path  *string
}

type parquetRow struct {
	ID    int64
	Turns []string    `parquet:",list"`
	Chat  []message   `parquet:"chat,list"`
	Deep  [][]message `parquet:"deep,list"`
	Image *image      `parquet:"image,optional"`
	Score float64
	Small int32
	OK    bool
	Tags  map[string]string
}

func parquetRows(n int) (rows []parquetRow) {
	for i := range n {
		r := parquetRow{ID: int64(i), Score: float64(i) / 2, Small: int32(-i), OK: i%2 == 0}
		for k := range i % 4 {
			v := fmt.Sprint(i, "/", k)
			r.Turns = append(r.Turns, v)
			m := message{From: "h"}
			if k%2 == 0 {
				m.Value = &v
			}
			r.Chat = append(r.Chat, m)
			r.Deep = append(r.Deep, slices.Repeat([]message{m}, k))
		}
		if i%3 == 0 {
			r.Image = &image{Bytes: []byte{byte(i), 0xff}}
		}
		if i%5 == 0 {
			r.Tags = map[string]string{"k": fmt.Sprint(i)}
		}
		rows = append(rows, r)
	}
	return rows
}

// text is a row as fmt prints what is read of it.
func (r *parquetRow) text() string {
	show := func(m message) string {
		if m.Value == nil {
			return "[{From h} {Value <nil>}]"
		}
		return "[{From h} {Value " + *m.Value + "}]"
	}
	var chat, deep []string
	for _, m := range r.Chat {
		chat = append(chat, show(m))
	}
	for _, list := range r.Deep {
		var inner []string
		for _, m := range list {
			inner = append(inner, show(m))
		}
		deep = append(deep, "["+strings.Join(inner, " ")+"]")
	}
	img, tags := "<nil>", "[]"
	if r.Image != nil {
		img = fmt.Sprintf("[{Bytes %v} {Path <nil>}]", r.Image.Bytes)
	}
	if r.Tags != nil {
		tags = "[{k " + r.Tags["k"] + "}]"
	}
	return fmt.Sprintf("[{ID %d} {OK %v} {Score %v} {Small %d} {Tags %s} {Turns %v} {chat [%s]} {deep [%s]} {image %s}]\n",
		r.ID, r.OK, r.Score, r.Small, tags, r.Turns, strings.Join(chat, " "), strings.Join(deep, " "), img)
}

func parquetFileOf(t testing.TB, rows []parquetRow, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[parquetRow](&b, append(options, parquet.PageBufferSize(300))...)
	for i, r := range rows {
		if _, err := w.Write([]parquetRow{r}); err != nil {
			t.Fatal(err)
		}
		if i%37 == 36 {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestParquet(t *testing.T) {
	rows := parquetRows(150)
	for name, options := range map[string][]parquet.WriterOption{
		"plain":   nil,
		"zstd v1": {parquet.Compression(&parquet.Zstd), parquet.DataPageVersion(1)},
		"snappy":  {parquet.Compression(&parquet.Snappy), parquet.DataPageVersion(2)},
	} {
		path := write(t, "a.parquet", parquetFileOf(t, rows, options...))
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		columns := f.Columns()
		f.Close()
		for _, wanted := range [][]int{nil, {0}, {149}, {3, 4, 36, 37, 74, 75, 140}, {}} {
			var want strings.Builder
			for i := range rows {
				if wanted == nil || slices.Contains(wanted, i) {
					want.WriteString(inOrder(rows[i].text(), columns))
				}
			}
			if diff := cmp.Diff(want.String(), read(t, path, wanted)); diff != "" {
				t.Fatalf("%s, rows %v: %s", name, wanted, diff)
			}
		}
		if got := read(t, path, []int{6}, "Score", "Small"); !strings.Contains(got, "{Score 3}") || !strings.Contains(got, "{Small -6}") || strings.Contains(got, "ID") {
			t.Errorf("%s: two columns are %s", name, got)
		}
	}
}

// inOrder puts the columns of a printed row into the file's order.
func inOrder(line string, columns []string) string {
	var parts []string
	for i, c := range columns {
		from := strings.Index(line, "{"+c+" ")
		end := len(line) - 2
		for j, other := range columns {
			if at := strings.Index(line, "{"+other+" "); j != i && at > from && at-1 < end {
				end = at - 1
			}
		}
		parts = append(parts, line[from:end])
	}
	return "[" + strings.Join(parts, " ") + "]\n"
}

func TestMistakesAreNamed(t *testing.T) {
	good := parquetFileOf(t, parquetRows(60))
	cut := slices.Clone(good)
	cut = append(cut[:len(cut)/2], cut[len(cut)-8:]...)
	for _, c := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"a.jsonl", nil, "it is empty"},
		{"a.json", []byte(`{"a": 1`), "row 1: EOF"},
		{"a.json", []byte(`[{"a": 1}`), "the array has no end"},
		{"a.json", []byte(`[]`), "it has no rows"},
		{"a.json", []byte(`[[1]]`), "it is no object"},
		{"a.jsonl", []byte(`{"a": ` + strings.Repeat("[", 1000)), "too deep"},
		{"a.jsonl", []byte(`{"a": [[]` + strings.Repeat(",[]", maxRowValues) + `]}`), "a row has more than 4194304 values"},
		{"a.jsonl", []byte(`{"a": 1} {"b": 2}`), "something follows"},
		{"a.parquet", []byte("version https://git-lfs.github.com/spec/v1"), "git lfs pull"},
		{"a.parquet", []byte("hello"), "none of Parquet"},
		{"a.parquet", []byte("PAR1"), "too short"},
		{"a.parquet", []byte("PAR1\xff\xff\xff\x7fPAR1"), "its footer has 2147483647 bytes"},
		{"a.parquet", cut, ""},
		{"a.gz", gzipped(sample)[:20], "EOF"},
	} {
		f, err := Open(write(t, c.name, c.content))
		if err == nil {
			f.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.20q: %v; want an error with %q", c.name, c.content, err, c.want)
		}
	}
	if f, err := Open(filepath.Join(t.TempDir(), "absent")); err == nil || f != nil {
		t.Errorf("%v, %v", f, err)
	}
	f, err := Open(write(t, "a.parquet", good))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Read([]int{60}, nil, nil); !errors.Is(err, errNoRow) {
		t.Errorf("%v", err)
	}
}

// FuzzOpen: no file makes it panic, read for ever, or hold more than its bounds.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(sample), "x.jsonl")
	f.Add([]byte("["+strings.Split(sample, "\n")[0]+"]"), "x.json")
	f.Add([]byte("a,b\n1,\"2\n3\"\n"), "x.csv")
	f.Add(gzipped(sample), "x.jsonl.gz")
	f.Add(zstandard(sample), "x.zst")
	f.Add(parquetFileOf(f, parquetRows(12)), "x.parquet")
	f.Add(parquetFileOf(f, parquetRows(40), parquet.Compression(&parquet.Zstd), parquet.DataPageVersion(1)), "x.parquet")
	f.Fuzz(func(t *testing.T, content []byte, name string) {
		if len(name) > 100 || strings.Contains(name, "\x00") {
			t.Skip("no file has such a name")
		}
		path := write(t, "x"+ending(filepath.Base(filepath.Clean("/"+name))), content)
		file, err := Open(path)
		if err != nil {
			return
		}
		defer file.Close()
		var rows []int
		for i := range min(file.Rows(), 200) {
			rows = append(rows, i)
		}
		_ = file.Read(rows, nil, func(int, Object) error { return nil })
	})
}
