package sweep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
)

// A value of a JSON file is nil, bool, number, string, []any or Object. vLLM's
// names, flags and tables are what Python prints of such values, so that the order
// of keys and the digits of numbers are kept.

// number is a number by its digits in the file.
type number string

// Object is a JSON object whose keys have an order, as a Python dict has.
type Object []Member

// Member is one key of an object and its value.
type Member struct {
	Key   string
	Value any
}

// Len and Member make it a pyjson.Dict.
func (o Object) Len() int                   { return len(o) }
func (o Object) Member(i int) (string, any) { return o[i].Key, o[i].Value }

// Get gives a key's value.
func (o Object) Get(key string) (any, bool) {
	for i := range o {
		if o[i].Key == key {
			return o[i].Value, true
		}
	}
	return nil, false
}

// Set gives a key its value. A key that is there keeps its place, as in Python.
func (o *Object) Set(key string, value any) {
	for i := range *o {
		if (*o)[i].Key == key {
			(*o)[i].Value = value
			return
		}
	}
	*o = append(*o, Member{key, value})
}

// with is a copy with the members of another one set.
func (o Object) with(more Object) Object {
	out := append(Object(nil), o...)
	for _, m := range more {
		out.Set(m.Key, m.Value)
	}
	return out
}

// maxDepth is far beyond any real file, and keeps a made one from filling the stack.
const maxDepth = 500

// parseJSON reads one value; NaN and Infinity, which Python writes, become null.
func parseJSON(b []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(pyjson.Strict(b)))
	d.UseNumber()
	v, err := readValue(d, maxDepth)
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the JSON ends too early")
	}
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more behind the JSON value")
	}
	return v, nil
}

func readValue(d *json.Decoder, depth int) (any, error) {
	if depth == 0 {
		return nil, fmt.Errorf("the JSON is more than %d levels deep", maxDepth)
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Number:
		return number(t), nil
	case json.Delim:
		if t == '{' {
			return readObject(d, depth)
		}
		return readArray(d, depth)
	}
	return t, nil // nil, bool, string
}

func readObject(d *json.Decoder, depth int) (any, error) {
	o := Object{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		v, err := readValue(d, depth-1)
		if err != nil {
			return nil, err
		}
		o.Set(key.(string), v) // the decoder lets nothing else through
	}
	_, err := d.Token()
	return o, err
}

func readArray(d *json.Decoder, depth int) (any, error) {
	list := []any{}
	for d.More() {
		v, err := readValue(d, depth-1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := d.Token()
	return list, err
}

func (n number) whole() bool { return !strings.ContainsAny(string(n), ".eE") }

// float is the nearest float; what is too large is infinite, as in Python.
func (n number) float() float64 {
	f, _ := strconv.ParseFloat(string(n), 64)
	return f
}

// python is how Python prints the number.
func (n number) python() string {
	switch {
	case n == "-0":
		return "0"
	case n.whole():
		return string(n)
	}
	return pyjson.Float(n.float())
}

// PyJSON is how Python writes the number into a file; JSON has no word for what is
// too large, so that its digits stay.
func (n number) PyJSON() string {
	if math.IsInf(n.float(), 0) {
		return string(n)
	}
	return n.python()
}

// pyJSONFile is Python's json.dump with an indent of 4, as vLLM's files are written.
func pyJSONFile(v any) []byte {
	var b bytes.Buffer
	_ = pyjson.WriteIndent(&b, v, 4) // to memory
	return b.Bytes()
}

// pyStr is Python's str() of a value.
func pyStr(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return pyRepr(v)
}

// pyRepr is Python's repr() of a value.
func pyRepr(v any) string {
	var parts []string
	switch v := v.(type) {
	case bool:
		if v {
			return "True"
		}
		return "False"
	case number:
		return v.python()
	case string:
		return reprString(v)
	case []any:
		for _, e := range v {
			parts = append(parts, pyRepr(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case Object:
		for _, m := range v {
			parts = append(parts, reprString(m.Key)+": "+pyRepr(m.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "None"
}

func reprString(s string) string {
	quote := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	var b strings.Builder
	b.WriteRune(quote)
	for _, r := range s {
		switch {
		case r == quote || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteString(map[rune]string{'\n': `\n`, '\r': `\r`, '\t': `\t`}[r])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xFF:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xFFFF:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteRune(quote)
	return b.String()
}

// pyEqual is Python's == of two values: 1, 1.0 and True are the same.
func pyEqual(a, b any) bool {
	if x, ok := numeric(a); ok {
		y, ok := numeric(b)
		return ok && x == y
	}
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !pyEqual(a[i], b[i]) {
				return false
			}
		}
		return true
	case Object:
		b, ok := b.(Object)
		if !ok || len(a) != len(b) {
			return false
		}
		for _, m := range a {
			if other, ok := b.Get(m.Key); !ok || !pyEqual(m.Value, other) {
				return false
			}
		}
		return true
	case nil:
		return b == nil
	case string:
		other, ok := b.(string)
		return ok && a == other
	}
	return false
}

// numeric is the number that a value is, by Python's rules: True is 1.
func numeric(v any) (float64, bool) {
	switch v := v.(type) {
	case number:
		return v.float(), true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return math.NaN(), false
}
