package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/inferometer/inferometer/internal/files/spool"
)

// input is one file of a trace, open.
type input struct {
	*bufio.Reader
	bound  *bounded
	file   *os.File
	index  int      // of the file among those of the trace
	packed bool     // by gzip
	more   []*input // that are closed with it
}

// openInput opens a file, which may be compressed by gzip.
func openInput(path string, index int) (*input, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	in := &input{file: f, index: index}
	var r io.Reader = f
	plain := bufio.NewReaderSize(f, headSize)
	if magic, _ := plain.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		if r, err = gzip.NewReader(plain); err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		in.packed = true
	} else {
		r = plain
	}
	in.read(r)
	return in, nil
}

// unpacked opens a file so that its parts can be read in any order. One that is compressed becomes a file without a name:
// nothing inside it is found without reading what stands before it.
func unpacked(path string) (*os.File, error) {
	in, err := openInput(path, 0)
	if err != nil {
		return nil, err
	}
	if !in.packed {
		return in.file, nil
	}
	defer in.Close()
	t, err := spool.NewTemporary()
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(t, in.bound.r); err != nil {
		return nil, errors.Join(err, t.File.Close())
	}
	return t.File, nil
}

// newLine reads a line, or only its end.
func newLine(line []byte) io.Reader { return bytes.NewReader(append(slices.Clip(line), '\n')) }

func (in *input) read(r io.Reader) {
	in.bound = &bounded{r: r}
	in.Reader = bufio.NewReaderSize(in.bound, headSize)
}

func (in *input) Close() error {
	var err error
	for _, m := range in.more {
		err = errors.Join(err, m.Close())
	}
	if in.file != nil {
		err = errors.Join(err, in.file.Close())
	}
	return err
}

// head looks at the first bytes.
func (in *input) head() []byte {
	b, _ := in.Peek(headSize) // what there is
	return b
}

var errLong = fmt.Errorf("a row has more than %d MB", mostLine>>20)

// bounded ends with an error where one row is too long: who reads rows says with
// passed that one is over.
type bounded struct {
	r io.Reader
	n int
}

func (b *bounded) Read(p []byte) (int, error) {
	left := mostLine + 2*headSize - b.n
	if left <= 0 {
		return 0, errLong
	}
	n, err := b.r.Read(p[:min(len(p), left)])
	b.n += n
	return n, err
}

func (b *bounded) passed() { b.n = 0 }

// lines reads lines that are not blank.
type lines struct {
	in    *input
	long  []byte
	at, n int64 // the line that was read last
}

// last implements located.
func (l *lines) last() place { return place{at: l.at, n: l.n} }

// head implements located.
func (l *lines) head() []byte { return nil }

// next is the next line, without its end; it holds until the call after. The last
// line needs no end.
func (l *lines) next() ([]byte, error) {
	for {
		line, err := l.read()
		if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 && (err == nil || errors.Is(err, io.EOF)) {
			return trimmed, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (l *lines) read() (line []byte, err error) {
	l.in.bound.passed()
	l.at += l.n
	defer func() { l.n = int64(len(line)) }()
	line, err = l.in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	l.long = append(l.long[:0], line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(l.long) > mostLine {
			return nil, errLong
		}
		line, err = l.in.ReadSlice('\n')
		l.long = append(l.long, line...)
	}
	return l.long, err
}

// jsonLines reads one JSON object from each line.
type jsonLines[T any] struct {
	lines
	number int
	row    func(*T, *Row) (skip bool, err error)
	value  T
}

func newJSONLines[T any](in *input, row func(*T, *Row) (bool, error)) *jsonLines[T] {
	return &jsonLines[T]{lines: lines{in: in}, row: row}
}

func (j *jsonLines[T]) next(r *Row) error {
	for {
		line, err := j.lines.next()
		if err != nil {
			return err
		}
		j.number++
		if j.number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		var zero T
		j.value = zero
		if err := json.Unmarshal(line, &j.value); err != nil {
			return rowError(j.number, err)
		}
		*r = Row{Number: j.number, IDs: r.IDs[:0]}
		skip, err := j.row(&j.value, r)
		if err != nil {
			return rowError(j.number, err)
		}
		if !skip {
			return nil
		}
	}
}

func rowError(number int, err error) error { return fmt.Errorf("row %d: %w", number, err) }
