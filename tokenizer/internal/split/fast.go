package split

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/internal/uni"
)

// The patterns of most byte-level vocabularies, written by hand: with a regular expression engine that
// knows look-ahead, splitting would take most of the time. Tests hold each to its pattern on any text.
const (
	patternGPT2 = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	patternCL3  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	patternCL1  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

var knownSplitters = map[string]Splitter{
	patternGPT2: splitGPT2,
	patternCL3:  func(text string, dst []Span) []Span { return splitCL(text, dst, 3) }, // gpt-4, llama 3
	patternCL1:  func(text string, dst []Span) []Span { return splitCL(text, dst, 1) }, // qwen

	patternO200k:  cased(3, true),  // gpt-4o
	patternTekken: cased(1, false), // mistral nemo
}

// class is what a pattern sees of a rune.
type class uint8

const (
	other class = iota
	letter
	number
	space   // \s without the next
	newline // \r or \n
	end     // of the text
)

func classify(r rune) class {
	switch {
	case r == '\r' || r == '\n':
		return newline
	case unicode.IsSpace(r):
		return space
	case uni.Letter(r):
		return letter
	case uni.Number(r):
		return number
	}
	return other
}

// asciiClasses and bmpClasses are classify's answers; the larger is only made for text that needs it.
var (
	asciiClasses = func() (t [utf8.RuneSelf]class) {
		for r := range t {
			t[r] = classify(rune(r))
		}
		return t
	}()
	bmpClasses = sync.OnceValue(func() *[1 << 16]class {
		var t [1 << 16]class
		for r := range t {
			t[r] = classify(rune(r))
		}
		return &t
	})
)

// classAt gives the class and the length of the rune at i.
func classAt(text string, i int) (class, int) {
	if i >= len(text) {
		return end, 0
	}
	if c := text[i]; c < utf8.RuneSelf {
		return asciiClasses[c], 1
	}
	r, n := utf8.DecodeRuneInString(text[i:])
	if r < 1<<16 {
		return bmpClasses()[r], n
	}
	return classify(r), n
}

// skip goes on over runes of one class. It gives the place after them and what stands there.
func skip(text string, i int, over class) (int, class) {
	c, n := classAt(text, i)
	for c == over {
		i += n
		c, n = classAt(text, i)
	}
	return i, c
}

func splitGPT2(text string, dst []Span) []Span {
	for i := 0; i < len(text); {
		j := gpt2Piece(text, i)
		dst = append(dst, Span{i, j})
		i = j
	}
	return dst
}

// gpt2Piece is where the piece that begins at i ends.
func gpt2Piece(text string, i int) int {
	if text[i] == '\'' {
		if n := contraction(text[i+1:], false); n > 0 {
			return i + 1 + n
		}
	}
	j := i
	if text[i] == ' ' {
		j++
	}
	switch c, _ := classAt(text, j); c {
	case letter, number, other:
		j, _ = skip(text, j, c)
		return j
	}
	j, _ = spaces(text, i)
	return j
}

func splitCL(text string, dst []Span, maxDigits int) []Span {
	for i := 0; i < len(text); {
		j := clPiece(text, i, maxDigits)
		dst = append(dst, Span{i, j})
		i = j
	}
	return dst
}

func clPiece(text string, i, maxDigits int) int {
	if text[i] == '\'' {
		if n := contraction(text[i+1:], true); n > 0 {
			return i + 1 + n
		}
	}
	c, n := classAt(text, i)
	word := i
	if c == other || c == space {
		word += n // one rune of these may begin a word
	}
	if j, _ := skip(text, word, letter); j > word {
		return j
	}
	if c == number {
		j := i
		for d := 0; d < maxDigits && c == number; d++ {
			j += n
			c, n = classAt(text, j)
		}
		return j
	}
	marks := i
	if text[i] == ' ' {
		marks++
	}
	if j, _ := skip(text, marks, other); j > marks {
		j, _ = skip(text, j, newline)
		return j
	}
	j, lastNewline := spaces(text, i)
	if lastNewline > i {
		return lastNewline
	}
	return j
}

// spaces is \s+(?!\S)|\s+ at i: a run of white space leaves its last rune to a word that follows,
// unless it has only one. lastNewline is the place after the last line break in the run, or -1.
func spaces(text string, i int) (j, lastNewline int) {
	j, lastNewline = i, -1
	last := i
	c, n := classAt(text, j)
	for c == space || c == newline {
		last = j
		j += n
		if c == newline {
			lastNewline = j
		}
		c, n = classAt(text, j)
	}
	if c != end && last > i {
		return last, lastNewline
	}
	return j, lastNewline
}

// contraction is the length of the English ending at the start of text (an apostrophe stands before
// it), or 0. With fold, in any case; ſ (U+017F) then is an s.
func contraction(text string, fold bool) int {
	lower := func(i int) byte {
		if i >= len(text) {
			return 0
		}
		c := text[i]
		if fold && c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		return c
	}
	switch a, b := lower(0), lower(1); {
	case a == 's' || a == 't' || a == 'm' || a == 'd':
		return 1
	case a == 'r' && b == 'e', a == 'v' && b == 'e', a == 'l' && b == 'l':
		return 2
	case fold && a == 0xC5 && b == 0xBF:
		return 2
	}
	return 0
}
