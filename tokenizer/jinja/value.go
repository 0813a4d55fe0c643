package jinja

import (
	"fmt"
	"math"
	"unicode/utf8"
)

// A value of a template is Python's: nil is None, then bool, int64, float64, string and markup, *Dict, *List (which
// is also the tuples, ranges, views and generators), undefined, *namespace, *loop, and what can be called:
// *function, *method, *macro. Templates can't change lists and dicts: transformers' sandbox forbids it.

// undefined is what a name or an attribute has that nobody set. It prints as nothing and is false; using
// it otherwise fails with its reason.
type undefined struct {
	why string
	// lenient: a strict setup forbids nothing. Jinja2 has that of an if without an else.
	lenient bool
}

// namespace is the one thing whose attributes a template can set.
type namespace struct{ fields map[string]any }

// List is a Python list. Inside the package it is also a tuple, range, view or generator.
type List struct {
	kind  listKind
	items []any
	text  string // how a range prints
}

type listKind uint8

const (
	plainList listKind = iota
	tuple
	rangeList
	itemsView
	keysView
	valuesView
	generator // can be gone through once, is always true, has no length and no items by number
)

// NewList returns a list of values of the kinds that Render takes.
func NewList(items ...any) *List {
	l := &List{items: make([]any, len(items))}
	for i, v := range items {
		l.items[i] = fromGo(v)
	}
	return l
}

// Items returns the list's items, as [Template.Render] takes them.
func (l *List) Items() []any { return append([]any(nil), l.items...) }

// IsDicts reports whether the list has items and all of them are dicts, as the messages of a conversation are.
func (l *List) IsDicts() bool {
	for _, v := range l.items {
		if _, isDict := v.(*Dict); !isDict {
			return false
		}
	}
	return len(l.items) > 0
}

func fromGo(v any) any {
	if n, isInt := v.(int); isInt {
		return int64(n)
	}
	return v
}

func newTuple(items []any) *List     { return &List{kind: tuple, items: items} }
func newGenerator(items []any) *List { return &List{kind: generator, items: items} }

// Dict is a Python dict. It keeps the order of its keys.
type Dict struct {
	keys, values []any
	index        map[any]int // by what hash gives for a key
}

// NewDict returns a dict of alternating keys, which are strings, and values:
// NewDict("role", "user", "content", "Hi").
func NewDict(pairs ...any) *Dict {
	d := &Dict{}
	for i := 0; i+1 < len(pairs); i += 2 {
		d.set(pairs[i], pairs[i], fromGo(pairs[i+1]))
	}
	return d
}

// Map returns the entries whose keys are strings, such as the variables of a template that came as JSON.
func (d *Dict) Map() map[string]any {
	m := make(map[string]any, len(d.keys))
	for i, key := range d.keys {
		if name, isText := key.(string); isText {
			m[name] = d.values[i]
		}
	}
	return m
}

func (d *Dict) set(hash, key, value any) {
	if at, found := d.index[hash]; found {
		d.values[at] = value
		return
	}
	if d.index == nil {
		d.index = map[any]int{}
	}
	d.index[hash] = len(d.keys)
	d.keys, d.values = append(d.keys, key), append(d.values, value)
}

func (d *Dict) get(hash any) (any, bool) {
	at, found := d.index[hash]
	if !found {
		return nil, false
	}
	return d.values[at], true
}

func (r *run) dictOf(named []namedValue) *Dict {
	r.spend(4 * itemCost * len(named))
	d := &Dict{}
	for _, n := range named {
		d.set(n.name, n.name, n.value)
	}
	return d
}

type (
	tupleHash     string
	undefinedHash struct{}
)

// hash gives something that is equal in Go for keys that are equal in Python: 1, 1.0 and True are one key.
func (r *run) hash(key any) any {
	switch k := unmarked(key).(type) {
	case nil, string, int64, *namespace, *loop, *function, *method, *macro:
		return k
	case bool:
		return toInt(k)
	case float64:
		if k == math.Trunc(k) && math.Abs(k) < 1<<62 {
			return int64(k)
		}
		return k
	case undefined:
		r.used(k)
		return undefinedHash{}
	case *List:
		if k.kind == tuple {
			r.enter()
			defer r.leave()
			text := ""
			for _, v := range k.items {
				h := r.hash(v)
				r.spend(len(text) + itemCost)
				text += fmt.Sprintf("%T %q,", h, fmt.Sprint(h))
			}
			return tupleHash(text)
		}
	}
	fail("%s can't be the key of a dict", typeName(key))
	return nil
}

func toInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (r *run) truth(v any) bool {
	switch v := unmarked(v).(type) {
	case nil:
		return false
	case undefined:
		r.used(v)
		return false
	case bool:
		return v
	case int64:
		return v != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case *Dict:
		return len(v.keys) > 0
	case *List:
		return v.kind == generator || len(v.items) > 0
	}
	return true
}

// iterate gives the items of something that can be gone through.
func (r *run) iterate(v any) []any {
	switch v := unmarked(v).(type) {
	case *List:
		items := v.items
		if v.kind == generator {
			v.items = nil
		}
		return items
	case *Dict:
		return v.keys
	case string:
		r.spend(itemCost * 2 * len(v))
		items := make([]any, 0, len(v))
		for _, c := range v {
			items = append(items, string(c))
		}
		return items
	case undefined:
		r.used(v)
		return nil
	}
	fail("%s can't be gone through", typeName(v))
	return nil
}

// length is Python's len.
func (r *run) length(v any) (int, bool) {
	switch v := unmarked(v).(type) {
	case string:
		r.spend(len(v))
		return utf8.RuneCountInString(v), true
	case *Dict:
		return len(v.keys), true
	case *List:
		return len(v.items), v.kind != generator
	case undefined:
		r.used(v)
		return 0, true
	}
	return 0, false
}

func typeName(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return "a bool"
	case int64:
		return "an int"
	case float64:
		return "a float"
	case string, markup:
		return "a string"
	case *Dict:
		return "a dict"
	case *List:
		return [...]string{"a list", "a tuple", "a range", "a dict's items", "a dict's keys", "a dict's values", "a generator"}[v.kind]
	case undefined:
		return "something undefined"
	case *namespace:
		return "a namespace"
	case *loop:
		return "a loop"
	case *function, *method, *macro:
		return "a function"
	}
	return fmt.Sprintf("a %T", v)
}
