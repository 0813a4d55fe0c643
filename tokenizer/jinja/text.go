package jinja

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// text is Python's str: how {{ }} prints a value.
func (r *run) text(v any) string {
	switch v := unmarked(v).(type) {
	case string:
		return v
	case undefined:
		r.used(v)
		return ""
	case nil, bool, int64, float64:
		return repr(v)
	}
	var b strings.Builder
	r.writeRepr(&b, v)
	return b.String()
}

// repr is Python's repr of a value without parts.
func repr(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return floatText(v)
	case string:
		return quote(v)
	case markup:
		return "Markup(" + quote(string(v)) + ")"
	case undefined:
		return "Undefined"
	case *function:
		return "<function " + v.name + ">"
	case *method:
		return "<method " + v.name + ">"
	case *macro:
		return "<Macro '" + v.name + "'>"
	case *loop:
		return fmt.Sprintf("<LoopContext %d/%d>", v.at+1, len(v.items))
	}
	return "<" + typeName(v) + ">"
}

func (r *run) writeRepr(b *strings.Builder, v any) {
	r.enter()
	defer r.leave()
	switch v := v.(type) {
	case *Dict:
		b.WriteByte('{')
		for i, key := range v.keys {
			if i > 0 {
				b.WriteString(", ")
			}
			r.writeRepr(b, key)
			b.WriteString(": ")
			r.writeRepr(b, v.values[i])
		}
		b.WriteByte('}')
	case *List:
		r.writeListRepr(b, v)
	case *namespace:
		b.WriteString("<Namespace>")
	default:
		text := repr(v)
		r.spend(len(text) + itemCost)
		b.WriteString(text)
	}
	r.spend(itemCost)
}

func (r *run) writeListRepr(b *strings.Builder, l *List) {
	begin, end := "[", "]"
	switch l.kind {
	case tuple:
		begin, end = "(", ")"
		if len(l.items) == 1 {
			end = ",)"
		}
	case rangeList:
		b.WriteString(l.text)
		return
	case itemsView:
		begin, end = "dict_items([", "])"
	case keysView:
		begin, end = "dict_keys([", "])"
	case valuesView:
		begin, end = "dict_values([", "])"
	case generator:
		b.WriteString("<generator>")
		return
	}
	b.WriteString(begin)
	for i, v := range l.items {
		if i > 0 {
			b.WriteString(", ")
		}
		r.writeRepr(b, v)
	}
	b.WriteString(end)
}

// floatText is the shortest text that reads back as the same number, in Python's layout.
func floatText(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	case math.IsNaN(x):
		return "nan"
	case x != 0 && (math.Abs(x) < 1e-4 || math.Abs(x) >= 1e16):
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	text := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// quote is Python's repr of a string: in single quotes unless it holds only those.
func quote(s string) string {
	mark := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		mark = '"'
	}
	var b strings.Builder
	b.WriteRune(mark)
	for _, c := range s {
		switch {
		case c == mark || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(c):
			b.WriteRune(c)
		case c < 0x100:
			fmt.Fprintf(&b, `\x%02x`, c)
		case c < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			fmt.Fprintf(&b, `\U%08x`, c)
		}
	}
	b.WriteRune(mark)
	return b.String()
}
