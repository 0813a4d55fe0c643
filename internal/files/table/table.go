// Package table reads rows by column name from the files that datasets come in:
// Parquet, JSON arrays, JSON lines, CSV, and those packed with gzip or zstd. A row can be
// read by its number, so that whoever shuffles keeps numbers and not texts. The files
// come from outside: sizes and depths are bounded, and what a library panics at is an
// error.
package table

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// File is a table in a file.
type File interface {
	// Rows is how many rows there are.
	Rows() int
	// Columns are the names that are known without reading on: of JSON, the first row's.
	Columns() []string
	// Read gives rows to each, in the order of their numbers, which must ascend; i counts
	// the calls. Of Parquet only the named columns are read; without names, all.
	Read(rows []int, columns []string, each func(i int, row Object) error) error
	// Interleaved says how many rows Hugging Face's datasets take from such a file before
	// they turn to the next, where they read several side by side.
	Interleaved() int
	Close() error
}

// Bounds on what a file may make us hold.
const (
	maxRow       = 256 << 20 // bytes of a row's text, and of a page of Parquet
	maxDepth     = 64        // of values in values
	maxRowValues = 4 << 20   // of a row of JSON: an empty list is three bytes of text and some forty of memory
	maxRows      = 64 << 20  // of a file of text: the place of each is kept
	maxUnpacked  = 8 << 30   // bytes that a packed file becomes, in the temporary folder
)

// Formats are the endings of the names of files that Open reads.
var Formats = []string{".parquet", ".jsonl", ".ndjson", ".json", ".csv", ".tsv"}

// packings are the endings that may follow.
var packings = []string{".gz", ".zst"}

// Readable says whether a file's name is one that Open reads.
func Readable(name string) bool {
	return slices.Contains(Formats, ending(name))
}

// ending is that of a name without its packing.
func ending(name string) string {
	name = strings.ToLower(name)
	for _, p := range packings {
		name = strings.TrimSuffix(name, p)
	}
	return filepath.Ext(name)
}

// Open opens a table. What it is, its first bytes say, and for CSV its name.
func Open(path string) (File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	t, err := open(f, ending(path))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// open takes f over: it is closed with the table, or on an error.
func open(f *os.File, kind string) (t File, err error) {
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	if f, err = unpacked(f); err != nil {
		return nil, err
	}
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	head = head[:n]
	switch text := bytes.TrimSpace(bytes.TrimPrefix(head, bom)); {
	case bytes.HasPrefix(head, []byte("PAR1")):
		return openParquet(f)
	case kind == ".csv":
		return openCSV(f, ',')
	case kind == ".tsv":
		return openCSV(f, '\t')
	case bytes.HasPrefix(text, []byte("[")):
		return openArray(f)
	case bytes.HasPrefix(text, []byte("{")):
		return openLines(f)
	case len(text) == 0:
		return nil, fmt.Errorf("it is empty")
	case bytes.HasPrefix(text, []byte("version https://git-lfs")):
		return nil, fmt.Errorf("it is only Git's note of a large file, not the file: fetch it with git lfs pull")
	}
	return nil, fmt.Errorf("it is none of Parquet, JSON, JSON lines or CSV")
}

var bom = []byte("\xef\xbb\xbf")
