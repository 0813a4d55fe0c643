package verdict

import (
	"fmt"
	"math"
	"strings"
)

// limits are the threshold of a check: what is above the first is suspect, above
// the second invalid.
type limits struct {
	suspect, invalid float64
	unit             string // "%" for shares, which are 0 to 1
	also             string // a condition beside it
	text             string // instead of numbers, where the check has none
}

// cause is the limit of what by itself makes no number wrong: above it, it is noted.
func cause(above float64, unit, also string) limits {
	return limits{suspect: above, invalid: causeOnly, unit: unit, also: also}
}

// causeOnly is the invalid limit of a cause.
const causeOnly = math.MaxFloat64 / 2

// never is an invalid limit that nothing passes.
const never = math.MaxFloat64

func (l limits) grade(v float64) Level {
	switch {
	case v > l.suspect && l.invalid == causeOnly:
		return Noted
	case v > l.invalid:
		return Invalid
	case v > l.suspect:
		return Suspect
	}
	return OK
}

// String is the threshold as people read it.
func (l limits) String() string {
	if l.text != "" {
		return l.text
	}
	show := func(v float64) string {
		if l.unit == "%" {
			return fmt.Sprintf("%g %%", math.Round(v*1e6)/1e4)
		}
		return strings.TrimSpace(fmt.Sprintf("%g %s", v, l.unit))
	}
	s := "suspect above " + show(l.suspect)
	switch {
	case l.invalid == causeOnly:
		s = "noted above " + show(l.suspect)
	case l.invalid == never && l.also != "":
		return s + " " + l.also + "; never invalid"
	case l.invalid == never:
		return s + "; never invalid"
	default:
		s += ", invalid above " + show(l.invalid)
	}
	switch {
	case l.also == "":
	case strings.HasPrefix(l.also, "of "): // what the last limit is a share of
		s += " " + l.also
	default:
		s += "; " + l.also
	}
	return s
}

// skip is a check that could not be made.
func skip(format string, args ...any) Check {
	return Check{Level: NotChecked, Sentence: fmt.Sprintf(format, args...)}
}

// found is a check with a value, which the limits grade.
func found(l limits, value float64, figure, format string, args ...any) Check {
	return Check{Level: l.grade(value), Value: &value, Figure: figure, Sentence: fmt.Sprintf(format, args...)}
}

// brief gives a check its few words, where it is bad: what is in order has none.
func (k Check) brief(format string, args ...any) Check {
	if k.Level.Bad() {
		k.Brief = fmt.Sprintf(format, args...)
	}
	return k
}

// ms is a duration in nanoseconds for people.
func ms(ns float64) string {
	v := ns / 1e6
	switch a := math.Abs(v); {
	case a >= 100 || a == 0:
		return fmt.Sprintf("%.0f ms", v)
	case a >= 1:
		return fmt.Sprintf("%.1f ms", v)
	}
	return fmt.Sprintf("%.3f ms", v)
}

// percent is a share for people.
func percent(share float64) string {
	v := share * 100
	if a := math.Abs(v); a != 0 && a < 1 {
		return fmt.Sprintf("%.2g %%", v)
	}
	return fmt.Sprintf("%.1f %%", v)
}

// surely grades a share of n single things. Above a limit is what exceeds it by three
// standard errors: one of fifteen is no finding where one of a hundred would be.
func surely(l limits, count, n int64) Level {
	grade := func(limit float64) bool {
		expected := limit * float64(n)
		return limit < 1 && float64(count) > expected+3*math.Sqrt(expected*(1-limit))
	}
	switch {
	case grade(l.invalid):
		return Invalid
	case grade(l.suspect):
		return l.grade(math.Nextafter(l.suspect, 1))
	}
	return OK
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// noted is effect for causes: what it does, where it is worth a note.
func noted(k Check, format string, args ...any) string {
	if k.Level != Noted {
		return ""
	}
	return fmt.Sprintf(format, args...)
}
