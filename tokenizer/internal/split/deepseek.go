package split

import (
	"sync"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/internal/uni"
)

// DeepSeek's patterns. Each cuts the pieces of the one before; none of them matches all of any text.
const (
	patternDigits3  = `\p{N}{1,3}`
	patternCJK      = `[一-龥` + "\u3040" + `-ゟ゠-ヿ]+`
	patternDeepSeek = "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+|" +
		" ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"
)

// A matcher gives the first match that begins at i or after it, or a place at the end of the text.
type matcher func(text string, i int) Span

var knownMatchers = map[string]matcher{
	patternDigits3:  matchDigits,
	patternCJK:      matchCJK,
	patternDeepSeek: matchDeepSeek,
}

// isolate sets the matches apart, and what stands between them.
func isolate(match matcher) Splitter {
	return func(text string, dst []Span) []Span {
		for i := 0; i < len(text); {
			m := match(text, i)
			if m.From > i {
				dst = append(dst, Span{i, m.From})
			}
			if m.To > m.From {
				dst = append(dst, m)
			}
			i = m.To
		}
		return dst
	}
}

func matchDigits(text string, i int) Span {
	for i < len(text) {
		c, n := classAt(text, i)
		if c != number {
			i += n
			continue
		}
		j := i
		for d := 0; d < 3 && c == number; d++ {
			j += n
			c, n = classAt(text, j)
		}
		return Span{i, j}
	}
	return Span{i, i}
}

// matchCJK only looks at runes whose first byte is that of the range; no other byte of a rune is.
func matchCJK(text string, i int) Span {
	for ; i < len(text); i++ {
		if c := text[i]; c < 0xE3 || c > 0xE9 {
			continue
		}
		j := i
		for j < len(text) {
			r, n := utf8.DecodeRuneInString(text[j:])
			if !(r >= 0x4E00 && r <= 0x9FA5 || r >= 0x3040 && r <= 0x30FF) {
				break
			}
			j += n
		}
		if j > i {
			return Span{i, j}
		}
	}
	return Span{i, i}
}

// The classes of the largest of the patterns are those of the others, and these two. Here \p{N} is in other.
const (
	mark class = end + 1 + iota
	sign       // \p{P} or \p{S}
)

func classifySigns(r rune) class {
	switch c := classify(r); {
	case c == number:
		return other
	case c != other:
		return c
	case uni.Mark(r):
		return mark
	case uni.Punct(r), uni.Symbol(r):
		return sign
	}
	return other
}

var (
	asciiSigns = func() (t [utf8.RuneSelf]class) {
		for r := range t {
			t[r] = classifySigns(rune(r))
		}
		return t
	}()
	bmpSigns = sync.OnceValue(func() *[1 << 16]class {
		var t [1 << 16]class
		for r := range t {
			t[r] = classifySigns(rune(r))
		}
		return &t
	})
)

// signAt gives the class and the length of the rune at i.
func signAt(text string, i int) (class, int) {
	if i >= len(text) {
		return end, 0
	}
	if c := text[i]; c < utf8.RuneSelf {
		return asciiSigns[c], 1
	}
	r, n := utf8.DecodeRuneInString(text[i:])
	if r < 1<<16 {
		return bmpSigns()[r], n
	}
	return classifySigns(r), n
}

func matchDeepSeek(text string, i int) Span {
	for i < len(text) {
		c, n := signAt(text, i)
		if j := deepSeekPiece(text, i, c, n); j > i {
			return Span{i, j}
		}
		i += n
	}
	return Span{i, i}
}

// deepSeekPiece is where the match that begins at i ends, or i. There stands a rune of class c and of n bytes.
func deepSeekPiece(text string, i int, c class, n int) int {
	switch c {
	case letter, mark:
		return lettersEnd(text, i)
	case sign:
		if n == 1 {
			if j := latinEnd(text, i+1); j > i+1 {
				return j
			}
		}
		return signsEnd(text, i)
	case other:
		if j := lettersEnd(text, i+n); j > i+n {
			return j
		}
		return i
	case space:
		if j := lettersEnd(text, i+n); j > i+n {
			return j
		}
		if next, _ := signAt(text, i+n); text[i] == ' ' && next == sign {
			return signsEnd(text, i+n)
		}
	}
	j, lastNewline := spaces(text, i)
	if lastNewline > i {
		return lastNewline
	}
	return j
}

// lettersEnd is [\p{L}\p{M}]* at i.
func lettersEnd(text string, i int) int {
	c, n := signAt(text, i)
	for c == letter || c == mark {
		i += n
		c, n = signAt(text, i)
	}
	return i
}

// latinEnd is [A-Za-z]* at i.
func latinEnd(text string, i int) int {
	for i < len(text) && (text[i] >= 'a' && text[i] <= 'z' || text[i] >= 'A' && text[i] <= 'Z') {
		i++
	}
	return i
}

// signsEnd is [\p{P}\p{S}]*[\r\n]* at i.
func signsEnd(text string, i int) int {
	c, n := signAt(text, i)
	for c == sign {
		i += n
		c, n = signAt(text, i)
	}
	for c == newline {
		i += n
		c, n = signAt(text, i)
	}
	return i
}
