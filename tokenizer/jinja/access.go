package jinja

import (
	"strings"
)

// attribute is of.name: a method or a field, else the item of that name.
func (r *run) attribute(of any, name string) any {
	if u, isUndefined := of.(undefined); isUndefined {
		fail("%s", u.why)
	}
	if v, found := field(of, name); found {
		return v
	}
	if d, isDict := of.(*Dict); isDict {
		if v, found := d.get(name); found {
			return v
		}
	}
	return undefined{why: typeName(of) + " has no attribute '" + name + "'"}
}

// field is what Python's getattr finds. Names with an underscore before them are hidden by the sandbox.
func field(of any, name string) (any, bool) {
	if strings.HasPrefix(name, "_") {
		return nil, false
	}
	switch v := of.(type) {
	case *namespace:
		value, found := v.fields[name]
		return value, found
	case *loop:
		value := v.attribute(name)
		_, missing := value.(undefined)
		return value, !missing || name == "previtem" || name == "nextitem"
	case *macro:
		if name == "name" {
			return v.name, true
		}
	case string:
		if f := stringMethod(name); f != nil {
			return &method{name, bindString(v, f)}, true
		}
	case markup:
		if run := markupMethod(v, name); run != nil {
			return &method{name, run}, true
		}
	case *Dict:
		if run := dictMethod(v, name); run != nil {
			return &method{name, run}, true
		}
	case *List:
		if run := listMethod(v, name); run != nil {
			return &method{name, run}, true
		}
	}
	return nil, false
}

// item is of[at]: an item, else the attribute of that name.
func (r *run) item(of, at any) any {
	if u, isUndefined := of.(undefined); isUndefined {
		fail("%s", u.why)
	}
	marked := of
	switch of := unmarked(of).(type) {
	case *Dict:
		if l, isList := at.(*List); isList && l.kind != tuple {
			break // it can't be a key
		}
		if _, isDict := at.(*Dict); isDict {
			break
		}
		if v, found := of.get(r.hash(at)); found {
			return v
		}
	case *List:
		if i, found := position(at, len(of.items)); found && of.kind <= rangeList {
			return of.items[i]
		}
	case string:
		if n, isInt := integer(at); isInt {
			return remarked(marked, r.character(of, n))
		}
	}
	if name, isText := unmarked(at).(string); isText {
		if v, found := field(of, name); found {
			return v
		}
	}
	var b strings.Builder
	r.writeRepr(&b, at)
	return undefined{why: typeName(of) + " has no item " + b.String()}
}

func position(at any, length int) (int, bool) {
	n, isInt := integer(at)
	if n < 0 {
		n += int64(length)
	}
	return int(n), isInt && n >= 0 && n < int64(length)
}

// character gives one of a string's: Python counts them, not bytes.
func (r *run) character(s string, n int64) any {
	r.spend(len(s))
	runes := []rune(s)
	if i, found := position(n, len(runes)); found {
		return string(runes[i])
	}
	return undefined{why: "a string has no such character"}
}

// slice is of[from:to:step].
func (r *run) slice(of any, bounds [3]any) any {
	if u, isUndefined := of.(undefined); isUndefined {
		fail("%s", u.why)
	}
	for _, b := range bounds {
		if u, isUndefined := b.(undefined); isUndefined {
			fail("%s", u.why)
		}
		if _, isInt := integer(b); b != nil && !isInt {
			return undefined{why: "slices need integers"}
		}
	}
	marked := of
	switch of := unmarked(of).(type) {
	case string:
		r.spend(len(of))
		runes := []rune(of)
		var b strings.Builder
		for i := range sliced(len(runes), bounds) {
			b.WriteRune(runes[i])
		}
		return remarked(marked, b.String())
	case *List:
		if of.kind > rangeList {
			break
		}
		r.spend(itemCost * len(of.items))
		part := &List{kind: of.kind, items: []any{}}
		if of.kind == rangeList {
			part.kind = plainList
		}
		for i := range sliced(len(of.items), bounds) {
			part.items = append(part.items, of.items[i])
		}
		return part
	}
	return undefined{why: typeName(of) + " has no slices"}
}

