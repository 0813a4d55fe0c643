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
		return undefined{why: "there are no items"}
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
	if _, isText := unmarked(v).(string); !isText {
		return newGenerator(items)
	}
	var b strings.Builder
	for _, c := range items {
		b.WriteString(c.(string))
	}
	return remarked(v, b.String())
}

func itemsFilter(r *run, v any, a *arguments) any {
	a.bind(0)
	switch v := v.(type) {
	case undefined:
		r.used(v)
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
	s, isText := unmarked(v).(string)
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
		var best any = undefined{why: "there are no items"}
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

// sortFilter sorts by the items or by attributes of them, with commas between several.
func sortFilter(r *run, v any, a *arguments) any {
	args := a.bind(0, "reverse", "case_sensitive", "attribute")
	getters := []func(any) any{r.getter(nil)}
	if names, isText := unmarked(args[2]).(string); isText {
		getters = nil
		for _, name := range strings.Split(names, ",") {
			getters = append(getters, r.getter(name))
		}
	} else {
		getters[0] = r.getter(args[2])
	}
	return r.sorted(r.iterate(v), given(r, args[0]), func(one any) any {
		keys := make([]any, len(getters))
		for i, get := range getters {
			keys[i] = r.folded(get(one), args[1])
		}
		return newTuple(keys)
	})
}

func given(r *run, v any) bool { return v != (absent{}) && r.truth(v) }

// sorted keeps the order of equal items, also in reverse.
func (r *run) sorted(items []any, reverse bool, key func(any) any) *List {
	type keyed struct{ key, value any }
	r.spend(4 * itemCost * len(items))
	all := make([]keyed, len(items))
	for i, v := range items {
		all[i] = keyed{key(v), v}
	}
	slices.SortStableFunc(all, func(x, y keyed) int {
		if reverse {
			return r.order(y.key, x.key)
		}
		return r.order(x.key, y.key)
	})
	result := make([]any, len(items))
	for i := range all {
		result[i] = all[i].value
	}
	return &List{items: result}
}

func dictsortFilter(r *run, v any, a *arguments) any {
	args := a.bind(0, "case_sensitive", "by", "reverse")
	d, isDict := v.(*Dict)
	if !isDict {
		fail("dictsort needs a dict, not %s", typeName(v))
	}
	at := 0
	switch by := unmarked(args[1]); by {
	case absent{}, "key":
	case "value":
		at = 1
	default:
		fail("dictsort sorts by key or value")
	}
	return r.sorted(r.pairs(d), given(r, args[2]), func(pair any) any {
		return r.folded(pair.(*List).items[at], args[0])
	})
}

// mapFilter gives an attribute of each item, or what a filter makes of it.
func mapFilter(r *run, v any, a *arguments) any {
	if !r.truth(v) {
		return newGenerator(nil) // also for None, which can't be gone through
	}
	var each func(any) any
	if len(a.values) == 0 {
		args := a.bind(1, "attribute", "default")
		get := r.getter(args[0])
		each = func(one any) any {
			got := get(one)
			if _, missing := got.(undefined); missing && args[1] != (absent{}) {
				return args[1]
			}
			return got
		}
	} else {
		name, rest := textArgument(a.values[0]), &arguments{a.values[1:], a.named}
		each = func(one any) any { return r.filter(name, one, rest) }
	}
	items := r.iterate(v)
	r.spend(itemCost * len(items))
	result := make([]any, len(items))
	for i, one := range items {
		result[i] = each(one)
	}
	return newGenerator(result)
}

// selector keeps the items that pass a test (select) or don't (reject), or whose attribute does.
// Without a test, what counts is whether they are true.
func selector(keep, byAttribute bool) filterFunction {
	return func(r *run, v any, a *arguments) any {
		if !r.truth(v) {
			return newGenerator(nil)
		}
		values, get := a.values, r.getter(nil)
		if byAttribute {
			if len(values) == 0 {
				fail("the name of an attribute is missing")
			}
			get, values = r.getter(values[0]), values[1:]
		}
		test := r.truth
		if len(values) > 0 {
			name, rest := textArgument(values[0]), &arguments{values[1:], a.named}
			test = func(one any) bool { return r.test(name, one, rest) }
		}
		var kept []any
		for _, one := range r.iterate(v) {
			r.spend(itemCost)
			if test(get(one)) == keep {
				kept = append(kept, one)
			}
		}
		return newGenerator(kept)
	}
}
