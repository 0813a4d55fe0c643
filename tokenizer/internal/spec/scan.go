package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner walks through JSON without building anything from it. A tokenizer.json holds some hundred
// thousand strings, and reading them is what a start waits for. After the first error it stands at the
// end of the data, and keeps that error.
type scanner struct {
	data []byte
	pos  int
	err  error
}

func (s *scanner) fail(what string) {
	if s.err == nil {
		s.err = fmt.Errorf("no JSON: %s at byte %d", what, s.pos)
	}
	s.pos = len(s.data)
}

// peek is the next byte that is not space, or 0 at the end.
func (s *scanner) peek() byte {
	for ; s.pos < len(s.data); s.pos++ {
		switch c := s.data[s.pos]; c {
		case ' ', '\n', '\t', '\r':
		default:
			return c
		}
	}
	return 0
}

// take goes over the byte c, which must come next.
func (s *scanner) take(c byte) {
	if s.peek() != c {
		s.fail(fmt.Sprintf("%q is missing", c))
		return
	}
	s.pos++
}

// list goes over values between open and close, with a comma between them.
func (s *scanner) list(open, close byte, value func()) {
	s.take(open)
	if s.peek() == close {
		s.pos++
		return
	}
	for s.err == nil {
		value()
		if s.peek() == close {
			s.pos++
			return
		}
		s.take(',')
	}
}

// object calls value for each key; value must go over what follows.
func (s *scanner) object(value func(key []byte)) {
	var key []byte
	s.list('{', '}', func() {
		key = s.text(key[:0])
		s.take(':')
		if s.err == nil {
			value(key)
		}
	})
}

func (s *scanner) array(value func()) { s.list('[', ']', value) }

// text appends a string.
func (s *scanner) text(dst []byte) []byte {
	s.take('"')
	for from := s.pos; s.pos < len(s.data); {
		switch s.data[s.pos] {
		case '"':
			dst = append(dst, s.data[from:s.pos]...)
			s.pos++
			return dst
		case '\\':
			dst = s.escape(append(dst, s.data[from:s.pos]...))
			from = s.pos
		default:
			s.pos++
		}
	}
	s.fail("a string does not end")
	return dst
}

// escape appends what a backslash and the bytes after it stand for.
func (s *scanner) escape(dst []byte) []byte {
	if s.pos+1 >= len(s.data) {
		s.fail("a string does not end")
		return dst
	}
	c := s.data[s.pos+1]
	s.pos += 2
	switch c {
	case '"', '\\', '/':
		return append(dst, c)
	case 'b':
		return append(dst, '\b')
	case 'f':
		return append(dst, '\f')
	case 'n':
		return append(dst, '\n')
	case 'r':
		return append(dst, '\r')
	case 't':
		return append(dst, '\t')
	case 'u':
		r := s.hex()
		if utf16.IsSurrogate(r) && s.pos+1 < len(s.data) && s.data[s.pos] == '\\' && s.data[s.pos+1] == 'u' {
			s.pos += 2
			r = utf16.DecodeRune(r, s.hex())
		}
		return utf8.AppendRune(dst, r) // half of a pair becomes U+FFFD
	}
	s.fail("an unknown escape")
	return dst
}

func (s *scanner) hex() rune {
	if s.pos+4 <= len(s.data) {
		if n, err := strconv.ParseUint(string(s.data[s.pos:s.pos+4]), 16, 32); err == nil {
			s.pos += 4
			return rune(n)
		}
	}
	s.fail("four hexadecimal digits are missing")
	return utf8.RuneError
}

// id reads a whole number that can be a token's.
func (s *scanner) id() int32 {
	s.peek()
	start, n := s.pos, int32(0)
	for ; s.pos < len(s.data) && s.data[s.pos] >= '0' && s.data[s.pos] <= '9' && n < MaxID; s.pos++ {
		n = n*10 + int32(s.data[s.pos]-'0')
	}
	if s.pos == start || n >= MaxID {
		s.fail("an impossible token id")
		return 0
	}
	return n
}

// number reads a number.
func (s *scanner) number() float64 {
	n, err := strconv.ParseFloat(string(bytes.TrimSpace(s.raw())), 64)
	if err != nil {
		s.fail("a number is missing")
	}
	return n
}

// raw goes over one value and gives its bytes.
func (s *scanner) raw() []byte {
	s.peek()
	start, depth := s.pos, 0
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case '"':
			s.skipText()
		case '{', '[':
			depth++
			s.pos++
		case '}', ']':
			if depth == 0 { // the end of what holds this value
				return s.data[start:s.pos]
			}
			depth--
			s.pos++
		case ',':
			if depth == 0 {
				return s.data[start:s.pos]
			}
			s.pos++
		default:
			s.pos++
		}
	}
	return s.data[start:]
}

func (s *scanner) skipText() {
	for s.pos++; s.pos < len(s.data); s.pos++ {
		switch s.data[s.pos] {
		case '"':
			s.pos++
			return
		case '\\':
			s.pos++
		}
	}
	s.fail("a string does not end")
}

// decode reads one value into v by encoding/json, which also says whether it is well formed.
func (s *scanner) decode(v any) {
	if raw := s.raw(); s.err == nil {
		s.err = json.Unmarshal(raw, v)
	}
}
