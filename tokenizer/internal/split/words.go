package split

import (
	"unicode"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/internal/uni"
)

// runs cuts a text into runs of one class, and drops those of class drop. A class below 0 is not joined.
func runs(text string, dst []Span, drop int, class func(rune) int) []Span {
	from, before := 0, drop
	for i, r := range text {
		c := class(r)
		if c == before && c >= 0 {
			continue
		}
		if before != drop && i > from {
			dst = append(dst, Span{from, i})
		}
		from, before = i, c
	}
	if before != drop && from < len(text) {
		dst = append(dst, Span{from, len(text)})
	}
	return dst
}

// splitWords is the pattern \w+|[^\w\s]+ of Whitespace.
func splitWords(text string, dst []Span) []Span {
	return runs(text, dst, 0, func(r rune) int {
		switch {
		case r < utf8.RuneSelf && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'):
			return 1
		case unicode.IsSpace(r):
			return 0
		case uni.Word(r):
			return 1
		}
		return 2
	})
}

// splitBert cuts at white space, and sets each punctuation mark apart.
func splitBert(text string, dst []Span) []Span {
	return runs(text, dst, 0, func(r rune) int {
		switch {
		case r < utf8.RuneSelf && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'):
			return 1
		case unicode.IsSpace(r):
			return 0
		case uni.Punctuation(r):
			return -1
		}
		return 1
	})
}

// digitSplitter sets numbers apart: runs of them, or each alone.
func digitSplitter(each bool) Splitter {
	return func(text string, dst []Span) []Span {
		from, before := 0, false
		for i, r := range text {
			number := uni.Numeric(r)
			if i > from && (number != before || number && each) {
				dst = append(dst, Span{from, i})
				from = i
			}
			before = number
		}
		if from < len(text) {
			dst = append(dst, Span{from, len(text)})
		}
		return dst
	}
}

// splitLength cuts after every n characters.
func splitLength(text string, dst []Span, n int) []Span {
	from, count := 0, 0
	for i := range text {
		if count == n {
			dst = append(dst, Span{from, i})
			from, count = i, 0
		}
		count++
	}
	if from < len(text) {
		dst = append(dst, Span{from, len(text)})
	}
	return dst
}
