package task

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/files/table"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/workload/hfset"
)

// source is where rows come from: files beside the task's, a set on the hub, or the task's own file.
type source struct {
	files         []string
	hub           string
	config, split string
	rows          []*row // that the task's file itself holds
}

func (s *source) empty() bool { return len(s.files) == 0 && s.hub == "" && s.rows == nil }

func (s *source) same(o *source) bool {
	return slices.Equal(s.files, o.files) && s.hub == o.hub && s.config == o.config && s.split == o.split
}

// Bounds on a set: questions are kept, so that any can be asked for.
const (
	maxRows  = 2 << 20
	maxBytes = 1 << 30
)

// set is what was read of a source.
type set struct {
	name    string // for the journal
	rows    []*row
	columns []string
	known   map[string]bool // the same
	python  bool            // as Hugging Face's datasets give it
	files   []string
}

// read gets a source's rows. given is what the run says in place of it.
func (t *Task) read(s *source, given, flag string, o *Options) (*set, error) {
	switch {
	case given != "":
		files, err := filesIn(given, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		return readSet(filepath.Base(given), files, t.lmEval)
	case len(s.files) > 0:
		var files []string
		for _, f := range s.files {
			if !filepath.IsAbs(f) {
				f = filepath.Join(t.folder, f)
			}
			real, err := t.reads.find(f)
			if err != nil {
				return nil, fmt.Errorf("the task's data: %w", err)
			}
			more, err := hfset.Files(real, "", s.split)
			if err != nil {
				return nil, fmt.Errorf("the task's data: %w", err)
			}
			files = append(files, more...)
		}
		return readSet(filepath.Base(s.files[0]), files, t.lmEval)
	case s.hub != "":
		return t.fetch(s, flag, o)
	case s.rows != nil:
		out := &set{name: t.Name, rows: s.rows}
		for _, r := range s.rows {
			out.addColumns(r.names)
		}
		return out, nil
	}
	return nil, fmt.Errorf("the task %s names no data: give a file with %s%s", outside.Word(t.Name), flag, outside.Sentence(t.needs))
}

// filesIn are a file, or those of a folder that are the source's split.
func filesIn(path string, s *source) ([]string, error) {
	if !isFolder(path) {
		return hfset.Files(path, "", "")
	}
	files, err := hfset.Files(path, s.config, s.split)
	if err != nil && s.config != "" { // of a set without its subsets
		if without, e := hfset.Files(path, "", s.split); e == nil {
			return without, nil
		}
	}
	return files, err
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func isCSV(file string) bool {
	return strings.Contains(filepath.Base(file), ".csv") || strings.Contains(filepath.Base(file), ".tsv")
}

// hubName is what a set on the hub may be called: a task's file comes from outside, and the name becomes a path.
var hubName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)?$`)

func (t *Task) fetch(s *source, flag string, o *Options) (*set, error) {
	if !hubName.MatchString(s.hub) || strings.Contains(s.hub, "..") {
		return nil, fmt.Errorf("%s is no set on the hub: it must be NAME or ORG/NAME", outside.Sentence(clipped(s.hub)))
	}
	if o.Fetch == nil {
		return nil, fmt.Errorf("the task %s is over %s on the hub, and nothing is fetched: give a file with %s",
			outside.Word(t.Name), outside.Word(s.hub), flag)
	}
	folder, err := hfset.Fetch(s.hub, &hfset.Options{Subset: s.config, Split: s.split}, o.Fetch)
	if err != nil {
		return nil, fmt.Errorf("%s on the hub: %w; a local file can be given with %s", outside.Word(s.hub), err, flag)
	}
	files, err := hfset.Files(folder, s.config, s.split)
	if err != nil {
		return nil, fmt.Errorf("%s on the hub: %w", outside.Word(s.hub), err)
	}
	name := s.hub
	if s.config != "" {
		name += "/" + s.config
	}
	return readSet(name+":"+s.split, files, t.lmEval)
}

// readSet reads all rows of some files, with python as Hugging Face's datasets do.
func readSet(name string, files []string, python bool) (*set, error) {
	out := &set{name: name, python: python, files: files}
	size := 0
	for _, file := range files {
		f, err := table.Open(file)
		if err != nil {
			return nil, err
		}
		err = out.add(f, file, &size)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	if len(out.rows) == 0 {
		return nil, errors.New(name + " has no rows")
	}
	if python {
		out.asDatasets(!isCSV(files[0]) && !strings.Contains(files[0], ".parquet"))
	}
	return out, nil
}

func (s *set) add(f table.File, file string, size *int) error {
	if len(s.rows)+f.Rows() > maxRows {
		return fmt.Errorf("it has more than %d rows", maxRows)
	}
	s.addColumns(f.Columns())
	numbers := make([]int, f.Rows())
	for i := range numbers {
		numbers[i] = i
	}
	first := len(s.rows)
	err := f.Read(numbers, nil, func(i int, o table.Object) error {
		if *size += objectSize(o); *size > maxBytes {
			return fmt.Errorf("the rows have more than %d MB", maxBytes>>20)
		}
		r := newRow(first+i, o)
		s.rows = append(s.rows, r)
		s.addColumns(r.names)
		return nil
	})
	if err == nil && isCSV(file) {
		typeColumns(s.rows[first:], f.Columns(), s.python)
	}
	return err
}

// maxColumns bounds the names in rows of JSON, each of which may bring its own.
const maxColumns = 10_000

func (s *set) addColumns(names []string) {
	if s.known == nil {
		s.known = map[string]bool{}
	}
	for _, name := range names {
		if !s.known[name] && len(s.columns) < maxColumns {
			s.known[name] = true
			s.columns = append(s.columns, name)
		}
	}
}

// objectSize is about how many bytes a value takes.
func objectSize(v any) int {
	size := 16
	switch v := v.(type) {
	case string:
		size += len(v)
	case []byte:
		size += len(v)
	case []any:
		for _, e := range v {
			size += objectSize(e)
		}
	case table.Object:
		for _, f := range v {
			size += 32 + len(f.Key) + objectSize(f.Value)
		}
	}
	return size
}
