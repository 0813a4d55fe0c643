package task

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/jinja"
)

// literal reads what Python's ast.literal_eval does of a list: texts, numbers, None,
// True, False, and lists and tuples of them. lm-eval reads choices and answers so
// that a template has printed.
func literal(s string) (any, error) {
	p := &literalParser{rest: s}
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if p.space(); p.rest != "" {
		return nil, errLiteral
	}
	return v, nil
}

var errLiteral = errors.New("it is no list as Python writes one")

type literalParser struct{ rest string }

func (p *literalParser) space() { p.rest = strings.TrimLeft(p.rest, " \t\r\n\f") }

func (p *literalParser) value(depth int) (any, error) {
	p.space()
	if p.rest == "" || depth > maxDepth {
		return nil, errLiteral
	}
	switch c := p.rest[0]; {
	case c == '[':
		return p.items(']', depth)
	case c == '(':
		return p.items(')', depth)
	case c == '\'' || c == '"':
		return p.texts()
	}
	n := strings.IndexAny(p.rest, ",])} \t\r\n")
	if n < 0 {
		n = len(p.rest)
	}
	word := p.rest[:n]
	p.rest = p.rest[n:]
	switch word {
	case "None":
		return nil, nil
	case "True":
		return true, nil
	case "False":
		return false, nil
	}
	if i, err := strconv.ParseInt(word, 10, 64); err == nil {
		return i, nil
	}
	if x, err := strconv.ParseFloat(word, 64); err == nil && !strings.ContainsAny(word, "nNxXpP") {
		return x, nil
	}
	return nil, errLiteral
}

// items reads a list, or a tuple, of which one in brackets without a comma is none.
func (p *literalParser) items(end byte, depth int) (any, error) {
	p.rest = p.rest[1:]
	var out []any
	for comma := true; ; {
		if p.space(); p.rest == "" {
			return nil, errLiteral
		}
		if p.rest[0] == end {
			p.rest = p.rest[1:]
			if end == ')' && len(out) == 1 && !comma {
				return out[0], nil
			}
			return jinja.NewList(out...), nil
		}
		if !comma {
			return nil, errLiteral
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
		p.space()
		if comma = strings.HasPrefix(p.rest, ","); comma {
			p.rest = p.rest[1:]
		}
	}
}

// texts reads texts one behind the other, which are one.
func (p *literalParser) texts() (any, error) {
	var b strings.Builder
	for p.rest != "" && (p.rest[0] == '\'' || p.rest[0] == '"') {
		if err := p.quoted(&b); err != nil {
			return nil, err
		}
		p.space()
	}
	return b.String(), nil
}

func (p *literalParser) quoted(b *strings.Builder) error {
	mark := p.rest[:1]
	if triple := strings.Repeat(mark, 3); strings.HasPrefix(p.rest, triple) {
		mark = triple
	}
	p.rest = p.rest[len(mark):]
	for !strings.HasPrefix(p.rest, mark) {
		switch {
		case p.rest == "" || p.rest[0] == '\n' && len(mark) == 1:
			return errLiteral
		case p.rest[0] == '\\':
			if err := p.escape(b); err != nil {
				return err
			}
		default:
			_, size := utf8.DecodeRuneInString(p.rest)
			b.WriteString(p.rest[:size])
			p.rest = p.rest[size:]
		}
	}
	p.rest = p.rest[len(mark):]
	return nil
}

var simpleEscapes = map[byte]string{
	'\n': "", '\\': "\\", '\'': "'", '"': "\"", 'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v",
}

func (p *literalParser) escape(b *strings.Builder) error {
	if len(p.rest) < 2 {
		return errLiteral
	}
	c := p.rest[1]
	if text, known := simpleEscapes[c]; known {
		b.WriteString(text)
		p.rest = p.rest[2:]
		return nil
	}
	if size := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]; size > 0 {
		if len(p.rest) < 2+size {
			return errLiteral
		}
		n, err := strconv.ParseUint(p.rest[2:2+size], 16, 32)
		if err != nil {
			return errLiteral
		}
		b.WriteRune(rune(n))
		p.rest = p.rest[2+size:]
		return nil
	}
	if c >= '0' && c <= '7' {
		n := 2
		for n < len(p.rest) && n < 4 && p.rest[n] >= '0' && p.rest[n] <= '7' {
			n++
		}
		code, _ := strconv.ParseUint(p.rest[1:n], 8, 16)
		b.WriteRune(rune(code))
		p.rest = p.rest[n:]
		return nil
	}
	b.WriteByte('\\') // Python leaves what it doesn't know
	p.rest = p.rest[1:]
	return nil
}
