// Package treefile reads files of recorded jobs into trees: each format is one file here, and one name in the
// list of treefile.go. It also writes the form that is ours. A file is a sequence of JSON values. Opening one
// finds which values make a tree and where they stand; a tree is read and built when it is asked for, so that
// a file of any length is held by its index alone.
package treefile

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/inferometer/inferometer/internal/send/trace/tree"
)

// Format is a kind of file.
type Format struct {
	Name string
	Doc  string // one sentence, with the unit of its times
	// Timed says that turns have times.
	Timed bool

	looks func(first []byte) bool // tells a file by its first value, which may be cut off
	group func() grouper
	build func(m material) (*tree.Tree, error)
}

// Formats are all of them. A file is the first one that it looks like.
var Formats = []*Format{own, otel, guidellm, tracelab, mlperf, dag, multiTurn}

// Looks says whether a file is of this format, by its first bytes.
func (f *Format) Looks(head []byte) bool { return f.looks(head) }

// material is what a tree is made of.
type material struct {
	key    string
	values [][]byte
	split  bool      // agents that only their prompts tell apart become branches
	zero   time.Time // of the file's clock, where its times are dates
}

// What a file may hold: more is no trace, or an attack.
const (
	maxValue   = 256 << 20 // bytes of one JSON value
	maxSeconds = 1e9
)

// Trees are the trees of some files of one format.
type Trees struct {
	format *Format
	split  bool
	paths  []string
	files  []*os.File
	places []place
}

// place is where the values of a tree stand.
type place struct {
	file   int
	zero   time.Time
	key    string
	values []span
}

// Open finds the trees of files, which open opens so that their parts can be read in any order. With split, agents that
// only their prompts tell apart become branches, where a format leaves that open.
func (f *Format) Open(paths []string, open func(path string) (*os.File, error), split bool) (*Trees, error) {
	t := &Trees{format: f, split: split, paths: paths}
	for _, path := range paths {
		file, err := open(path)
		if err == nil {
			err = t.add(file)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", path, err), t.Close())
		}
	}
	return t, nil
}

func (t *Trees) add(file *os.File) error {
	t.files = append(t.files, file)
	by := t.format.group()
	groups, spans, err := index(file, by)
	if err != nil {
		return err
	}
	var zero time.Time
	if dated, ok := by.(interface{ zero() time.Time }); ok {
		zero = dated.zero()
	}
	for _, g := range groups {
		p := place{file: len(t.files) - 1, zero: zero, key: g.key, values: make([]span, len(g.values))}
		for i, n := range g.values {
			p.values[i] = spans[n]
		}
		t.places = append(t.places, p)
	}
	return nil
}

// index groups the values of a file.
func index(file *os.File, by grouper) (groups []group, spans []span, err error) {
	from := newValues(io.NewSectionReader(file, 0, math.MaxInt64))
	for from.next() {
		spans = append(spans, from.span)
		if err := by.add(len(spans)-1, from.value); err != nil {
			return nil, nil, valueError(len(spans), err)
		}
	}
	if from.err != nil {
		return nil, nil, valueError(len(spans)+1, from.err)
	}
	groups, err = by.groups()
	return groups, spans, err
}

// valueError says which value of a file is wrong: in JSON lines it is the row.
func valueError(number int, err error) error { return fmt.Errorf("row %d: %w", number, err) }

// Len is the number of trees.
func (t *Trees) Len() int { return len(t.places) }

// Tree reads one of them.
func (t *Trees) Tree(i int) (*tree.Tree, error) {
	p := t.places[i]
	values := make([][]byte, len(p.values))
	for k, at := range p.values {
		values[k] = make([]byte, at.length)
		if _, err := t.files[p.file].ReadAt(values[k], at.offset); err != nil {
			return nil, fmt.Errorf("%s: %w", t.paths[p.file], err)
		}
	}
	made, err := t.format.read(material{p.key, values, t.split, p.zero})
	if err != nil {
		return nil, fmt.Errorf("%s: tree %d: %w", t.paths[p.file], i+1, err)
	}
	if made.ID == "" {
		made.ID = fmt.Sprintf("tree-%d", i+1)
	}
	return made, nil
}

// read builds a tree and holds it against the bounds.
func (f *Format) read(m material) (*tree.Tree, error) {
	made, err := f.build(m)
	if err != nil {
		return nil, err
	}
	return made, made.Check()
}

// Close lets go of the files.
func (t *Trees) Close() error {
	var all error
	for _, f := range t.files {
		all = errors.Join(all, f.Close())
	}
	t.files = nil
	return all
}
