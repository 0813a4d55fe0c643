package trace

import (
	"errors"
	"fmt"
	"io"
)

// place is where a JSON value or a line lies in a file, uncompressed.
type place struct {
	file  int32
	line  int32 // on which it begins, from 1
	at, n int64
}

// maxTrees bounds the objects of a trace.
const maxTrees = 1 << 24

// findObjects finds the JSON objects of a text, be there one on each line or one on many. It looks at nothing but
// brackets and quotes.
func findObjects(in *input, found func(place) error) error {
	var (
		buffer          = make([]byte, headSize)
		begin, at       int64
		depth           = 0
		line, first     = int32(1), int32(1) // the latter of begin
		quoted, escaped bool
	)
	for {
		n, err := in.bound.r.Read(buffer)
		for i, c := range buffer[:n] {
			if !special[c] && depth > 0 {
				escaped = false
				continue
			}
			switch {
			case c == '\n':
				line++
			case escaped:
				escaped = false
			case quoted:
				escaped = c == '\\'
				quoted = c != '"'
			case c == '"' && depth > 0:
				quoted = true
			case c == '{' || c == '[' && depth > 0:
				if depth == 0 {
					begin, first = at+int64(i), line
				}
				depth++
			case (c == '}' || c == ']') && depth > 0:
				if depth--; depth == 0 {
					if err := found(place{line: first, at: begin, n: at + int64(i) + 1 - begin}); err != nil {
						return err
					}
				}
			case depth == 0 && c != ' ' && c != '\t' && c != '\r' && (at > 0 || i >= 3): // a mark of the byte order may come first
				return fmt.Errorf("line %d: a JSON object must begin here", line)
			}
		}
		at += int64(n)
		switch {
		case err == nil:
		case !errors.Is(err, io.EOF):
			return err
		case depth > 0:
			return fmt.Errorf("the JSON object of line %d has no end: %w", first, io.ErrUnexpectedEOF)
		default:
			return nil
		}
	}
}

// special are the bytes that have a meaning inside an object.
var special = [256]bool{'\n': true, '"': true, '\\': true, '{': true, '[': true, '}': true, ']': true}
