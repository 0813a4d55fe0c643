package jinja

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
