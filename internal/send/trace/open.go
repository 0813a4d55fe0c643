package trace

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/send/trace/tree"
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

// isData says by its name whether a file of a folder may be a trace: a folder often has a README beside them.
func isData(name string) bool {
	switch filepath.Ext(strings.TrimSuffix(name, ".gz")) {
	case ".json", ".jsonl", ".csv":
		return true
	}
	return false
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
	if slices.ContainsFunc(files, isData) {
		files = slices.DeleteFunc(files, func(f string) bool { return !isData(f) })
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
	trees *treeRows // of a format of trees; nil: they are not open yet
}

// Rows begins to read.
func (t *Trace) Rows() *Reader { return &Reader{trace: t} }

// Next reads a row; io.EOF after the last. What r holds is valid until the next call.
func (r *Reader) Next(row *Row) error {
	if r.trace.Format.open == nil {
		return r.nextTurn(row)
	}
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

// nextTurn reads a row of a format of trees.
func (r *Reader) nextTurn(row *Row) (err error) {
	if r.trees == nil {
		r.trees = &treeRows{history: r.trace.Format.History}
		if r.trees.Trees, err = r.trace.Trees(TreeOptions{}); err != nil {
			return err
		}
	}
	return r.trees.next(row)
}

// Close lets go of the file that is being read.
func (r *Reader) Close() error {
	r.rows = nil
	if r.trees != nil && r.trees.Trees != nil {
		err := r.trees.Close()
		r.trees = nil
		return err
	}
	if r.in == nil {
		return nil
	}
	err := r.in.Close()
	r.in = nil
	return err
}

// treeRows are the turns of one tree after the other. Each branch is a session.
type treeRows struct {
	Trees
	history bool // prompts are known by their history alone
	count   int  // rows so far
	number  int  // the next tree
	tree    *tree.Tree
	turn    int // the next one
	prompts tree.Prompts
	turns   []int // so far, by branch
	ids     []uint64
}

func (r *treeRows) next(row *Row) (err error) {
	for r.tree == nil || r.turn == len(r.tree.Turns) {
		if r.number == r.Len() {
			return io.EOF
		}
		if r.tree, err = r.Tree(r.number); err != nil {
			return err
		}
		r.number++
		r.turn, r.prompts, r.turns = 0, tree.Prompts{}, make([]int, len(r.tree.Branches))
	}
	t := &r.tree.Turns[r.turn]
	r.count++
	r.turns[t.Branch]++
	*row = Row{
		Number: r.count, At: r.tree.At + t.At, Input: t.Input, Output: t.Output, Model: t.Model,
		Session: mix(uint64(r.number), uint64(t.Branch)), Turn: r.turns[t.Branch],
	}
	if ids := r.prompts.Of(r.tree, r.turn); len(ids) > 0 && !r.history {
		row.IDs, row.Block = ids, r.tree.Block
		if !r.tree.Shared {
			r.ids = r.ids[:0]
			for _, id := range ids {
				r.ids = append(r.ids, mix(uint64(r.number), id))
			}
			row.IDs = r.ids
		}
	}
	r.turn++
	return nil
}
