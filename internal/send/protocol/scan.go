package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner walks over JSON text without building anything: an event has a dozen
// fields, and we want four of them. What is passed over is checked for its
// brackets, strings and separators, not for the grammar of its numbers.
type scanner struct {
	data []byte
	pos  int
	err  error
	text []byte // unescaped strings; memory that is used again for each event
}

var (
	errNotJSON = errors.New("not JSON")
	errTooDeep = fmt.Errorf("nested deeper than %d", maxDepth)
)

func (s *scanner) reset(data []byte) {
	s.data, s.pos, s.err, s.text = data, 0, nil, s.text[:0]
}

func (s *scanner) fail() { s.failWith(errNotJSON) }

func (s *scanner) failWith(err error) { s.err, s.pos = err, len(s.data) }

// next passes over white space and returns the byte after it, 0 at the end.
func (s *scanner) next() byte {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\n', '\r', '\t':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// object calls field for each field of the object that begins here; field must
// take its value (or skip it).
func (s *scanner) object(field func(name []byte)) {
	if s.next() != '{' {
		s.fail()
		return
	}
	s.pos++
	if s.next() == '}' {
		s.pos++
		return
	}
	for s.err == nil {
		name := s.rawString()
		if s.next() != ':' {
			s.fail()
			return
		}
		s.pos++
		field(name)
		if !s.more('}') {
			return
		}
	}
}

// array calls element for each element of the array that begins here.
func (s *scanner) array(element func(i int)) {
	if s.next() != '[' {
		s.fail()
		return
	}
	s.pos++
	if s.next() == ']' {
		s.pos++
		return
	}
	for i := 0; s.err == nil; i++ {
		element(i)
		if !s.more(']') {
			return
		}
	}
}

// more takes a comma or the closing bracket.
func (s *scanner) more(closing byte) bool {
	switch c := s.next(); {
	case s.err != nil:
		return false
	case c == ',':
		s.pos++
		return true
	case c == closing:
		s.pos++
		return false
	}
	s.fail()
	return false
}

// rawString takes a string and returns it as it stands, without its quotes.
func (s *scanner) rawString() []byte {
	if s.next() != '"' {
		s.fail()
		return nil
	}
	start := s.pos + 1
	for i := start; ; {
		end := bytes.IndexByte(s.data[i:], '"')
		if end < 0 {
			s.fail()
			return nil
		}
		i += end
		if !escaped(s.data[start:i]) {
			s.pos = i + 1
			return s.data[start:i]
		}
		i++
	}
}

// escaped says whether what follows b is escaped: b ends with an odd number of backslashes.
func escaped(b []byte) bool {
	n := 0
	for n < len(b) && b[len(b)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// string takes a string and returns its text, nil for null. Anything else is passed over.
func (s *scanner) string() []byte {
	if s.next() != '"' {
		s.skip()
		return nil
	}
	raw := s.rawString()
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	start := len(s.text)
	s.text = appendUnescaped(s.text, raw)
	return s.text[start:len(s.text):len(s.text)]
}

// true takes a value and says whether it is true.
func (s *scanner) true() bool {
	kind := s.next()
	s.skip()
	return kind == 't' && s.err == nil
}

// valueOf takes a value and returns it as it stands; nil where it does not begin with the
// byte that is wanted.
func (s *scanner) valueOf(begin byte) []byte {
	kind, start := s.next(), s.pos
	s.skip()
	if kind != begin || s.err != nil {
		return nil
	}
	return s.data[start:s.pos]
}

// finish ends an event: what is wrong with it, or nil.
func (s *scanner) finish() error {
	s.end()
	if s.err == nil || errors.Is(s.err, errBadCount) || errors.Is(s.err, errBadLogprob) {
		return s.err
	}
	return fmt.Errorf("an event is no JSON object: %w", s.err)
}

// count takes an array and returns its length; -1 for anything else.
func (s *scanner) count() int {
	if s.next() != '[' {
		s.skip()
		return -1
	}
	n := 0
	s.array(func(int) { n++; s.skip() })
	return n
}

// skip passes over a value.
func (s *scanner) skip() {
	switch s.next() {
	case '"':
		s.rawString()
	case '{', '[':
		s.skipNested()
	case 0:
		s.fail()
	default:
		s.skipScalar()
	}
}

// skipScalar passes over a number, true, false or null.
func (s *scanner) skipScalar() {
	start := s.pos
	for s.pos < len(s.data) && !isEnd(s.data[s.pos]) {
		s.pos++
	}
	switch word := s.data[start:s.pos]; {
	case len(word) == 0:
		s.fail()
	case word[0] == '-' || word[0] >= '0' && word[0] <= '9':
	case string(word) == "true" || string(word) == "false" || string(word) == "null":
	default:
		s.fail()
	}
}

// maxDepth bounds how deeply a value that nobody asked for may be nested.
const maxDepth = 200

// skipNested passes over an object or an array, checking that brackets match.
func (s *scanner) skipNested() {
	var stack [maxDepth]byte
	depth := 0
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case '"':
			s.rawString()
			continue
		case '{', '[':
			if depth == maxDepth {
				s.failWith(errTooDeep)
				return
			}
			stack[depth] = c + 2 // the closing bracket, in ASCII
			depth++
		case '}', ']':
			depth--
			if stack[depth] != c {
				s.fail()
				return
			}
			if depth == 0 {
				s.pos++
				return
			}
		}
		s.pos++
	}
	s.fail()
}

// end checks that nothing follows the value.
func (s *scanner) end() {
	if s.err == nil && s.next() != 0 {
		s.fail()
	}
}

func isEnd(c byte) bool {
	switch c {
	case ',', '}', ']', ' ', '\n', '\r', '\t', ':':
		return true
	}
	return false
}

// appendUnescaped appends the text of a string's inside. Halves of surrogate
// pairs and escapes that don't exist become U+FFFD, as encoding/json has it.
func appendUnescaped(dst, raw []byte) []byte {
	for len(raw) > 0 {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 || i+1 >= len(raw) {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:i]...)
		c := raw[i+1]
		raw = raw[i+2:]
		switch c {
		case 'n':
			dst = append(dst, '\n')
		case 't':
			dst = append(dst, '\t')
		case 'r':
			dst = append(dst, '\r')
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'u':
			var r rune
			r, raw = unescapeRune(raw)
			dst = utf8.AppendRune(dst, r)
		case '"', '\\', '/':
			dst = append(dst, c)
		default:
			dst = utf8.AppendRune(dst, utf8.RuneError)
		}
	}
	return dst
}

// appendQuoted appends JSON text as the inside of a string.
func appendQuoted(dst, raw []byte) []byte {
	for _, c := range raw {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ': // between values, where it means nothing
			dst = append(dst, ' ')
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// unescapeRune reads the digits behind \u, and a second half if there is one.
func unescapeRune(raw []byte) (rune, []byte) {
	first, ok := hex4(raw)
	if !ok {
		return utf8.RuneError, raw
	}
	raw = raw[4:]
	if !utf16.IsSurrogate(first) {
		return first, raw
	}
	if len(raw) >= 6 && raw[0] == '\\' && raw[1] == 'u' {
		if second, ok := hex4(raw[2:]); ok {
			if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
				return r, raw[6:]
			}
		}
	}
	return utf8.RuneError, raw
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		d := unhex(c)
		if d < 0 {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
