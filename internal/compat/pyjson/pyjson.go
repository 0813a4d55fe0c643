// Package pyjson writes JSON and numbers as Python does, since vLLM's files are
// compared with ours byte for byte: ", " and ": " between, ASCII only, floats by their
// repr, keys in the order in which they were set.
package pyjson

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/ordered"
)

// List is an array that is made while it is written, so it may be of any length.
type List struct {
	N    int
	Item func(i int) any
}

// Literal is written as it is.
type Literal string

// Write writes a value on one line, as json.dump does.
func Write(w io.Writer, v any) error { return write(w, v, "") }

// WriteIndent writes a value as json.dump with indent does.
func WriteIndent(w io.Writer, v any, spaces int) error {
	return write(w, v, strings.Repeat(" ", spaces))
}

// Text is json.dumps of a value.
func Text(v any) string {
	var b strings.Builder
	_ = Write(&b, v) // to memory
	return b.String()
}

func write(w io.Writer, v any, step string) error {
	b, ok := w.(*bufio.Writer)
	if !ok {
		b = bufio.NewWriterSize(w, 1<<16)
	}
	e := encoder{w: b, step: step}
	line := ""
	if step != "" {
		line = "\n"
	}
	e.value(v, line)
	return b.Flush()
}

// encoder writes as it goes. Write errors stay in the bufio.Writer until its Flush.
type encoder struct {
	w    *bufio.Writer
	step string // one more level of indentation; empty: all on one line
}

// value writes v. line begins a new line at the present depth; empty: all stands on one.
func (e *encoder) value(v any, line string) {
	switch v := v.(type) {
	case nil:
		e.w.WriteString("null")
	case Literal:
		e.w.WriteString(string(v))
	case json.Number:
		if text := number(v); text != "inf" && text != "-inf" {
			v = json.Number(text)
		}
		e.w.WriteString(string(v)) // JSON has no word for what is too large, so that its digits stay
	case ordered.Object:
		e.many('{', '}', len(v), line, func(i int, inner string) {
			e.key(v[i].Key)
			e.value(v[i].Value, inner)
		})
	case List:
		e.array(v.N, v.Item, line)
	case []float64: // the long ones: no reflection for each value
		e.many('[', ']', len(v), line, func(i int, _ string) { e.float(v[i]) })
	case float64:
		e.float(v)
	case string:
		e.text(v)
	default:
		e.reflect(reflect.ValueOf(v), line)
	}
}

// reflect writes what has no case of its own: structs by their json tags, slices, pointers, integers.
func (e *encoder) reflect(v reflect.Value, line string) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			e.value(nil, line)
			return
		}
		e.value(v.Elem().Interface(), line)
	case reflect.Struct:
		e.structure(v, line)
	case reflect.Slice, reflect.Array:
		e.array(v.Len(), func(i int) any { return v.Index(i).Interface() }, line)
	case reflect.String:
		e.text(v.String())
	case reflect.Float64:
		e.float(v.Float())
	case reflect.Bool:
		e.w.WriteString(strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.w.WriteString(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		e.w.WriteString(strconv.FormatUint(v.Uint(), 10))
	default:
		panic("pyjson: a value of type " + v.Type().String() + " has no JSON here")
	}
}

func (e *encoder) structure(v reflect.Value, line string) {
	names, fields := members(v)
	e.many('{', '}', len(fields), line, func(i int, inner string) {
		e.key(names[i])
		e.value(fields[i].Interface(), inner)
	})
}

// members are the fields of a struct that are written. Those of one that is embedded
// without a name are its own, as in encoding/json.
func members(v reflect.Value) (names []string, fields []reflect.Value) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, opts, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" && field.Anonymous && field.Type.Kind() == reflect.Struct {
			inner, values := members(v.Field(i))
			names, fields = append(names, inner...), append(fields, values...)
			continue
		}
		if name == "" || name == "-" || (opts == "omitempty" && v.Field(i).IsZero()) {
			continue
		}
		names, fields = append(names, name), append(fields, v.Field(i))
	}
	return names, fields
}

func (e *encoder) array(n int, item func(i int) any, line string) {
	e.many('[', ']', n, line, func(i int, inner string) { e.value(item(i), inner) })
}

// many writes n items between brackets, each on a line of its own where there are lines.
func (e *encoder) many(open, shut byte, n int, line string, item func(i int, inner string)) {
	e.w.WriteByte(open)
	between, inner := ", ", ""
	if line != "" {
		between, inner = ",", line+e.step
	}
	for i := range n {
		if i > 0 {
			e.w.WriteString(between)
		}
		e.w.WriteString(inner)
		item(i, inner)
	}
	if n > 0 {
		e.w.WriteString(line)
	}
	e.w.WriteByte(shut)
}

func (e *encoder) key(name string) {
	e.text(name)
	e.w.WriteString(": ")
}

// float writes a number; what is not finite is null, since JSON has no word for it.
func (e *encoder) float(f float64) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		e.w.WriteString("null")
		return
	}
	e.w.Write(appendFloat(e.w.AvailableBuffer(), f))
}

// Strict replaces what Python writes and JSON doesn't have, Infinity and NaN, by
// null. What is JSON stays as it is.
func Strict(b []byte) []byte {
	if !bytes.Contains(b, []byte("NaN")) && !bytes.Contains(b, []byte("Infinity")) {
		return b
	}
	out := make([]byte, 0, len(b))
	for inString := false; len(b) > 0; {
		n := 1
		switch {
		case inString && b[0] == '\\' && len(b) > 1:
			n = 2
		case b[0] == '"':
			inString = !inString
		case !inString:
			if word := notJSON(b); word > 0 {
				out, b = append(out, "null"...), b[word:]
				continue
			}
		}
		out, b = append(out, b[:n]...), b[n:]
	}
	return out
}

// notJSON is the length of the word at the start of b that is no JSON.
func notJSON(b []byte) int {
	for _, word := range []string{"Infinity", "-Infinity", "NaN"} {
		if bytes.HasPrefix(b, []byte(word)) {
			return len(word)
		}
	}
	return 0
}
