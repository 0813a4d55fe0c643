package jinja

import (
	"slices"
	"strings"
)

// sortFilter sorts by the items or by attributes of them, with commas between several.
func sortFilter(r *run, v any, a *arguments) any {
	args := a.bind(0, "reverse", "case_sensitive", "attribute")
	getters := []func(any) any{r.getter(nil)}
	if names, isText := args[2].(string); isText {
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
	switch by := args[1]; by {
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
