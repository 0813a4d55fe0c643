// Package jsonscan walks over JSON text without building anything: of an object with a dozen fields it takes those
// that are asked for.
package jsonscan

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// Scanner takes one value after the other from a text. What is passed over is checked for its brackets,
// strings and separators, not for the grammar of its numbers. The first error ends the text: what is taken
// after it is empty.
type Scanner struct {
	Err  error
	data []byte
	pos  int
	text []byte // unescaped strings; memory that is used again for each text
}

// What a text may be instead of JSON.
var (
	ErrNotJSON = errors.New("not JSON")
	ErrTooDeep = fmt.Errorf("nested deeper than %d", maxDepth)
)

// Reset begins with a new text. What was taken of the one before is no longer valid.
func (s *Scanner) Reset(data []byte) {
	s.data, s.pos, s.Err, s.text = data, 0, nil, s.text[:0]
}

// Resume begins with a new text, and what was taken before stays valid.
func (s *Scanner) Resume(data []byte) { s.data, s.pos, s.Err = data, 0, nil }

// Release forgets the text, and the memory that one odd text has made larger than limit.
func (s *Scanner) Release(limit int) {
	if s.data = nil; cap(s.text) > limit {
		s.text = nil
	}
}

// Mark is the place of the next value, for Since and Rewind.
func (s *Scanner) Mark() int {
	s.Next()
	return s.pos
}

// Since returns what was taken since a mark, as it stands.
func (s *Scanner) Since(mark int) []byte { return s.data[min(mark, s.pos):s.pos] }

// Rewind goes back to a mark, unless there was an error since.
func (s *Scanner) Rewind(mark int) {
	if s.Err == nil {
		s.pos = mark
	}
}

// Within walks over a value that was taken, and goes on behind it.
func (s *Scanner) Within(value []byte, walk func()) {
	data, pos := s.data, s.pos
	s.data, s.pos = value, 0
	walk()
	if s.data, s.pos = data, pos; s.Err != nil {
		s.Fail(s.Err)
	}
}

// Held is how much memory is kept for the next text.
func (s *Scanner) Held() int { return cap(s.data) + cap(s.text) }

// Fail ends the text with an error.
func (s *Scanner) Fail(err error) { s.Err, s.pos = err, len(s.data) }

func (s *Scanner) fail() { s.Fail(ErrNotJSON) }

// Next passes over white space and returns the byte after it, 0 at the end.
func (s *Scanner) Next() byte {
	if s.pos < len(s.data) && s.data[s.pos] > ' ' {
		return s.data[s.pos]
	}
	return s.nextBehindSpace()
}

func (s *Scanner) nextBehindSpace() byte {
	for ; s.pos < len(s.data); s.pos++ {
		switch c := s.data[s.pos]; c {
		case ' ', '\n', '\r', '\t':
		default:
			return c
		}
	}
	return 0
}

// Fields calls field for each field of the object that begins here; field must take its value (or skip it).
// Anything else is passed over.
func (s *Scanner) Fields(field func(name []byte)) {
	for open := s.Open('{'); open; open = s.More('}') {
		field(s.Name())
	}
}

// Elements calls element for each element of the array that begins here. Anything else is passed over.
func (s *Scanner) Elements(element func(i int)) {
	i := 0
	for open := s.Open('['); open; open = s.More(']') {
		element(i)
		i++
	}
}

// Open enters the object or array that begins here, and says whether there is something in it. What does
// not begin with this bracket is passed over.
func (s *Scanner) Open(bracket byte) bool {
	if s.Next() != bracket {
		s.Skip()
		return false
	}
	s.pos++
	if s.Next() == bracket+2 { // the closing bracket, in ASCII
		s.pos++
		return false
	}
	return s.Err == nil
}

// Name takes the name of a field as it stands, without its quotes, and the colon.
func (s *Scanner) Name() []byte {
	if rest := s.data[s.pos:]; len(rest) > 0 && rest[0] == '"' { // as most are: nothing escaped, no space
		end := bytes.IndexByte(rest[1:], '"') + 1
		if end > 0 && end+1 < len(rest) && rest[end+1] == ':' && rest[end-1] != '\\' {
			s.pos += end + 2
			return rest[1:end]
		}
	}
	name := s.rawString()
	if s.Next() != ':' {
		s.fail()
		return nil
	}
	s.pos++
	return name
}

