// Package normal holds the normalizers: what is done to a text before it is split.
package normal

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/dlclark/regexp2/v2"
	"golang.org/x/text/unicode/norm"

	"github.com/inferometer/inferometer/tokenizer/internal/bytelevel"
	"github.com/inferometer/inferometer/tokenizer/internal/spec"
	"github.com/inferometer/inferometer/tokenizer/internal/split"
	"github.com/inferometer/inferometer/tokenizer/internal/uni"
)

// A Normalizer rewrites text before it is split. The budget is for those that match patterns.
type Normalizer func(text string, budget *spec.Budget) string

// plain is a normalizer that matches no pattern.
func plain(rewrite func(string) string) Normalizer {
	return func(text string, _ *spec.Budget) string { return rewrite(text) }
}

// All applies normalizers one after another.
func All(steps []Normalizer, text string, budget *spec.Budget) string {
	from := len(text)
	for _, n := range steps {
		text = n(text, budget)
		spec.CheckGrowth(text, from)
	}
	return text
}

// New flattens the normalizer section into steps.
func New(s *spec.Step) ([]Normalizer, error) {
	if s == nil {
		return nil, nil
	}
	if s.Type == "Sequence" {
		return spec.Flatten(s.Normalizers, New)
	}
	n, err := newOne(s)
	return []Normalizer{n}, err
}

func newOne(s *spec.Step) (Normalizer, error) {
	switch s.Type {
	case "NFC":
		return plain(uni.Form(norm.NFC)), nil
	case "NFD":
		return plain(uni.Form(norm.NFD)), nil
	case "NFKC":
		return plain(uni.Form(norm.NFKC)), nil
	case "NFKD":
		return plain(uni.Form(norm.NFKD)), nil
	case "Lowercase":
		return plain(uni.ToLower), nil
	case "Strip":
		return plain(func(text string) string { return strip(text, s.StripLeft, s.StripRight) }), nil
	case "StripAccents":
		return plain(func(text string) string { return without(text, uni.Combining) }), nil
	case "ByteLevel":
		return plain(func(text string) string { return string(bytelevel.AppendSpelling(nil, text)) }), nil
	case "Nmt":
		return plain(nmt), nil
	case "Prepend":
		return newPrepend(s)
	case "Replace":
		return newReplace(s)
	case "BertNormalizer":
		return newBert(s), nil
	case "Precompiled":
		m, err := newCharsmap(s.Charsmap)
		return plain(m.byGraphemes), err
	case "SentencePiece": // no tokenizer.json has it
		return newSentencePiece(s)
	}
	return nil, spec.Unsupported("normalizer", s.Type)
}

func strip(text string, left, right bool) string {
	if left {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
	}
	if right {
		text = strings.TrimRightFunc(text, unicode.IsSpace)
	}
	return text
}

// without drops the runes of a class.
func without(text string, class func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x80 && class(r) {
			return -1
		}
		return r
	}, text)
}

// nmt drops control characters and makes spaces of others, as SentencePiece's rules for translation do.
func nmt(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0x01 && r <= 0x08, r == 0x0B, r >= 0x0E && r <= 0x1F, r == 0x7F, r == 0x8F, r == 0x9F:
			return -1
		case r == '\t', r == '\n', r == '\f', r == '\r', r == 0x1680, r >= 0x200B && r <= 0x200F,
			r == 0x2028, r == 0x2029, r == 0x2581, r == 0xFEFF, r == 0xFFFD:
			return ' '
		}
		return r
	}, text)
}

func newPrepend(s *spec.Step) (Normalizer, error) {
	if len(s.Prepend) > maxContent {
		return nil, fmt.Errorf("normalizer Prepend: its text has more than %d bytes", maxContent)
	}
	return plain(func(text string) string {
		if text == "" {
			return ""
		}
		return s.Prepend + text
	}), nil
}

// maxContent bounds what one character may become: real files have a mark or a space.
const maxContent = 64

func newReplace(s *spec.Step) (Normalizer, error) {
	var content string
	if err := json.Unmarshal(s.Content, &content); err != nil {
		return nil, fmt.Errorf("normalizer Replace: its content is no text: %w", err)
	}
	if len(content) > maxContent {
		return nil, fmt.Errorf("normalizer Replace: its content has more than %d bytes", maxContent)
	}
	switch {
	case s.Pattern.String != "":
		return plain(func(text string) string { return strings.ReplaceAll(text, s.Pattern.String, content) }), nil
	case s.Pattern.Regex == patternSpaces:
		return plain(func(text string) string { return replaceSpaces(text, content) }), nil
	case s.Pattern.Regex != "":
		return ReplaceRegexp(s.Pattern.Regex, content)
	}
	return nil, errors.New("normalizer Replace: no pattern")
}

// patternSpaces stands in the files of T5's and XLM-R's kind.
const patternSpaces = ` {2,}`

// replaceSpaces does by hand what ReplaceRegexp does with patternSpaces.
func replaceSpaces(text, content string) string {
	i := strings.Index(text, "  ")
	if i < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for i >= 0 {
		b.WriteString(text[:i])
		b.WriteString(content)
		text = strings.TrimLeft(text[i:], " ")
		i = strings.Index(text, "  ")
	}
	b.WriteString(text)
	return b.String()
}

// ReplaceRegexp replaces the matches of a pattern. The content is literal: `$1` in it means a dollar sign and a one.
func ReplaceRegexp(pattern, content string) (Normalizer, error) {
	re, err := split.Compile(pattern)
	if err != nil {
		return nil, err
	}
	return func(text string, budget *spec.Budget) string {
		budget.Spend()
		out, err := re.ReplaceFunc(text, func(regexp2.Match) string { budget.Spend(); return content }, -1, -1)
		spec.GiveUp(split.Failed(err))
		return out
	}, nil
}
