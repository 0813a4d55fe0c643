package jinja

import (
	"math"
	"strconv"
	"strings"
)

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
	switch v := v.(type) {
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
	switch v := v.(type) {
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
