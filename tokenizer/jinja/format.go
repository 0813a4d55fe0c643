package jinja

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// percent is Python's "…%s…" % values, with the verbs s, r, d, i, x, f and %.
func (r *run) percent(format string, values any) string {
	args := []any{values}
	l, isList := values.(*List)
	isTuple := isList && l.kind == tuple
	if isTuple {
		args = l.items
	}
	d, _ := values.(*Dict)
	var b strings.Builder
	used := 0
	next := func() any {
		if used == len(args) {
			fail("not enough values for the format")
		}
		used++
		return args[used-1]
	}
	for {
		before, rest, found := strings.Cut(format, "%")
		r.spend(len(before) + 1)
		b.WriteString(before)
		if !found {
			break
		}
		spec, rest := readVerb(rest)
		format = rest
		switch {
		case spec.verb == '%':
			b.WriteByte('%')
			continue
		case spec.key != nil:
			if d == nil {
				fail("a format with names needs a dict")
			}
			used = len(args)
			v, found := d.get(*spec.key)
			if !found {
				fail("the format's %q is not there", *spec.key)
			}
			b.WriteString(r.verb(spec, v))
		default:
			b.WriteString(r.verb(spec, next()))
		}
	}
	if used < len(args) && d == nil {
		fail("more values than the format takes")
	}
	return b.String()
}

type verb struct {
	key       *string
	flags     string
	width     int
	precision int // -1 without one
	verb      byte
}

func readVerb(s string) (verb, string) {
	v := verb{precision: -1}
	if strings.HasPrefix(s, "(") {
		key, rest, closed := strings.Cut(s[1:], ")")
		if !closed {
			fail("a name in a format is not closed")
		}
		v.key, s = &key, rest
	}
	n := len(s) - len(strings.TrimLeft(s, "-+ 0#"))
	v.flags, s = s[:n], s[n:]
	v.width, s = readInt(s)
	if strings.HasPrefix(s, ".") {
		v.precision, s = readInt(s[1:])
	}
	if s == "" {
		fail("a format is cut short")
	}
	v.verb = s[0]
	return v, s[1:]
}

func readInt(s string) (int, string) {
	n := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if n > 4 {
		fail("a width in a format is too large")
	}
	number, _ := strconv.Atoi(s[:n])
	return number, s[n:]
}

func (r *run) verb(spec verb, v any) string {
	text := ""
	switch spec.verb {
	case 's', 'r':
		text = r.text(v)
		if spec.verb == 'r' {
			var b strings.Builder
			r.writeRepr(&b, v)
			text = b.String()
		}
		if spec.precision >= 0 {
			runes := []rune(text)
			text = string(runes[:min(spec.precision, len(runes))])
		}
	case 'd', 'i', 'x', 'X':
		text = integerVerb(spec.verb, v)
	case 'f', 'F':
		x, isNumber := number(v)
		if !isNumber {
			fail("a number is needed, not %s", typeName(v))
		}
		if spec.precision < 0 {
			spec.precision = 6
		}
		text = strconv.FormatFloat(x, 'f', spec.precision, 64)
	default:
		fail("the format %%%c is not known", spec.verb)
	}
	isNumber := spec.verb != 's' && spec.verb != 'r'
	if isNumber && strings.Contains(spec.flags, "+") && !strings.HasPrefix(text, "-") {
		text = "+" + text
	}
	r.spend(len(text) + spec.width)
	return pad(text, spec, isNumber)
}

func integerVerb(verb byte, v any) string {
	x, isNumber := number(v)
	if !isNumber || math.IsNaN(x) || math.Abs(x) >= 1<<63 {
		fail("a number is needed, not %s", typeName(v))
	}
	n, isInt := integer(v)
	if !isInt {
		n = int64(x)
	}
	switch verb {
	case 'x':
		return strconv.FormatInt(n, 16)
	case 'X':
		return strings.ToUpper(strconv.FormatInt(n, 16))
	}
	return strconv.FormatInt(n, 10)
}

func pad(text string, spec verb, isNumber bool) string {
	missing := spec.width - utf8.RuneCountInString(text)
	switch {
	case missing <= 0:
		return text
	case strings.Contains(spec.flags, "-"):
		return text + strings.Repeat(" ", missing)
	case isNumber && strings.Contains(spec.flags, "0"):
		sign := len(signAt(text, 0))
		return text[:sign] + strings.Repeat("0", missing) + text[sign:]
	}
	return strings.Repeat(" ", missing) + text
}

func formatFilter(r *run, v any, a *arguments) any {
	var values any = newTuple(a.values)
	if len(a.named) > 0 {
		values = r.dictOf(a.named)
	}
	if _, isMarked := v.(markup); isMarked {
		values = r.escapedValues(values)
	}
	return remarked(v, r.percent(r.text(v), values))
}

// formatMethod is str.format with {}, {0} and {name}. What a colon can say is not known.
func formatMethod(r *run, s string, a *arguments) any {
	named := r.dictOf(a.named)
	var b strings.Builder
	for i, next := 0, 0; i < len(s); i++ {
		c := s[i]
		if (c == '{' || c == '}') && i+1 < len(s) && s[i+1] == c {
			b.WriteByte(c)
			i++
			continue
		}
		if c != '{' {
			if c == '}' {
				fail("a single } in a format")
			}
			b.WriteByte(c)
			continue
		}
		inner, _, closed := strings.Cut(s[i+1:], "}")
		if !closed || strings.ContainsAny(inner, ":!.[{") {
			fail("the format {%s} is not known", inner)
		}
		i += len(inner) + 1
		var v any
		found := false
		if strings.Trim(inner, "0123456789") == "" {
			at := next
			if inner != "" {
				at, _ = readInt(inner)
			}
			next++
			if found = at < len(a.values); found {
				v = a.values[at]
			}
		} else {
			v, found = named.get(inner)
		}
		if !found {
			fail("the format's {%s} is not there", inner)
		}
		text := r.text(v)
		r.spend(len(text) + itemCost)
		b.WriteString(text)
	}
	return b.String()
}
