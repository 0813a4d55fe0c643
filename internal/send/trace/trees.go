package trace

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/trace/tree"
)

// Trees are the jobs of a trace. Only what finds them is held: a tree is read when it is asked for.
type Trees interface {
	Len() int
	// Tree reads one of them. It may be called by several goroutines at once.
	Tree(i int) (*tree.Tree, error)
	Close() error
}

// TreeOptions say how trees are read.
type TreeOptions struct {
	// Split finds agents that only their prompts tell apart, where a format does not say whose a request is.
	Split bool
}

// ErrNoSessions says that nothing in a trace tells which requests belong together.
var ErrNoSessions = errors.New("it has no sessions of several requests")

// ErrNoRequest says that a job has nothing to send: all of its requests failed, say.
var ErrNoRequest = errors.New("it has no request that can be sent")

// Trees finds the jobs of a trace. The error is ErrNoSessions where there are none.
func (t *Trace) Trees(o TreeOptions) (Trees, error) {
	switch f := t.Format; {
	case f.trees != nil:
		return f.trees(t, o)
	case f.open == nil:
		return indexObjects(t, o)
	case f.Sessions:
		return indexSessions(t, o)
	}
	return nil, fmt.Errorf("%s: %w", t.Files[0], ErrNoSessions)
}

// objects are trees of which each is one JSON value.
type objects struct {
	stored
	options TreeOptions
	places  []place
}

// indexObjects finds the values of all files.
func indexObjects(t *Trace, o TreeOptions) (Trees, error) {
	all := &objects{stored: stored{trace: t}, options: o}
	for i, path := range t.Files {
		if err := all.index(i); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", path, err), all.Close())
		}
	}
	if len(all.places) == 0 {
		return nil, fmt.Errorf("there is no JSON object in %s", t.Files[0])
	}
	return all, nil
}

func (o *objects) index(file int) error {
	in, err := openInput(o.trace.Files[file], file)
	if err != nil {
		return err
	}
	defer in.Close()
	find := o.trace.Format.find
	if find == nil {
		find = findObjects
	}
	from := len(o.places)
	err = find(in, func(p place) error {
		if len(o.places) == maxTrees {
			return fmt.Errorf("there are more than %d trees", maxTrees)
		}
		p.file = int32(file)
		o.places = append(o.places, p)
		return nil
	})
	if err == nil && in.packed && len(o.places)-from > 1 {
		err = o.unpack(file)
	}
	return err
}

// Len implements Trees.
func (o *objects) Len() int { return len(o.places) }

// Tree implements Trees.
func (o *objects) Tree(i int) (*tree.Tree, error) {
	p := o.places[i]
	in, err := o.open(p)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	t, err := o.trace.Format.tree(in, o.options)
	if err != nil {
		return nil, fmt.Errorf("%s, line %d: %w", o.trace.Files[p.file], p.line, err)
	}
	if t.ID == "" {
		name, _, _ := strings.Cut(filepath.Base(o.trace.Files[p.file]), ".json")
		t.ID = outside.Word(name)
		if len(o.places) > len(o.trace.Files) {
			t.ID += ":" + strconv.Itoa(i+1)
		}
	}
	return t, nil
}

// stored reads parts of the files of a trace.
type stored struct {
	trace *Trace
	// plain are compressed files that were unpacked.
	plain map[int32]*os.File
}

// unpack makes a compressed file one of which parts can be read.
func (s *stored) unpack(file int) error {
	f, err := unpacked(s.trace.Files[file])
	if err != nil {
		return err
	}
	if s.plain == nil {
		s.plain = map[int32]*os.File{}
	}
	s.plain[int32(file)] = f
	return nil
}

// open opens parts of a file, one after the other. A compressed file that was not unpacked has only one.
func (s *stored) open(parts ...place) (*input, error) {
	file := parts[0].file
	in := &input{}
	var from io.ReaderAt
	if f := s.plain[file]; f != nil {
		from = f
	} else {
		var err error
		if in, err = openInput(s.trace.Files[file], int(file)); err != nil || in.packed {
			return in, err
		}
		from = in.file
	}
	readers := make([]io.Reader, len(parts))
	for i, p := range parts {
		readers[i] = io.NewSectionReader(from, p.at, p.n)
	}
	in.read(io.MultiReader(readers...))
	return in, nil
}

// Close implements Trees.
func (s *stored) Close() error {
	var err error
	for _, f := range s.plain {
		err = errors.Join(err, f.Close())
	}
	s.plain = nil
	return err
}