// sliced goes through the positions of a slice of something with n items.
func sliced(n int, bounds [3]any) func(yield func(int) bool) {
	step := int64(1)
	if bounds[2] != nil {
		step, _ = integer(bounds[2])
	}
	if step == 0 {
		fail("the step of a slice can't be 0")
	}
	// A bound beyond the ends stands at the end; which are the ends depends on the direction.
	low, high := int64(0), int64(n)
	if step < 0 {
		low, high = -1, int64(n)-1
	}
	bound := func(b any, otherwise int64) int64 {
		if b == nil {
			return otherwise
		}
		at, _ := integer(b)
		if at < 0 {
			at = max(at, -int64(n)-1) + int64(n)
		}
		return min(max(at, low), high)
	}
	from, to := bound(bounds[0], low), bound(bounds[1], high)
	if step < 0 {
		from, to = bound(bounds[0], high), bound(bounds[1], low)
	}
	step = min(max(step, -int64(n)-1), int64(n)+1) // no further than over the end
	return func(yield func(int) bool) {
		for i := from; step > 0 && i < to || step < 0 && i > to; i += step {
			if !yield(int(i)) {
				return
			}
		}
	}
}

// method is one of a value's, bound to it.
type method struct {
	name string
	call func(r *run, a *arguments) any
}

// forbidden stands for the methods that change a value, which transformers' sandbox does not let templates do.
func forbidden(*run, *arguments) any {
	fail("a template may not change lists and dicts")
	return nil
}

func dictMethod(d *Dict, name string) func(*run, *arguments) any {
	view := func(make func(r *run) *List) func(*run, *arguments) any {
		return func(r *run, a *arguments) any {
			a.bind(0)
			r.spend(itemCost * len(d.keys))
			return make(r)
		}
	}
	switch name {
	case "get":
		return func(r *run, a *arguments) any {
			args := a.bind(1, "key", "default")
			if v, found := d.get(r.hash(args[0])); found {
				return v
			}
			if args[1] == (absent{}) {
				return nil
			}
			return args[1]
		}
	case "items":
		return view(func(r *run) *List { return &List{kind: itemsView, items: r.pairs(d)} })
	case "keys":
		return view(func(*run) *List { return &List{kind: keysView, items: d.keys} })
	case "values":
		return view(func(*run) *List { return &List{kind: valuesView, items: d.values} })
	case "copy":
		return func(*run, *arguments) any { return d }
	case "clear", "pop", "popitem", "setdefault", "update":
		return forbidden
	}
	return nil
}

// pairs gives the keys with their values as tuples.
func (r *run) pairs(d *Dict) []any {
	r.spend(4 * itemCost * len(d.keys))
	pairs := make([]any, len(d.keys))
	for i, key := range d.keys {
		pairs[i] = newTuple([]any{key, d.values[i]})
	}
	return pairs
}

func listMethod(l *List, name string) func(*run, *arguments) any {
	if l.kind > rangeList {
		return nil
	}
	switch name {
	case "index":
		return func(r *run, a *arguments) any {
			for i, v := range l.items {
				if r.equal(v, a.bind(1, "value")[0]) {
					return int64(i)
				}
			}
			fail("the value is not in the list")
			return nil
		}
	case "count":
		return func(r *run, a *arguments) any {
			n := int64(0)
			for _, v := range l.items {
				if r.equal(v, a.bind(1, "value")[0]) {
					n++
				}
			}
			return n
		}
	}
	if l.kind != plainList {
		return nil
	}
	switch name {
	case "copy":
		return func(*run, *arguments) any { return l }
	case "append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort":
		return forbidden
	}
	return nil
}
