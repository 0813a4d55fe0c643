package jinja

import (
	"math"
	"math/bits"
	"strings"
)

// arithmetic is a binary operator of numbers, strings and lists.
func (r *run) arithmetic(operator string, left, right any) any {
	for _, v := range [2]any{left, right} {
		if u, isUndefined := v.(undefined); isUndefined {
			fail("%s", u.why)
		}
	}
	if operator == "%" {
		switch format := left.(type) {
		case string:
			return r.percent(format, right)
		case markup:
			return markup(r.percent(string(format), r.escapedValues(right)))
		}
	}
	switch operator {
	case "+":
		if v, ok := r.addMarkup(left, right); ok {
			return v
		}
		if v, ok := r.joined(left, right); ok {
			return v
		}
	case "*":
		if v, ok := r.repeated(left, right); ok {
			return v
		}
		if v, ok := r.repeated(right, left); ok {
			return v
		}
	}
	a, isInt := integer(left)
	b, isInt2 := integer(right)
	if isInt && isInt2 {
		return integerArithmetic(operator, a, b)
	}
	x, isNumber := number(left)
	y, isNumber2 := number(right)
	if !isNumber || !isNumber2 {
		fail("%s %s %s is not possible", typeName(left), operator, typeName(right))
	}
	return floatArithmetic(operator, x, y)
}

func integer(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case bool:
		return toInt(v), true
	}
	return 0, false
}

func number(v any) (float64, bool) {
	if x, isFloat := v.(float64); isFloat {
		return x, true
	}
	n, isInt := integer(v)
	return float64(n), isInt
}

func (r *run) joined(left, right any) (any, bool) {
	switch a := left.(type) {
	case string:
		if b, same := right.(string); same {
			r.spend(len(a) + len(b))
			return a + b, true
		}
	case *List:
		if b, isList := right.(*List); isList && a.kind == b.kind && a.kind <= tuple {
			r.spend(itemCost * (len(a.items) + len(b.items)))
			return &List{kind: a.kind, items: append(append([]any{}, a.items...), b.items...)}, true
		}
	}
	return nil, false
}

func (r *run) repeated(of, times any) (any, bool) {
	n, isInt := integer(times)
	if !isInt {
		return nil, false
	}
	count := int(max(0, min(n, budget)))
	switch part := unmarked(of).(type) {
	case string:
		r.spend(len(part) * count)
		return remarked(of, strings.Repeat(part, count)), true
	case *List:
		if part.kind <= tuple {
			r.spend(itemCost * len(part.items) * count)
			items := make([]any, 0, len(part.items)*count)
			for range count {
				if len(part.items) == 0 {
					break
				}
				items = append(items, part.items...)
			}
			return &List{kind: part.kind, items: items}, true
		}
	}
	return nil, false
}

// integerArithmetic fails where Python would go on with more than 64 bits.
func integerArithmetic(operator string, a, b int64) any {
	if b == 0 && (operator == "/" || operator == "//" || operator == "%") {
		fail("division by zero")
	}
	switch operator {
	case "+":
		if c := a + b; (c > a) == (b > 0) {
			return c
		}
	case "-":
		if c := a - b; (c < a) == (b > 0) {
			return c
		}
	case "*":
		if c, fits := multiply(a, b); fits {
			return c
		}
	case "/":
		return float64(a) / float64(b)
	case "//", "%":
		if b == -1 { // the one quotient that may not fit
			if operator == "%" {
				return int64(0)
			}
			return integerArithmetic("-", 0, a)
		}
		quotient, rest := a/b, a%b
		if rest != 0 && (rest < 0) != (b < 0) { // Python rounds down
			quotient, rest = quotient-1, rest+b
		}
		if operator == "%" {
			return rest
		}
		return quotient
	case "**":
		if b < 0 {
			return floatArithmetic("**", float64(a), float64(b))
		}
		return power(a, b)
	}
	fail("an integer is too large")
	return nil
}

func multiply(a, b int64) (int64, bool) {
	high, low := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	c := a * b
	if a == math.MinInt64 || b == math.MinInt64 {
		return c, a == 0 || b == 0 || a == 1 || b == 1
	}
	return c, high == 0 && low <= math.MaxInt64
}

func power(a, b int64) any {
	if a == 0 || a == 1 || a == -1 {
		b = min(b, 2-b%2) // the same by parity, and 0 stays 0
	}
	result, fits := int64(1), true
	for range b {
		if result, fits = multiply(result, a); !fits {
			fail("an integer is too large")
		}
	}
	return result
}

func floatArithmetic(operator string, x, y float64) any {
	switch operator {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "**":
		if x == 0 && y < 0 {
			fail("division by zero")
		}
		if x < 0 && y != math.Trunc(y) {
			fail("complex numbers are not known")
		}
		return math.Pow(x, y)
	}
	if y == 0 {
		fail("division by zero")
	}
	if operator == "/" {
		return x / y
	}
	rest := math.Mod(x, y)
	if rest != 0 && (rest < 0) != (y < 0) {
		rest += y
	}
	if operator == "%" {
		return rest
	}
	return math.Floor((x-rest)/y + 0.5) // //: x-rest is a multiple of y but for rounding
}
