package workload

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// corpus is a file of entries, of which only the places are kept: a shuffle
// needs all of them, and their texts may be larger than the memory.
type corpus struct {
	file  *os.File
	spans []span
}

// span is where an entry lies in the file.
type span struct {
	at   int64
	size int
}

// openCorpus finds the entries of a file with index.
func openCorpus(path string, index func(io.Reader) ([]span, error)) (*corpus, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	spans, err := index(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &corpus{f, spans}, nil
}

// read gives the bytes of entry i.
func (c *corpus) read(i int) ([]byte, error) {
	b := make([]byte, c.spans[i].size)
	_, err := c.file.ReadAt(b, c.spans[i].at)
	return b, err
}

// indexLines finds the lines that are not blank.
func indexLines(r io.Reader) ([]span, error) {
	var spans []span
	in := bufio.NewReaderSize(r, 1<<20)
	at := int64(0)
	line := span{}
	blank := true
	for {
		part, err := in.ReadSlice('\n')
		line.size += len(part)
		at += int64(len(part))
		blank = blank && len(bytes.TrimSpace(part)) == 0
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if !blank {
			spans = append(spans, line)
		}
		line, blank = span{at: at}, true
		if errors.Is(err, io.EOF) {
			return spans, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// indexArray finds those elements of a JSON array that, decoded into a T, keep
// wants. Elements of another type are left out.
func indexArray[T any](r io.Reader, keep func(T) bool) ([]span, error) {
	var spans []span
	dec := json.NewDecoder(bufio.NewReaderSize(r, 1<<20))
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return nil, fmt.Errorf("it must be a JSON array of conversations: %w", orElse(err, "it begins with something else"))
	}
	for dec.More() {
		from := dec.InputOffset()
		var element T
		err := dec.Decode(&element)
		var mismatch *json.UnmarshalTypeError
		if errors.As(err, &mismatch) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("at byte %d: %w", from, err)
		}
		if keep(element) {
			spans = append(spans, span{from, int(dec.InputOffset() - from)})
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("the array has no end: %w", err)
	}
	return spans, nil
}

func orElse(err error, text string) error {
	if err != nil {
		return err
	}
	return errors.New(text)
}