// More takes a comma, or the closing bracket: then there is no more.
func (s *Scanner) More(closing byte) bool {
	if s.pos < len(s.data) && s.data[s.pos] == ',' { // after an error nothing is left
		s.pos++
		return true
	}
	switch c := s.Next(); {
	case s.Err != nil:
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
func (s *Scanner) rawString() []byte {
	if s.Next() != '"' {
		s.fail()
		return nil
	}
	start := s.pos + 1
	for i := start; ; i++ {
		end := bytes.IndexByte(s.data[i:], '"')
		if end < 0 {
			s.fail()
			return nil
		}
		if i += end; !escaped(s.data[start:i]) {
			s.pos = i + 1
			return s.data[start:i]
		}
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

// Text takes a string and returns what it says, nil for null. Anything else is passed over.
func (s *Scanner) Text() []byte { return s.Unescape(s.Raw()) }

// Raw takes a string as it stands, without its quotes, nil for anything else.
func (s *Scanner) Raw() []byte {
	if s.Next() != '"' {
		s.Skip()
		return nil
	}
	return s.rawString()
}

// Unescape returns what a string says that stands so in JSON. It is valid until the next Reset.
func (s *Scanner) Unescape(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	start := len(s.text)
	s.text = AppendUnescaped(s.text, raw)
	return s.text[start:len(s.text):len(s.text)]
}

// AppendText appends what the string that begins here says; anything else is passed over.
func (s *Scanner) AppendText(dst []byte) []byte { return AppendUnescaped(dst, s.Raw()) }

// True takes a value and says whether it is true.
func (s *Scanner) True() bool { return string(s.Value()) == "true" }

// Value takes any value as it stands, nil where there is none.
func (s *Scanner) Value() []byte {
	mark := s.Mark()
	s.Skip()
	if s.Err != nil {
		return nil
	}
	return s.data[mark:s.pos]
}

// ValueOf takes a value as it stands; nil where it does not begin with the byte that is wanted.
func (s *Scanner) ValueOf(begin byte) []byte {
	if s.Next() != begin {
		s.Skip()
		return nil
	}
	return s.Value()
}

// Number takes a whole number from 0 to limit; ok is false for anything else, which is returned as it stands.
func (s *Scanner) Number(limit int) (n int, raw []byte, ok bool) {
	start := s.Mark()
	for s.pos < len(s.data) && s.data[s.pos] >= '0' && s.data[s.pos] <= '9' && n <= limit {
		n = n*10 + int(s.data[s.pos]-'0')
		s.pos++
	}
	if s.pos > start && (s.pos == len(s.data) || ends[s.data[s.pos]]) && n <= limit {
		return n, nil, true
	}
	s.pos = start
	return 0, s.Value(), false
}

// Count takes an array and returns its length; -1 for anything else.
func (s *Scanner) Count() int {
	if s.Next() != '[' {
		s.Skip()
		return -1
	}
	n := 0
	for open := s.Open('['); open; open = s.More(']') {
		n++
		s.Skip()
	}
	return n
}

// Skip passes over a value.
func (s *Scanner) Skip() {
	switch s.Next() {
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
func (s *Scanner) skipScalar() {
	rest := s.data[s.pos:]
	n := 0
	for n < len(rest) && !ends[rest[n]] {
		n++
	}
	s.pos += n
	switch word := rest[:n]; {
	case n == 0:
		s.fail()
	case word[0] == '-' || word[0] >= '0' && word[0] <= '9':
	case string(word) == "true" || string(word) == "false" || string(word) == "null":
	default:
		s.fail()
	}
}

// ends are the bytes that end a number or a word.
var ends = [256]bool{',': true, '}': true, ']': true, ' ': true, '\n': true, '\r': true, '\t': true, ':': true}

// maxDepth bounds how deeply a value that nobody asked for may be nested.
const maxDepth = 200

// skipNested passes over an object or an array, checking that brackets match.
func (s *Scanner) skipNested() {
	var stack [maxDepth]byte
	depth := 0
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case '"':
			s.rawString()
			continue
		case '{', '[':
			if depth == maxDepth {
				s.Fail(ErrTooDeep)
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

// End checks that nothing follows the value.
func (s *Scanner) End() {
	if s.Err == nil && s.Next() != 0 {
		s.fail()
	}
}

// AppendUnescaped appends the text of a string's inside. Halves of surrogate
// pairs and escapes that don't exist become U+FFFD, as encoding/json has it.
func AppendUnescaped(dst, raw []byte) []byte {
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

// AppendQuoted appends JSON text as the inside of a string.
func AppendQuoted(dst, raw []byte) []byte {
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
