package jinja

import (
	"math"
	"strconv"
	"strings"
)

type filterFunction func(r *run, v any, a *arguments) any

// filter is "value|name(arguments)".
func (r *run) filter(name string, v any, a *arguments) any {
	f := filterNamed(name)
	if f == nil {
		fail("there is no filter '%s'", name)
	}
	return f(r, v, a)
}

// filterNamed gives a filter, or nil. A switch, not a map: it costs nothing when the program starts.
func filterNamed(name string) filterFunction {
	if f := textFilter(name); f != nil {
		return f
	}
	if f := listFilter(name); f != nil {
		return f
	}
	return valueFilter(name)
}

// valueFilter are those for any value and for numbers.
func valueFilter(name string) filterFunction {
	switch name {
	case "default", "d":
		return defaultFilter
	case "length", "count":
		return lengthFilter
	case "abs":
		return absFilter
	case "int":
		return intFilter
	case "float":
		return floatFilter
	case "round":
		return roundFilter
	case "tojson":
		return tojsonFilter
	case "attr":
		return func(r *run, v any, a *arguments) any {
			if found, ok := field(v, textArgument(a.bind(1, "name")[0])); ok {
				return found
			}
			return undefined{why: "no such attribute"}
		}
	}
	return nil
}

func defaultFilter(r *run, v any, a *arguments) any {
	args := a.bind(0, "default_value", "boolean")
	_, isUndefined := v.(undefined)
	if isUndefined || args[1] != (absent{}) && r.truth(args[1]) && !r.truth(v) {
		if args[0] == (absent{}) {
			return ""
		}
		return args[0]
	}
	return v
}

func lengthFilter(r *run, v any, a *arguments) any {
	a.bind(0)
	n, has := r.length(v)
	if !has {
		fail("%s has no length", typeName(v))
	}
	return int64(n)
}

// textFilter are those that make a string of their value first.
func textFilter(name string) filterFunction {
	switch name {
	case "string":
		return onText(func(s string) string { return s })
	case "safe":
		return func(r *run, v any, a *arguments) any {
			a.bind(0)
			return markup(r.text(v))
		}
	case "upper":
		return onText(upper)
	case "lower":
		return onText(strings.ToLower)
	case "title":
		return func(r *run, v any, a *arguments) any { return onText(titleWords)(r, unmarked(v), a) }
	case "capitalize":
		return onText(capitalize)
	case "escape", "e", "forceescape":
		return func(r *run, v any, a *arguments) any {
			a.bind(0)
			if name == "forceescape" {
				v = unmarked(v)
			}
			return markup(r.escaped(v))
		}
	case "trim":
		return func(r *run, v any, a *arguments) any {
			s := r.text(v)
			r.spend(len(s))
			return remarked(v, strip(s, a.bind(0, "chars")[0], true, true))
		}
	case "replace":
		return replaceFilter
	case "indent":
		return indentFilter
	case "format":
		return formatFilter
	case "center":
		return func(r *run, v any, a *arguments) any {
			return remarked(v, r.justify("center", r.text(v), intArgument(a.bind(0, "width")[0], 80), " "))
		}
	case "wordcount":
		return wordcountFilter
	}
	return nil
}

func onText(f func(string) string) filterFunction {
	return func(r *run, v any, a *arguments) any {
		a.bind(0)
		s := r.text(v)
		r.spend(2 * len(s))
		return remarked(v, f(s))
	}
}

func replaceFilter(r *run, v any, a *arguments) any {
	args := a.bind(2, "old", "new", "count")
	count := int64(-1)
	if args[2] != nil {
		count = intArgument(args[2], -1)
	}
	return r.replace(r.text(v), r.text(args[0]), r.text(args[1]), count)
}

