package jinja

import "unicode"

// test is "value is name(arguments)".
func (r *run) test(name string, v any, a *arguments) bool {
	if operator := testOperator(name); operator != "" {
		return r.compare(operator, v, a.bind(1, "other")[0])
	}
	switch name {
	case "divisibleby":
		return r.equal(r.arithmetic("%", v, a.bind(1, "num")[0]), int64(0))
	case "sameas":
		return same(v, a.bind(1, "other")[0])
	}
	a.bind(0)
	switch name {
	case "odd":
		return r.equal(r.arithmetic("%", v, int64(2)), int64(1))
	case "even":
		return r.equal(r.arithmetic("%", v, int64(2)), int64(0))
	case "lower":
		return cased(unicode.IsLower, unicode.IsUpper)(r, r.text(v), a).(bool)
	case "upper":
		return cased(unicode.IsUpper, unicode.IsLower)(r, r.text(v), a).(bool)
	case "filter":
		return filterNamed(r.text(v)) != nil
	}
	is, known := hasType(name, v)
	if !known {
		fail("there is no test '%s'", name)
	}
	return is
}

func testOperator(name string) string {
	switch name {
	case "equalto", "eq", "==":
		return "=="
	case "ne", "!=":
		return "!="
	case "lt", "lessthan", "<":
		return "<"
	case "le", "<=":
		return "<="
	case "gt", "greaterthan", ">":
		return ">"
	case "ge", ">=":
		return ">="
	case "in":
		return "in"
	}
	return ""
}

// hasType answers the tests that ask what kind of value it is.
func hasType(name string, v any) (is, known bool) {
	switch name {
	case "defined":
		_, is = v.(undefined)
		is = !is
	case "undefined":
		_, is = v.(undefined)
	case "none":
		is = v == nil
	case "string":
		_, is = unmarked(v).(string)
	case "escaped":
		_, is = v.(markup)
	case "mapping":
		_, is = v.(*Dict)
	case "boolean":
		_, is = v.(bool)
	case "true":
		is = v == true
	case "false":
		is = v == false
	case "integer":
		_, is = v.(int64)
	case "float":
		_, is = v.(float64)
	case "number":
		_, is = number(v)
	case "iterable", "sequence":
		switch v := v.(type) {
		case string, markup, *Dict, undefined:
			is = true
		case *List:
			is = name == "iterable" || v.kind <= rangeList
		}
	case "callable":
		switch v.(type) {
		case *function, *method, *macro:
			is = true
		}
	default:
		return false, false
	}
	return is, true
}

// same is Python's is, as far as it can be known: small values have no identity that one could rely on.
func same(a, b any) bool {
	if list, isList := a.(*List); isList {
		other, _ := b.(*List)
		return list == other
	}
	return a == b
}
