package table

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"

	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/parquet-go/parquet-go"
)

// parquetFile is a table of Parquet. Rows are read group by group; of a group only the
// columns that are asked for, a page each at a time.
type parquetFile struct {
	file    *os.File
	size    int64
	table   *parquet.File
	columns []*node
	starts  []int // the first row of each group, and behind the last the number of rows
}

// maxFooter bounds the description of a file, which is read whole.
const maxFooter = 64 << 20

func openParquet(f *os.File) (_ File, err error) {
	defer recovered(&err)
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	p := &parquetFile{file: f, size: info.Size()}
	if err := p.checkFooter(); err != nil {
		return nil, err
	}
	p.table, err = parquet.OpenFile(f, p.size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	if err != nil {
		return nil, err
	}
	for _, c := range p.table.Root().Columns() {
		n, err := newNode(c, 0)
		if err != nil {
			return nil, err
		}
		p.columns = append(p.columns, n)
	}
	rows := 0
	p.starts = []int{0}
	for _, g := range p.table.RowGroups() {
		if g.NumRows() < 0 || g.NumRows() > 1<<40 {
			return nil, fmt.Errorf("a group has %d rows", g.NumRows())
		}
		rows += int(g.NumRows())
		p.starts = append(p.starts, rows)
	}
	return p, nil
}

func (p *parquetFile) checkFooter() error {
	var tail [8]byte
	if _, err := p.file.ReadAt(tail[:], p.size-8); err != nil {
		return fmt.Errorf("it is too short for Parquet: %w", err)
	}
	if n := int64(tail[0]) | int64(tail[1])<<8 | int64(tail[2])<<16 | int64(tail[3])<<24; n > maxFooter || n > p.size {
		return fmt.Errorf("its footer has %d bytes", n)
	}
	return nil
}

// recovered makes an error of what the library panics at.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("it is damaged: %v", r)
	}
}

func (p *parquetFile) Rows() int        { return p.starts[len(p.starts)-1] }
func (p *parquetFile) Interleaved() int { return batchRows }
func (p *parquetFile) Close() error     { return p.file.Close() }

func (p *parquetFile) Columns() []string {
	names := make([]string, len(p.columns))
	for i, c := range p.columns {
		names[i] = c.name
	}
	return names
}

// Read implements File.
func (p *parquetFile) Read(rows []int, columns []string, each func(int, Object) error) error {
	for done := 0; done < len(rows); {
		first := rows[done]
		if first < 0 || first >= p.Rows() {
			return errNoRow
		}
		g := sort.SearchInts(p.starts, first+1) - 1
		last, _ := slices.BinarySearch(rows[done:], p.starts[g+1])
		if err := p.readGroup(g, rows[done:done+last], columns, func(i int, row Object) error { return each(done+i, row) }); err != nil {
			return err
		}
		done += last
	}
	return nil
}

// readGroup gives rows of one group to each. An error of each stays as it is.
func (p *parquetFile) readGroup(g int, rows []int, columns []string, each func(int, Object) error) error {
	group, err := p.openGroup(g, columns)
	if err != nil {
		return fmt.Errorf("group %d: %w", g+1, err)
	}
	defer group.Close()
	for i, n := range rows {
		row, err := group.read(int64(n - p.starts[g]))
		if err != nil {
			return fmt.Errorf("row %d: %w", n+1, err)
		}
		if err := each(i, row); err != nil {
			return err
		}
	}
	return nil
}

// group is a group of rows with the readers of some columns.
type group struct {
	columns []*node
	leaves  []*leaf // in the order of the columns' leaves
}

func (p *parquetFile) openGroup(g int, columns []string) (_ *group, err error) {
	defer recovered(&err)
	out := &group{}
	chunks := p.table.RowGroups()[g].ColumnChunks()
	for _, c := range p.columns {
		if columns != nil && !slices.Contains(columns, c.name) {
			continue
		}
		out.columns = append(out.columns, c)
		for _, i := range c.leaves {
			if i >= len(chunks) {
				return nil, fmt.Errorf("column %s is not there", c.name)
			}
			if err := p.checkPages(g, i); err != nil {
				return nil, fmt.Errorf("column %s: %w", c.name, err)
			}
			out.leaves = append(out.leaves, &leaf{pages: chunks[i].Pages()})
		}
	}
	return out, nil
}

func (g *group) Close() {
	for _, l := range g.leaves {
		l.Close()
	}
}

func (g *group) read(row int64) (_ Object, err error) {
	defer recovered(&err)
	values := make([][]parquet.Value, len(g.leaves))
	size := 0
	for i, l := range g.leaves {
		if values[i], err = l.read(row, &size); err != nil {
			return nil, err
		}
	}
	out := make(Object, 0, len(g.columns))
	for _, c := range g.columns {
		n := len(c.leaves)
		v, err := c.value(values[:n])
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.name, err)
		}
		out = append(out, ordered.Member{Key: c.name, Value: v})
		values = values[n:]
	}
	return out, nil
}

// leaf reads the values of one column forward.
type leaf struct {
	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader
	buf    [32]parquet.Value
	have   []parquet.Value // read and not yet taken
	begun  int64           // rows whose first value was taken
}

func (l *leaf) Close() {
	defer func() { _ = recover() }() // of a damaged file there is nothing to lose
	parquet.Release(l.page)
	l.pages.Close()
}

// read gives the values of a row, which lies behind the one before.
func (l *leaf) read(row int64, size *int) ([]parquet.Value, error) {
	var out []parquet.Value
	for {
		v, err := l.peek(row)
		if errors.Is(err, io.EOF) && len(out) > 0 {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if v.RepetitionLevel() == 0 {
			if l.begun > row {
				return out, nil
			}
			l.begun++
		}
		if l.begun > row {
			*size += 32 + len(bytesOf(v))
			if *size > maxRow {
				return nil, errLong
			}
			out = append(out, v.Clone())
		}
		l.have = l.have[1:]
	}
}

// peek looks at the next value. Pages whose rows all lie before the wanted one are passed over.
func (l *leaf) peek(row int64) (parquet.Value, error) {
	for len(l.have) == 0 {
		if l.values == nil {
			page, err := l.pages.ReadPage()
			if err != nil {
				return parquet.Value{}, err
			}
			l.page, l.values = page, page.Values()
			if n := page.NumRows(); l.begun+n <= row {
				l.begun += n
				l.drop()
				continue
			}
		}
		n, err := l.values.ReadValues(l.buf[:])
		l.have = l.buf[:n]
		if n == 0 && err == nil {
			err = io.ErrNoProgress
		}
		if errors.Is(err, io.EOF) && n == 0 {
			l.drop()
		} else if err != nil && !errors.Is(err, io.EOF) {
			return parquet.Value{}, err
		}
	}
	return l.have[0], nil
}

func (l *leaf) drop() {
	parquet.Release(l.page)
	l.page, l.values = nil, nil
}

func bytesOf(v parquet.Value) []byte {
	if k := v.Kind(); k == parquet.ByteArray || k == parquet.FixedLenByteArray {
		return v.ByteArray()
	}
	return nil
}
