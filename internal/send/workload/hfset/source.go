package hfset

import (
	"fmt"
	"slices"

	"github.com/inferometer/inferometer/internal/files/table"
)

// Source gives a set's rows in the order in which vLLM's client takes them. It keeps
// numbers of rows, not rows.
type Source struct {
	set   *Set
	opts  *Options
	names []string
	files []table.File
	next  order
}

// Open finds a set's files and opens them.
func (s *Set) Open(o *Options) (*Source, error) {
	find := s.files
	if find == nil {
		find = func(root string, o *Options) ([]string, error) { return dataFiles(root, o.Subset, o.Split) }
	}
	names, err := find(o.Path, o)
	if err != nil {
		return nil, err
	}
	src := &Source{set: s, opts: o, names: names}
	all := shards{batch: 1}
	for _, name := range names {
		f, err := table.Open(name)
		if err != nil {
			src.Close()
			return nil, err
		}
		src.files = append(src.files, f)
		all.rows = append(all.rows, f.Rows())
		all.batch = f.Interleaved()
	}
	if err := src.checkColumns(); err != nil {
		src.Close()
		return nil, err
	}
	src.next = src.order(all)
	return src, nil
}

func (s *Source) order(all shards) order {
	switch o := s.opts; {
	case s.set.shuffled != nil:
		return s.set.shuffled(all, o)
	case !o.Shuffle:
		return all.inSequence()
	case o.Stream:
		return all.streamed(o.Seed)
	default:
		return all.permuted(o.Seed)
	}
}

// checkColumns finds a set that is not what it is said to be before its first row is read.
func (s *Source) checkColumns() error {
	if len(s.files) == 0 || len(s.set.Columns) == 0 {
		return nil
	}
	have := s.files[0].Columns()
	if first := s.set.Columns[0]; !slices.Contains(have, first) {
		return fmt.Errorf("%s has no column %s, but %v", s.names[0], first, have)
	}
	return nil
}

// Rows is how many there are.
func (s *Source) Rows() (n int) {
	for _, f := range s.files {
		n += f.Rows()
	}
	return n
}

// Take reads the next rows of the order, n or as many as there are, and gives samples to
// each: not in the order, but file by file; i is the place in it. A row that the set leaves
// out is not given. It returns how many rows it took.
func (s *Source) Take(n int, each func(i int, sample Sample) error) (int, error) {
	type wanted struct{ row, at int }
	byFile := make([][]wanted, len(s.files))
	taken := 0
	for ; taken < n; taken++ {
		p, ok := s.next()
		if !ok {
			break
		}
		byFile[p.file] = append(byFile[p.file], wanted{p.row, taken})
	}
	for f, list := range byFile {
		slices.SortFunc(list, func(a, b wanted) int { return a.row - b.row })
		rows := make([]int, len(list))
		for i, w := range list {
			rows[i] = w.row
		}
		err := s.files[f].Read(rows, s.set.Columns, func(i int, row table.Object) error {
			sample, ok, err := s.set.Read(row, s.opts)
			if err != nil {
				return fmt.Errorf("row %d: %w", rows[i]+1, err)
			}
			if !ok {
				return nil
			}
			return each(list[i].at, sample)
		})
		if err != nil {
			return 0, fmt.Errorf("%s: %w", s.names[f], err)
		}
	}
	return taken, nil
}

// Close closes the set's files.
func (s *Source) Close() (err error) {
	for _, f := range s.files {
		if e := f.Close(); err == nil {
			err = e
		}
	}
	return err
}