// indentFilter puts spaces before each line but the first, and not before empty ones.
func indentFilter(r *run, v any, a *arguments) any {
	args := a.bind(0, "width", "first", "blank")
	given := func(i int) bool { return args[i] != (absent{}) && r.truth(args[i]) }
	margin, isText := unmarked(args[0]).(string)
	if !isText {
		width := max(0, min(intArgument(args[0], 4), budget))
		r.spend(int(width))
		margin = strings.Repeat(" ", int(width))
	}
	var b strings.Builder
	for i, line := range splitLines(r.text(v)+"\n", false) {
		if i > 0 {
			b.WriteByte('\n')
		}
		if i == 0 && given(1) || i > 0 && (line != "" || given(2)) {
			r.spend(len(margin))
			b.WriteString(margin)
		}
		r.spend(len(line) + itemCost)
		b.WriteString(line)
	}
	return remarked(v, b.String())
}

// wordcountFilter counts runs of letters, digits and underscores.
func wordcountFilter(r *run, v any, a *arguments) any {
	a.bind(0)
	s := r.text(v)
	r.spend(itemCost * len(s))
	return int64(len(strings.FieldsFunc(s, func(c rune) bool { return nameLength(string(c)) == 0 })))
}

func absFilter(r *run, v any, a *arguments) any {
	a.bind(0)
	if x, isFloat := v.(float64); isFloat {
		return math.Abs(x)
	}
	if n, isInt := integer(v); isInt && n >= 0 {
		return n
	}
	return r.arithmetic("-", int64(0), v)
}

// intFilter gives the default for what is no number.
func intFilter(r *run, v any, a *arguments) any {
	args := a.bind(0, "default", "base")
	otherwise := args[0]
	if otherwise == (absent{}) {
		otherwise = int64(0)
	}
	switch v := unmarked(v).(type) {
	case undefined:
		fail("%s", v.why)
	case int64, bool:
		n, _ := integer(v)
		return n
	case float64:
		return truncated(v, otherwise)
	case string:
		base := intArgument(args[1], 10)
		if base != 0 && (base < 2 || base > 36) {
			return otherwise
		}
		text := strip(v, nil, true, true)
		if n, err := strconv.ParseInt(withoutPrefix(text, base), int(base), 64); err == nil {
			return n
		}
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			return truncated(x, otherwise)
		}
	}
	return otherwise
}

// withoutPrefix takes 0x, 0o and 0b off where the base says so already: Python allows both ways.
func withoutPrefix(s string, base int64) string {
	prefix := map[int64]string{2: "0b", 8: "0o", 16: "0x"}[base]
	if prefix != "" && strings.HasPrefix(strings.ToLower(s), prefix) {
		return s[2:]
	}
	return s
}

func truncated(x float64, otherwise any) any {
	if math.IsNaN(x) || math.Abs(x) >= 1<<63 {
		return otherwise
	}
	return int64(x)
}

func floatFilter(r *run, v any, a *arguments) any {
	otherwise := a.bind(0, "default")[0]
	if otherwise == (absent{}) {
		otherwise = 0.0
	}
	switch v := unmarked(v).(type) {
	case undefined:
		fail("%s", v.why)
	case string:
		if x, err := strconv.ParseFloat(strip(v, nil, true, true), 64); err == nil {
			return x
		}
		return otherwise
	}
	if x, isNumber := number(v); isNumber {
		return x
	}
	return otherwise
}

// roundFilter rounds halves to even, as Python does, by way of the exact decimal digits.
func roundFilter(r *run, v any, a *arguments) any {
	args := a.bind(0, "precision", "method")
	precision := max(-400, min(intArgument(args[0], 0), 400))
	method := "common"
	if args[1] != (absent{}) {
		method = textArgument(args[1])
	}
	x, isNumber := number(v)
	if !isNumber {
		fail("%s can't be rounded", typeName(v))
	}
	scale := math.Pow(10, float64(precision))
	switch method {
	case "ceil":
		return math.Ceil(x*scale) / scale
	case "floor":
		return math.Floor(x*scale) / scale
	case "common":
	default:
		fail("the method of round must be common, ceil or floor")
	}
	if n, isInt := integer(v); isInt && precision >= 0 {
		return n
	} else if isInt {
		return int64(math.RoundToEven(x*scale) / scale)
	}
	if precision < 0 {
		return math.RoundToEven(x*scale) / scale
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'f', int(precision), 64), 64)
	return rounded
}
