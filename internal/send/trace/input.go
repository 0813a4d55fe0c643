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
)

// input is one file of a trace, open.
type input struct {
	*bufio.Reader
	bound *bounded
	file  *os.File
	index int // of the file among those of the trace
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
	} else {
		r = plain
	}
	in.bound = &bounded{r: r}
	in.Reader = bufio.NewReaderSize(in.bound, headSize)
	return in, nil
}

func (in *input) Close() error {
	if in.file == nil {
		return nil
	}
	return in.file.Close()
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
	in   *input
	long []byte
}

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

func (l *lines) read() ([]byte, error) {
	l.in.bound.passed()
	line, err := l.in.ReadSlice('\n')
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
