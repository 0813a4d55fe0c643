package jinja

import (
	"cmp"
	"strings"
)

func (r *run) compare(operator string, left, right any) bool {
	switch operator {
	case "==":
		return r.equal(left, right)
	case "!=":
		return !r.equal(left, right)
	case "in":
		return r.contains(right, left)
	case "not in":
		return !r.contains(right, left)
	}
	order := r.order(left, right)
	switch operator {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

func (r *run) equal(left, right any) bool {
	r.spend(4)
	left, right = unmarked(left), unmarked(right)
	if u, isUndefined := right.(undefined); isUndefined {
		r.used(u)
	}
	switch a := left.(type) {
	case string:
		b, same := right.(string)
		if same && len(a) == len(b) {
			r.spend(len(a))
		}
		return same && a == b
	case undefined:
		r.used(a)
		_, same := right.(undefined)
		return same
	case *List:
		b, same := right.(*List)
		return same && r.equalLists(a, b)
	case *Dict:
		b, same := right.(*Dict)
		return same && r.equalDicts(a, b)
	case float64:
		y, isNumber := number(right)
		return isNumber && a == y
	case int64, bool:
		if y, isFloat := right.(float64); isFloat {
			x, _ := number(a)
			return x == y
		}
		m, _ := integer(a)
		n, isInt := integer(right)
		return isInt && m == n
	}
	return left == right // None, and things that are equal to themselves only
}

func (r *run) equalLists(a, b *List) bool {
	if a == b {
		return true
	}
	if a.kind != b.kind || len(a.items) != len(b.items) || a.kind == generator || a.kind == valuesView {
		return false
	}
	r.enter()
	defer r.leave()
	for i := range a.items {
		if !r.equal(a.items[i], b.items[i]) {
			return false
		}
	}
	return true
}

func (r *run) equalDicts(a, b *Dict) bool {
	if len(a.keys) != len(b.keys) {
		return false
	}
	r.enter()
	defer r.leave()
	for i, key := range a.keys {
		v, found := b.get(r.hash(key))
		if !found || !r.equal(a.values[i], v) {
			return false
		}
	}
	return true
}

// order is below, at or above 0 as left is smaller than, equal to or larger than right.
func (r *run) order(left, right any) int {
	r.spend(4)
	left, right = unmarked(left), unmarked(right)
	switch a := left.(type) {
	case undefined:
		fail("%s", a.why)
	case string:
		if b, same := right.(string); same {
			r.spend(min(len(a), len(b)))
			return strings.Compare(a, b)
		}
	case *List:
		if b, same := right.(*List); same && a.kind == b.kind && a.kind <= tuple {
			return r.orderLists(a.items, b.items)
		}
	default:
		m, isInt := integer(left)
		n, isInt2 := integer(right)
		if isInt && isInt2 {
			return cmp.Compare(m, n)
		}
		x, isNumber := number(left)
		y, isNumber2 := number(right)
		if isNumber && isNumber2 {
			return cmp.Compare(x, y)
		}
	}
	if u, isUndefined := right.(undefined); isUndefined {
		fail("%s", u.why)
	}
	fail("%s and %s have no order", typeName(left), typeName(right))
	return 0
}

func (r *run) orderLists(a, b []any) int {
	r.enter()
	defer r.leave()
	for i := range min(len(a), len(b)) {
		if !r.equal(a[i], b[i]) {
			return r.order(a[i], b[i])
		}
	}
	return cmp.Compare(len(a), len(b))
}

// contains is Python's in.
func (r *run) contains(in, v any) bool {
	switch in := unmarked(in).(type) {
	case string:
		part, isText := unmarked(v).(string)
		if u, isUndefined := v.(undefined); isUndefined {
			fail("%s", u.why)
		}
		if !isText {
			fail("%s can't be in a string", typeName(v))
		}
		r.spend(len(in))
		return strings.Contains(in, part)
	case *Dict:
		_, found := in.get(r.hash(v))
		return found
	case *List, undefined:
		for _, one := range r.iterate(in) {
			if r.equal(one, v) {
				return true
			}
		}
		return false
	}
	fail("%s holds nothing", typeName(in))
	return false
}
