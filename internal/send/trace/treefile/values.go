package treefile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// span is where a value stands in its file.
type span struct {
	offset int64
	length int
}

// values finds the objects of a file, one after the other. It looks at brackets and quotes only: who takes a
// value parses it. Objects may stand on lines of their own, be indented, or be the elements of one list.
type values struct {
	span
	value []byte // valid until the next one
	err   error

	from *bufio.Reader
	at   int64 // how far it has read
}

func newValues(r io.Reader) *values { return &values{from: bufio.NewReaderSize(r, 64<<10)} }

// next finds the next object. It is false at the end and after an error.
func (v *values) next() bool {
	if v.err != nil {
		return false
	}
	found, err := v.begin()
	if err == nil && found {
		err = v.rest()
	}
	if err != nil {
		v.err = err
		return false
	}
	return found
}

// begin passes over what stands between objects.
func (v *values) begin() (bool, error) {
	for {
		b, err := v.from.ReadByte()
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		v.at++
		switch b {
		case ' ', '\t', '\r', '\n', ',', '[', ']', 0xef, 0xbb, 0xbf: // the last three are a byte order mark
		case '{':
			v.offset, v.value = v.at-1, append(v.value[:0], b)
			return true, nil
		default:
			return false, fmt.Errorf("%q stands where a JSON object should begin", b)
		}
	}
}

// rest reads an object to its end.
func (v *values) rest() error {
	depth, quoted, escaped := 1, false, false
	for depth > 0 {
		b, err := v.from.ReadByte()
		if errors.Is(err, io.EOF) {
			return errors.New("the file ends inside it")
		}
		if err != nil {
			return err
		}
		v.at++
		if v.value = append(v.value, b); len(v.value) > maxValue {
			return fmt.Errorf("it has more than %d MB", maxValue>>20)
		}
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = b == '\\', b != '"'
		case b == '"':
			quoted = true
		case b == '{' || b == '[':
			depth++
		case b == '}' || b == ']':
			depth--
		}
	}
	v.length = len(v.value)
	return nil
}
