package source

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// metadata is what a GGUF says of its tokenizer. Values are string, bool, int64, float64, and lists of the first,
// []int64 and []float64.
type metadata map[string]any

// Bounds of what a GGUF may make us keep. Gemma's has 262,144 tokens and half a million merges.
const (
	maxKeys       = 1 << 16
	maxTextBytes  = 1 << 24
	maxListLength = spec.MaxID
	maxKeptBytes  = 1 << 28
)

var errGGUF = errors.New("the file is no GGUF that can be read")

// reader reads the head of a GGUF. After the first error it gives zeros.
type reader struct {
	from io.Reader
	kept int // bytes of texts that are kept
	err  error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", errGGUF, fmt.Sprintf(format, args...))
	}
}

func (r *reader) bytes(n int) []byte {
	b := make([]byte, n)
	if r.err == nil {
		if _, err := io.ReadFull(r.from, b); err != nil {
			r.fail("%v", err)
		}
	}
	return b
}

func (r *reader) u32() uint32 { return binary.LittleEndian.Uint32(r.bytes(4)) }
func (r *reader) u64() uint64 { return binary.LittleEndian.Uint64(r.bytes(8)) }

func (r *reader) text() string {
	n := r.u64()
	if n > maxTextBytes {
		r.fail("a text has %d bytes", n)
		return ""
	}
	if r.kept += int(n); r.kept > maxKeptBytes {
		r.fail("its texts have more than %d MiB", maxKeptBytes>>20)
		return ""
	}
	return string(r.bytes(int(n)))
}

// readGGUF reads the keys of a GGUF that begin with "tokenizer.". The weights, which come after, are not read.
func readGGUF(file io.Reader) (metadata, error) {
	r := &reader{from: bufio.NewReaderSize(file, 1<<16)}
	if string(r.bytes(4)) != "GGUF" {
		r.fail("it does not begin with GGUF")
	}
	if version := r.u32(); version != 2 && version != 3 {
		r.fail("version %d", version)
	}
	r.u64() // tensors
	keys := r.u64()
	if keys > maxKeys {
		r.fail("%d keys", keys)
	}
	found := metadata{}
	for range keys {
		key := r.text()
		value := r.value(r.u32(), strings.HasPrefix(key, "tokenizer."))
		if r.err != nil {
			return nil, r.err
		}
		if value != nil {
			found[key] = value
		}
	}
	return found, r.err
}

// The types of values.
const (
	typeU8 = iota
	typeI8
	typeU16
	typeI16
	typeU32
	typeI32
	typeF32
	typeBool
	typeString
	typeArray
	typeU64
	typeI64
	typeF64
)

// widths are the bytes of each type of fixed size.
var widths = map[uint32]int{
	typeU8: 1, typeI8: 1, typeU16: 2, typeI16: 2, typeU32: 4, typeI32: 4, typeF32: 4, typeBool: 1, typeU64: 8, typeI64: 8, typeF64: 8,
}

func (r *reader) value(kind uint32, keep bool) any {
	switch {
	case r.err != nil:
		return nil
	case kind == typeString:
		return r.text()
	case kind == typeArray:
		return r.list(keep)
	case widths[kind] == 0:
		r.fail("a value of type %d", kind)
		return nil
	}
	return scalar(kind, r.bytes(widths[kind]))
}

func scalar(kind uint32, b []byte) any {
	var wide [8]byte
	copy(wide[:], b)
	n := binary.LittleEndian.Uint64(wide[:])
	switch kind {
	case typeI8:
		return int64(int8(n))
	case typeI16:
		return int64(int16(n))
	case typeI32:
		return int64(int32(n))
	case typeF32:
		return float64(math.Float32frombits(uint32(n)))
	case typeF64:
		return math.Float64frombits(n)
	case typeBool:
		return n != 0
	}
	return int64(n)
}

func (r *reader) list(keep bool) any {
	kind, n := r.u32(), r.u64()
	width := widths[kind]
	if n > maxListLength && (keep || kind == typeString) || n > 1<<40 {
		r.fail("a list of %d values", n)
		return nil
	}
	switch {
	case r.err != nil:
		return nil
	case kind == typeString:
		var texts []string
		for range n {
			if text := r.text(); keep {
				texts = append(texts, text)
			} else {
				r.kept -= len(text)
			}
			if r.err != nil {
				return nil
			}
		}
		return texts
	case width == 0:
		r.fail("a list of type %d", kind)
		return nil
	case !keep:
		if _, err := io.CopyN(io.Discard, r.from, int64(n)*int64(width)); err != nil {
			r.fail("%v", err)
		}
		return nil
	}
	return numbers(kind, width, r.long(int(n)*width))
}

// long reads many bytes piece by piece: a file that promises more than it has gets no memory for it.
func (r *reader) long(n int) []byte {
	var all []byte
	for n > 0 && r.err == nil {
		part := min(n, 1<<16)
		all = append(all, r.bytes(part)...)
		n -= part
	}
	return all
}

func numbers(kind uint32, width int, b []byte) any {
	if kind == typeU8 || kind == typeI8 {
		return b
	}
	var whole []int64
	var floats []float64
	for ; len(b) >= width; b = b[width:] {
		switch v := scalar(kind, b[:width]).(type) {
		case int64:
			whole = append(whole, v)
		case float64:
			floats = append(floats, v)
		}
	}
	if floats != nil {
		return floats
	}
	return whole
}

func (m metadata) text(key string) string {
	s, _ := m["tokenizer."+key].(string)
	return s
}

func (m metadata) texts(key string) []string {
	s, _ := m["tokenizer."+key].([]string)
	return s
}

// flag is a switch, or what holds without it.
func (m metadata) flag(key string, otherwise bool) bool {
	if b, ok := m["tokenizer."+key].(bool); ok {
		return b
	}
	return otherwise
}

// id is a token's number, or what holds without it.
func (m metadata) id(key string, otherwise int32) int32 {
	n, ok := m["tokenizer."+key].(int64)
	if !ok {
		return otherwise
	}
	if n < 0 || n >= spec.MaxID {
		return -1
	}
	return int32(n)
}
