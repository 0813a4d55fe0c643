package report

import (
	"bufio"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// encoder writes JSON as Python's json.dump does: ", " and ": " between, ASCII
// only, floats by their repr. It writes as it goes, so an array may be of any length.
// Write errors stay in the bufio.Writer until its Flush.
type encoder struct{ w *bufio.Writer }

// object is a JSON object whose keys have an order, as a Python dict has.
type object []member

type member struct {
	key   string
	value any
}

// set gives a key its value. A key that is there keeps its place, as in Python.
func (o *object) set(key string, value any) {
	for i := range *o {
		if (*o)[i].key == key {
			(*o)[i].value = value
			return
		}
	}
	*o = append(*o, member{key, value})
}

// remove takes a key out, wherever it is.
func (o *object) remove(key string) {
	for i := range *o {
		if (*o)[i].key == key {
			*o = append((*o)[:i], (*o)[i+1:]...)
			return
		}
	}
}

// list is a JSON array that is made while it is written.
type list struct {
	n    int
	item func(i int) any
}

// literal is written as it is.
type literal string

func (e *encoder) value(v any) {
	switch v := v.(type) {
	case nil:
		e.w.WriteString("null")
	case literal:
		e.w.WriteString(string(v))
	case object:
		e.w.WriteByte('{')
		for i, m := range v {
			e.key(i, m.key)
			e.value(m.value)
		}
		e.w.WriteByte('}')
	case list:
		e.array(v.n, v.item)
	case []float64: // the long ones: no reflection for each value
		e.w.WriteByte('[')
		for i, f := range v {
			if i > 0 {
				e.w.WriteString(", ")
			}
			e.float(f)
		}
		e.w.WriteByte(']')
	case float64:
		e.float(v)
	case string:
		e.string(v)
	default:
		e.reflect(reflect.ValueOf(v))
	}
}

// reflect writes what has no case of its own: structs by their json tags, slices, pointers, integers.
func (e *encoder) reflect(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			e.value(nil)
			return
		}
		e.value(v.Elem().Interface())
	case reflect.Struct:
		e.structure(v)
	case reflect.Slice, reflect.Array:
		e.array(v.Len(), func(i int) any { return v.Index(i).Interface() })
	case reflect.String:
		e.string(v.String())
	case reflect.Float64:
		e.float(v.Float())
	case reflect.Bool:
		e.w.WriteString(strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.w.WriteString(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		e.w.WriteString(strconv.FormatUint(v.Uint(), 10))
	default:
		panic("report: a value of type " + v.Type().String() + " has no JSON here")
	}
}

func (e *encoder) structure(v reflect.Value) {
	e.w.WriteByte('{')
	n := 0
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag.Get("json")
		name, opts, _ := strings.Cut(tag, ",")
		if name == "" || name == "-" || (opts == "omitempty" && v.Field(i).IsZero()) {
			continue
		}
		e.key(n, name)
		e.value(v.Field(i).Interface())
		n++
	}
	e.w.WriteByte('}')
}

func (e *encoder) array(n int, item func(i int) any) {
	e.w.WriteByte('[')
	for i := range n {
		if i > 0 {
			e.w.WriteString(", ")
		}
		e.value(item(i))
	}
	e.w.WriteByte(']')
}

func (e *encoder) key(i int, name string) {
	if i > 0 {
		e.w.WriteString(", ")
	}
	e.string(name)
	e.w.WriteString(": ")
}

// float writes a number; what is not finite is null, since JSON has no word for it.
func (e *encoder) float(f float64) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		e.w.WriteString("null")
		return
	}
	e.w.Write(appendPyFloat(e.w.AvailableBuffer(), f))
}

// PyFloat is a float as Python's repr prints it: 10.0, 0.1, 1e-05, 1e+16, inf.
func PyFloat(f float64) string { return string(appendPyFloat(nil, f)) }

func appendPyFloat(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, "nan"...)
	case math.IsInf(f, 1):
		return append(b, "inf"...)
	case math.IsInf(f, -1):
		return append(b, "-inf"...)
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.AppendFloat(b, f, 'e', -1, 64)
	}
	n := len(b)
	b = strconv.AppendFloat(b, f, 'f', -1, 64)
	for _, c := range b[n:] {
		if c == '.' {
			return b
		}
	}
	return append(b, ".0"...)
}

// string writes a string in ASCII. Bytes that are no UTF-8 become U+FFFD.
func (e *encoder) string(s string) {
	w := e.w
	w.WriteByte('"')
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			i++
			e.ascii(c)
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if r > 0xFFFF {
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(w, `\u%04x\u%04x`, hi, lo)
			continue
		}
		fmt.Fprintf(w, `\u%04x`, r)
	}
	w.WriteByte('"')
}

func (e *encoder) ascii(c byte) {
	switch {
	case c == '"' || c == '\\':
		e.w.WriteByte('\\')
		e.w.WriteByte(c)
	case c >= ' ':
		e.w.WriteByte(c) // 0x7f too: Python leaves it
	default:
		if i := strings.IndexByte("\b\f\n\r\t", c); i >= 0 {
			e.w.WriteByte('\\')
			e.w.WriteByte("bfnrt"[i])
			return
		}
		fmt.Fprintf(e.w, `\u%04x`, c)
	}
}
