package trace

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Trace is one file, or several of the same format, of which each begins at its own zero.
type Trace struct {
	Format *Format
	Files  []string
}

// mostFiles bounds a folder.
const mostFiles = 100_000

// Open finds the files and their format. A path may be a folder: of all its files.
// An empty format is told from the first file.
func Open(format string, paths ...string) (*Trace, error) {
	t := &Trace{}
	for _, p := range paths {
		found, err := filesOf(p)
		if err != nil {
			return nil, err
		}
		t.Files = append(t.Files, found...)
	}
	if len(t.Files) == 0 {
		return nil, fmt.Errorf("there is no file in %s", strings.Join(paths, ", "))
	}
	if len(t.Files) > mostFiles {
		return nil, fmt.Errorf("%d files are more than %d", len(t.Files), mostFiles)
	}
	var err error
	if format != "" {
		t.Format, err = formats.Find(format)
		return t, err
	}
	in, err := openInput(t.Files[0], 0)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if t.Format, err = detect(in.head()); err != nil {
		return nil, fmt.Errorf("%s: %w", t.Files[0], err)
	}
	return t, nil
}

// filesOf are the files of a folder by name, or the one file that path is.
func filesOf(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	slices.Sort(files)
	return files, nil
}

// Reader gives the rows of all files, one file after the other.
type Reader struct {
	trace *Trace
	file  int // the next one
	in    *input
	rows  rows
}

// Rows begins to read.
func (t *Trace) Rows() *Reader { return &Reader{trace: t} }

// Next reads a row; io.EOF after the last. What r holds is valid until the next call.
func (r *Reader) Next(row *Row) error {
	for {
		if r.rows == nil {
			if r.file == len(r.trace.Files) {
				return io.EOF
			}
			if err := r.open(); err != nil {
				return err
			}
		}
		err := r.rows.next(row)
		if err == nil {
			return nil
		}
		if !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s: %w", r.trace.Files[r.file-1], err)
		}
		if err := r.Close(); err != nil {
			return err
		}
	}
}

func (r *Reader) open() (err error) {
	path := r.trace.Files[r.file]
	if r.in, err = openInput(path, r.file); err != nil {
		return err
	}
	r.file++
	if r.rows, err = r.trace.Format.open(r.in); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Close lets go of the file that is being read.
func (r *Reader) Close() error {
	r.rows = nil
	if r.in == nil {
		return nil
	}
	err := r.in.Close()
	r.in = nil
	return err
}
