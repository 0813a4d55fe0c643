// Package number turns numbers into text: one text for one value, on every screen and page
// and in every file. A table's column names one of these functions; a sentence calls it.
//
//	Text, Fixed, Millis, Count   numbers of a column, under one another
//	Short, Digits                numbers in a sentence
//	Share, Points, Change        parts of one, as per cent
//	Duration, Clock              seconds
//	Watts, Bytes, Interval, Of   what has a form of its own
//	Exact                        for programs
package number

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// What stands where there is no number: Unknown in a sentence, None in a table's cell,
// and TooFew where values are too few for a percentile.
const (
	Unknown = "unknown"
	None    = "–"
	TooFew  = "n/a"
)

// Fixed has so many digits after the point.
func Fixed(v float64, digits int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return None
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// Text has as many digits as the eye compares: 0.0123, 1.23, 123.4, 12345.
func Text(v float64) string {
	switch a := math.Abs(v); {
	case a >= 1000:
		return Fixed(v, 0)
	case a >= 100:
		return Fixed(v, 1)
	case a >= 1 || a == 0 || a != a:
		return Fixed(v, 2)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// Short has about three digits, and those before the point; a whole number has no point: 0.123, 1.23, 12.3, 123, 12345.
func Short(v float64) string {
	switch a := math.Abs(v); {
	case a >= 1e15 && !math.IsInf(v, 0): // nobody reads its digits
		return strconv.FormatFloat(v, 'g', 3, 64)
	case a == math.Trunc(a), a >= 99.95:
		return Fixed(v, 0)
	case a < 0.9995:
		return Fixed(v, 3)
	case a < 9.995:
		return Fixed(v, 2)
	}
	return Fixed(v, 1)
}

// Digits has four digits that count, whatever the size: prices, energies.
func Digits(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return None
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// Exact is the shortest text that gives the value back; empty: there is none.
func Exact(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Rate is a number per second, or milliseconds of a column: two digits after the point. From
// 100,000 on they mean nothing.
func Rate(v float64) string {
	if math.Abs(v) >= 1e5 {
		return Fixed(v, 0)
	}
	return Fixed(v, 2)
}

// Millis is a latency of a column, in milliseconds.
func Millis(v float64) string { return Rate(v) }

// Count is a whole number.
func Count(v float64) string { return Fixed(v, 0) }

// Accuracy is a share of right answers, with four digits as lm-eval has it.
func Accuracy(v float64) string { return Fixed(v, 4) }

// Points is a share in per cent without the sign, for a column that has it in its head.
func Points(v float64) string { return Fixed(100*v, 1) }

// Share is a part of one: 50.0 %.
func Share(v float64) string { return percent(Points(v)) }

// Signed is a change of a share without the sign of per cent: +5.0.
func Signed(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return None
	}
	return fmt.Sprintf("%+.1f", 100*v)
}

// Change is how much larger something became: +5.0 %.
func Change(v float64) string { return percent(Signed(v)) }

func percent(text string) string {
	if text == None {
		return text
	}
	return text + " %"
}

// Of is a part of a whole: 3 of 12 (25.0 %).
func Of(n, of int) string {
	if of <= 0 {
		return Unknown
	}
	return fmt.Sprintf("%d of %d (%s)", n, of, Share(float64(n)/float64(of)))
}

// Interval is two ends.
func Interval(low, high float64, format func(float64) string) string {
	return "[" + format(low) + ", " + format(high) + "]"
}

// Duration is seconds in words: 0.123 ms, 12.3 ms, 1235 ms, from ten seconds on 12.3 s.
func Duration(seconds float64) string {
	switch {
	case math.IsNaN(seconds) || math.IsInf(seconds, 0):
		return None
	case math.Abs(seconds) >= 10:
		return Short(seconds) + " s"
	}
	return Short(1000*seconds) + " ms"
}

// Clock is seconds as minutes and seconds, or with hours.
func Clock(seconds float64) string {
	d := time.Duration(min(max(seconds, 0), 1e8) * float64(time.Second)).Round(time.Second)
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	if h > 0 {
		return fmt.Sprintf("%d:%02d:%02d", h, m, s)
	}
	return fmt.Sprintf("%d:%02d", m, s)
}

// Watts, also degrees and the like: whole from ten on.
func Watts(v float64) string {
	if math.Abs(v) >= 10 {
		return Fixed(v, 0)
	}
	return Fixed(v, 1)
}

// Bytes is memory: 23.5 GiB, below one 512.0 MiB.
func Bytes(v float64) string {
	if math.Abs(v) < 1<<30 {
		return Fixed(v/(1<<20), 1) + " MiB"
	}
	return Gibibytes(v) + " GiB"
}

// Gibibytes are bytes of a column that has the unit in its head.
func Gibibytes(v float64) string { return Fixed(v/(1<<30), 1) }

// Maybe is a number that may be nil: Unknown then.
func Maybe(v *float64, format func(float64) string) string {
	if v == nil {
		return Unknown
	}
	return format(*v)
}

// Group sets the thousands of a number's text apart, for pages: 1234.5 becomes 1,234.5.
func Group(text string) string {
	whole, rest, found := strings.Cut(text, ".")
	first := strings.TrimLeft(whole, "+-")
	if strings.Trim(first, "0123456789") != "" {
		return text // no number
	}
	sign := len(whole) - len(first)
	for i := len(whole) - 3; i > sign; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if found {
		whole += "." + rest
	}
	return whole
}
