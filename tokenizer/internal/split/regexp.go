package split

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
	"github.com/inferometer/inferometer/tokenizer/internal/uni"
)

// Compile compiles a pattern of the Oniguruma dialect that tokenizer.json files are written in.
func Compile(pattern string) (*regexp2.Regexp, error) {
	if len(pattern) > maxPattern {
		return nil, spec.NewLimitation(fmt.Errorf("a pattern of %d bytes: those of real tokenizers have some hundreds, and %d is the limit", len(pattern), maxPattern))
	}
	re, err := regexp2.Compile(modern(pattern), regexp2.Unicode)
	if err != nil {
		return nil, spec.NewLimitation(fmt.Errorf("pattern %q: %w", pattern, err))
	}
	re.MatchTimeout = matchTimeout
	return re, nil
}

// maxPattern bounds a pattern: the engine goes into its brackets by recursion, and a million of them would
// end the process.
const maxPattern = 16 << 10

// matchTimeout bounds one match. A pattern may take time that is exponential in the
// length of the text; those of real files take microseconds. All matches of a text have
// their [spec.Budget].
const matchTimeout = 2 * time.Second

// Failed says why a match came to no end. The engine's own words hold all of the text.
func Failed(err error) error {
	if err == nil || errors.Is(err, regexp2.ErrBacktrackingStackLimit) {
		return err
	}
	return fmt.Errorf("the tokenizer's pattern is too slow: one match took more than %v; use the file of the model's own publisher", matchTimeout)
}

var property = regexp.MustCompile(`^\\([pP])\{(\^?)([A-Za-z]+)\}`)

// modern adds to \p{L} and the like the code points that Go's tables of Unicode do not have yet.
func modern(pattern string) string {
	var b strings.Builder
	inClass := 0
	for i := 0; i < len(pattern); {
		m := property.FindStringSubmatch(pattern[i:])
		switch c := pattern[i]; {
		case m != nil:
			more := uni.Newer(m[3])
			negated := (m[1] == "P") != (m[2] == "^")
			switch {
			case more == "" || negated && inClass > 0:
				b.WriteString(m[0])
			case inClass > 0:
				b.WriteString(m[0] + more)
			case negated:
				b.WriteString(`[^\p{` + m[3] + `}` + more + `]`)
			default:
				b.WriteString(`[\p{` + m[3] + `}` + more + `]`)
			}
			i += len(m[0])
			continue
		case c == '\\' && i+1 < len(pattern):
			b.WriteByte(c)
			i++
		case c == '[':
			inClass++
		case c == ']' && inClass > 0:
			inClass--
		}
		_, n := utf8.DecodeRuneInString(pattern[i:])
		b.WriteString(pattern[i : i+n])
		i += n
	}
	return b.String()
}

// A finder appends the matches of a pattern in text: in order, not empty, apart.
type finder func(text string, dst []Span) []Span

// A matchFinder is one whose pattern comes from a file.
type matchFinder func(text string, dst []Span, budget *spec.Budget) []Span

// findString finds a text that is not empty.
func findString(pattern string) finder {
	return func(text string, dst []Span) []Span {
		for from := 0; ; {
			i := strings.Index(text[from:], pattern)
			if i < 0 {
				return dst
			}
			dst = append(dst, Span{from + i, from + i + len(pattern)})
			from += i + len(pattern)
		}
	}
}

// findRune finds each rune of a class.
func findRune(class func(rune) bool) finder {
	return func(text string, dst []Span) []Span {
		for i, r := range text {
			if class(r) {
				dst = append(dst, Span{i, i + utf8.RuneLen(r)})
			}
		}
		return dst
	}
}

func findRegexp(re *regexp2.Regexp) matchFinder {
	return func(text string, dst []Span, budget *spec.Budget) []Span {
		runes := []rune(text) // regexp2 counts in runes
		at, offset := 0, 0
		advance := func(to int) int {
			for ; at < to; at++ {
				offset += utf8.RuneLen(runes[at])
			}
			return offset
		}
		budget.Spend()
		m, err := re.FindRunesMatch(runes)
		for ; m != nil && err == nil; m, err = re.FindNextMatch(m) {
			budget.Spend()
			if m.RuneLength > 0 {
				dst = append(dst, Span{advance(m.RuneIndex), advance(m.RuneIndex + m.RuneLength)})
			}
		}
		spec.GiveUp(Failed(err))
		return dst
	}
}
