package page

import (
	"math"
	"strconv"
	"strings"
)

// number writes a value for people: three digits or so, thousands apart.
func number(v float64) string {
	digits := 0
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case a == 0 || a == math.Trunc(a):
	case a < 0.9995:
		digits = 3
	case a < 9.995:
		digits = 2
	case a < 99.95:
		digits = 1
	}
	text := strconv.FormatFloat(v, 'f', digits, 64)
	whole, rest, _ := strings.Cut(text, ".")
	if rest != "" {
		rest = "." + rest
	}
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return whole + rest
}

func count(n int) string { return number(float64(n)) }
