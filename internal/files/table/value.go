package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

// Object is a row, or a value with named parts, in the file's order. A value is nil, a
// bool, int64, float64, json.Number, string, []byte, []any or an Object.
type Object []Field

// Field is a named value.
type Field struct {
	Name  string
	Value any
}

// Get is the value of a name; nil where there is none.
func (o Object) Get(name string) any {
	if i := o.index(name); i >= 0 {
		return o[i].Value
	}
	return nil
}

// Has says whether the name is there.
func (o Object) Has(name string) bool { return o.index(name) >= 0 }

// index finds the last one: a name that comes twice has its last value, as in Python.
func (o Object) index(name string) int {
	for i, f := range slices.Backward(o) {
		if f.Name == name {
			return i
		}
	}
	return -1
}

// Names are the names in order.
func (o Object) Names() []string {
	names := make([]string, len(o))
	for i, f := range o {
		names[i] = f.Name
	}
	return names
}

// Text is a value that is a text. Old writers of Parquet do not say that bytes are one.
func Text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []byte:
		return string(v), utf8.Valid(v)
	}
	return "", false
}

// Number is a value that is a number.
func Number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	}
	return 0, false
}

// Bytes is a value that is bytes.
func Bytes(v any) ([]byte, bool) {
	switch v := v.(type) {
	case []byte:
		return v, true
	case string:
		return []byte(v), true
	}
	return nil, false
}

// At follows names and places into a value: At(v, "turns", 0, "content").
func At(v any, path ...any) (any, error) {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			o, ok := v.(Object)
			if !ok || !o.Has(step) {
				return nil, fmt.Errorf("there is no %s", step)
			}
			v = o.Get(step)
		case int:
			list, ok := v.([]any)
			if !ok {
				return nil, fmt.Errorf("what should be a list is none")
			}
			if step >= len(list) {
				return nil, fmt.Errorf("a list has %d elements, not %d", len(list), step+1)
			}
			v = list[step]
		}
	}
	return v, nil
}

var errDeep = errors.New("values lie too deep in values")

var errValues = fmt.Errorf("a row has more than %d values", maxRowValues)

// rowDecoder reads the values of a row of JSON.
type rowDecoder struct {
	*json.Decoder
	values int
}

// decode reads the next value.
func (d *rowDecoder) decode(depth int) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, errDeep
	}
	if d.values++; d.values > maxRowValues {
		return nil, errValues
	}
	switch t {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := d.decode(depth + 1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	case json.Delim('{'):
		o := Object{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := d.decode(depth + 1)
			if err != nil {
				return nil, err
			}
			o = append(o, Field{name.(string), v})
		}
		_, err := d.Token()
		return o, err
	}
	return t, nil
}

// decodeRow reads a text that holds one object. A text alone is a row with the column
// "text", as in Hugging Face's datasets.
func decodeRow(r io.Reader) (Object, error) {
	d := &rowDecoder{Decoder: json.NewDecoder(r)}
	d.UseNumber()
	v, err := d.decode(0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows the object")
	}
	switch v := v.(type) {
	case Object:
		return v, nil
	case string:
		return Object{{"text", v}}, nil
	}
	return nil, fmt.Errorf("it is no object")
}
