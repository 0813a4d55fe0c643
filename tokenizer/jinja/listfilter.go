package jinja

import (
	"slices"
	"strings"
)

// listFilter are those for things with items.
func listFilter(name string) filterFunction {
	switch name {
	case "list":
		return func(r *run, v any, a *arguments) any {
			a.bind(0)
			return &List{items: r.iterate(v)}
		}
	case "first":
		return func(r *run, v any, a *arguments) any {
			a.bind(0)
			return edge(r.iterate(v), true)
		}
	case "last":
		return func(r *run, v any, a *arguments) any {
			a.bind(0)
			return edge(r.iterate(v), false)
		}
	case "join":
		return joinFilter
	case "reverse":
		return reverseFilter
	case "items":
		return itemsFilter
	case "dictsort":
		return dictsortFilter
	case "sort":
		return sortFilter
	case "unique":
		return uniqueFilter
	case "sum":
		return sumFilter
	case "min", "max":
		return extremeFilter(name == "max")
	case "map":
		return mapFilter
	case "select", "reject", "selectattr", "rejectattr":
		return selector(strings.HasPrefix(name, "select"), strings.HasSuffix(name, "attr"))
	case "batch":
		return batchFilter
	}
	return nil
}

func edge(items []any, first bool) any {
	switch {
	case len(items) == 0:
		return undefined{"there are no items"}
	case first:
		return items[0]
	}
	return items[len(items)-1]
}

// getter reads an attribute of each item: "a.b" is the b of its a, and none is the item itself.
func (r *run) getter(attribute any) func(v any) any {
	if attribute == nil || attribute == (absent{}) {
		return func(v any) any { return v }
	}
	var path []any
	if n, isInt := integer(attribute); isInt {
		path = []any{n}
	} else {
		for _, part := range strings.Split(textArgument(attribute), ".") {
			if part != "" && strings.Trim(part, "0123456789") == "" {
				path = append(path, intFilter(r, part, &arguments{}))
			} else {
				path = append(path, part)
			}
		}
	}
	return func(v any) any {
		for _, part := range path {
			r.spend(itemCost)
			v = r.item(v, part)
		}
		return v
	}
}

func joinFilter(r *run, v any, a *arguments) any {
	args := a.bind(0, "d", "attribute")
	between := ""
	if args[0] != (absent{}) {
		between = r.text(args[0])
	}
	get := r.getter(args[1])
	var b strings.Builder
	for i, one := range r.iterate(v) {
		if i > 0 {
			b.WriteString(between)
		}
		text := r.text(get(one))
		r.spend(len(between) + len(text) + itemCost)
		b.WriteString(text)
	}
	return b.String()
}

func reverseFilter(r *run, v any, a *arguments) any {
	a.bind(0)
	items := slices.Clone(r.iterate(v))
	r.spend(itemCost * len(items))
	slices.Reverse(items)
	if _, isText := v.(string); !isText {
		return newGenerator(items)
	}
	var b strings.Builder
	for _, c := range items {
		b.WriteString(c.(string))
	}
	return b.String()
}

func itemsFilter(r *run, v any, a *arguments) any {
	a.bind(0)
	switch v := v.(type) {
	case undefined:
		return newGenerator(nil)
	case *Dict:
		return newGenerator(r.pairs(v))
	}
	fail("items needs a dict, not %s", typeName(v))
	return nil
}

func uniqueFilter(r *run, v any, a *arguments) any {
	args := a.bind(0, "case_sensitive", "attribute")
	get := r.getter(args[1])
	seen := map[any]bool{}
	var kept []any
	for _, one := range r.iterate(v) {
		r.spend(4 * itemCost)
		hash := r.hash(r.folded(get(one), args[0]))
		if !seen[hash] {
			seen[hash] = true
			kept = append(kept, one)
		}
	}
	return newGenerator(kept)
}

// folded makes strings small where case does not matter, which is the default of sort, unique, min and max.
func (r *run) folded(v, caseSensitive any) any {
	s, isText := v.(string)
	if !isText || caseSensitive != (absent{}) && r.truth(caseSensitive) {
		return v
	}
	r.spend(len(s))
	return strings.ToLower(s)
}

func sumFilter(r *run, v any, a *arguments) any {
	args := a.bind(0, "attribute", "start")
	get, total := r.getter(args[0]), args[1]
	if total == (absent{}) {
		total = int64(0)
	}
	for _, one := range r.iterate(v) {
		total = r.arithmetic("+", total, get(one))
	}
	return total
}

func extremeFilter(largest bool) filterFunction {
	return func(r *run, v any, a *arguments) any {
		args := a.bind(0, "case_sensitive", "attribute")
		get := r.getter(args[1])
		var best any = undefined{"there are no items"}
		for i, one := range r.iterate(v) {
			if i == 0 {
				best = one
				continue
			}
			order := r.order(r.folded(get(one), args[0]), r.folded(get(best), args[0]))
			if largest && order > 0 || !largest && order < 0 {
				best = one
			}
		}
		return best
	}
}

func batchFilter(r *run, v any, a *arguments) any {
	args := a.bind(1, "linecount", "fill_with")
	size := int(max(1, min(intArgument(args[0], 1), budget)))
	var rows []any
	for row := range slices.Chunk(r.iterate(v), size) {
		r.spend(4*itemCost + itemCost*len(row))
		row = slices.Clone(row)
		if args[1] != (absent{}) && args[1] != nil && len(row) < size {
			r.spend(itemCost * (size - len(row)))
			row = append(row, slices.Repeat([]any{args[1]}, size-len(row))...)
		}
		rows = append(rows, &List{items: row})
	}
	return newGenerator(rows)
}
