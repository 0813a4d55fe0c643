// Package ordered has JSON objects whose keys keep their order, as those of a Python dict do.
package ordered

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Object is such an object. What is read from JSON is nil, a bool, json.Number, string, []any or Object.
type Object []Member

// Member is a key and its value. It has no name of its own, so that a literal of an Object needs no more than the two.
type Member = struct {
	Key   string
	Value any
}

// index finds the last one: a key that comes twice has its last value, as in Python.
func (o Object) index(key string) int {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].Key == key {
			return i
		}
	}
	return -1
}

// Get returns the value of a key, nil if there is none.
func (o Object) Get(key string) any {
	if i := o.index(key); i >= 0 {
		return o[i].Value
	}
	return nil
}

// Has says whether the key is there.
func (o Object) Has(key string) bool { return o.index(key) >= 0 }

// Keys returns the keys in order.
func (o Object) Keys() []string {
	keys := make([]string, len(o))
	for i, m := range o {
		keys[i] = m.Key
	}
	return keys
}

// Set gives a key its value. A key that is there keeps its place.
func (o *Object) Set(key string, value any) {
	if i := o.index(key); i >= 0 {
		(*o)[i].Value = value
		return
	}
	*o = append(*o, Member{key, value})
}

// Remove takes a key out, wherever it is.
func (o *Object) Remove(key string) {
	if i := o.index(key); i >= 0 {
		*o = slices.Delete(*o, i, i+1)
	}
}

// With returns a copy with the members of another one set.
func (o Object) With(more Object) Object {
	out := slices.Clone(o)
	for _, m := range more {
		out.Set(m.Key, m.Value)
	}
	return out
}

// MarshalJSON writes the keys in their order.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // whoever calls escapes what it wants escaped
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := e.Encode(m.Key); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := e.Encode(m.Value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil // with line ends between, which encoding/json takes out
}
