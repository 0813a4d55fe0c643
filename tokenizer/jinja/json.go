package jinja

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf16"
)

// jsonWriter is Python's json.dumps with the options that transformers' tojson has.
type jsonWriter struct {
	run            *run
	out            strings.Builder
	ascii, sorted  bool
	indent         *string
	between, colon string
}

// ownJSON is Jinja2's own tojson: json.dumps with sorted keys, of which nothing ends a tag of HTML.
func ownJSON(r *run, v any, a *arguments) any {
	w := &jsonWriter{run: r, ascii: true, sorted: true, between: ", ", colon: ": "}
	if indent := a.bind(0, "indent")[0]; indent != (absent{}) && indent != nil {
		margin := strings.Repeat(" ", int(max(0, min(intArgument(indent, 0), 1000))))
		w.indent, w.between = &margin, ","
	}
	w.value(v, 0)
	return markup(strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`, "'", `\u0027`).Replace(w.out.String()))
}

func tojsonFilter(r *run, v any, a *arguments) any {
	if r.setup.OwnJSON {
		return ownJSON(r, v, a)
	}
	args := a.bind(0, "ensure_ascii", "indent", "separators", "sort_keys")
	w := &jsonWriter{run: r, ascii: given(r, args[0]), sorted: given(r, args[3]), between: ", ", colon: ": "}
	switch indent := unmarked(args[1]).(type) {
	case absent, nil:
	case string:
		w.indent, w.between = &indent, ","
	default:
		width := int(max(0, min(intArgument(indent, 0), 1000)))
		margin := strings.Repeat(" ", width)
		w.indent, w.between = &margin, ","
	}
	if separators := args[2]; separators != (absent{}) && separators != nil {
		parts := r.iterate(separators)
		if len(parts) != 2 {
			fail("separators must be two strings")
		}
		w.between, w.colon = textArgument(parts[0]), textArgument(parts[1])
	}
	w.value(v, 0)
	return w.out.String()
}

func (w *jsonWriter) write(s string) {
	w.run.spend(len(s))
	w.out.WriteString(s)
}

func (w *jsonWriter) value(v any, depth int) {
	if depth > maxDepth {
		fail("nested too deep")
	}
	switch v := unmarked(v).(type) {
	case nil, bool, int64, float64:
		w.write(jsonScalar(v))
		return
	case string:
		w.text(v)
		return
	case *Dict:
		w.dict(v, depth)
		return
	case *List:
		if v.kind <= tuple {
			w.list(v.items, depth)
			return
		}
	}
	fail("%s can't be written as JSON", typeName(v))
}

func jsonScalar(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return fmt.Sprint(v)
	case float64:
		switch {
		case math.IsNaN(v):
			return "NaN"
		case math.IsInf(v, 1):
			return "Infinity"
		case math.IsInf(v, -1):
			return "-Infinity"
		}
	}
	return repr(v)
}

func (w *jsonWriter) newline(depth int) {
	if w.indent != nil {
		w.write("\n")
		for range depth {
			w.write(*w.indent)
		}
	}
}

func (w *jsonWriter) list(items []any, depth int) {
	w.write("[")
	for i, v := range items {
		if i > 0 {
			w.write(w.between)
		}
		w.newline(depth + 1)
		w.value(v, depth+1)
	}
	if len(items) > 0 {
		w.newline(depth)
	}
	w.write("]")
}

func (w *jsonWriter) dict(d *Dict, depth int) {
	pairs := w.run.pairs(d)
	if w.sorted {
		pairs = w.run.sorted(pairs, false, func(pair any) any { return pair.(*List).items[0] }).items
	}
	w.write("{")
	for i, pair := range pairs {
		key, value := pair.(*List).items[0], pair.(*List).items[1]
		if i > 0 {
			w.write(w.between)
		}
		w.newline(depth + 1)
		switch key := unmarked(key).(type) {
		case string:
			w.text(key)
		case nil, bool, int64, float64:
			w.text(jsonScalar(key))
		default:
			fail("%s can't be a key in JSON", typeName(key))
		}
		w.write(w.colon)
		w.value(value, depth+1)
	}
	if len(pairs) > 0 {
		w.newline(depth)
	}
	w.write("}")
}

func (w *jsonWriter) text(s string) {
	w.run.spend(2 * len(s))
	w.out.WriteByte('"')
	for _, c := range s {
		switch at := strings.IndexRune("\"\\\n\r\t\b\f", c); {
		case at >= 0:
			w.out.WriteByte('\\')
			w.out.WriteByte(`"\nrtbf`[at])
		case c < 0x20 || w.ascii && c > 0x7e && c < 0x10000:
			fmt.Fprintf(&w.out, `\u%04x`, c)
		case w.ascii && c >= 0x10000:
			high, low := utf16.EncodeRune(c)
			fmt.Fprintf(&w.out, `\u%04x\u%04x`, high, low)
		default:
			w.out.WriteRune(c)
		}
	}
	w.out.WriteByte('"')
}

// FromJSON reads a JSON value as a value for [Template.Render]. Objects become a *[Dict], which keeps the
// order of its keys: templates print tools as JSON, and another order would be another prompt.
func FromJSON(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := decodeValue(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
}

func decodeValue(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("JSON is nested deeper than %d", maxDepth)
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Number:
		if n, err := token.Int64(); err == nil {
			return n, nil
		}
		return token.Float64()
	case json.Delim:
		var parts []any // of an object: keys and values in turn
		for d.More() {
			v, err := decodeValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			parts = append(parts, v)
		}
		if _, err := d.Token(); err != nil {
			return nil, err
		}
		if token == '{' {
			return NewDict(parts...), nil
		}
		return NewList(parts...), nil
	}
	return token, nil
}
