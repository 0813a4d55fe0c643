package jinja

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// upper is Python's, which knows of the ß what Go does not.
func upper(s string) string { return strings.ToUpper(strings.ReplaceAll(s, "ß", "SS")) }

func capitalize(s string) string {
	c, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToTitle(c)) + strings.ToLower(s[n:])
}

// title is Python's: each letter that follows no letter is large, all others are small.
func title(s string) string {
	within := false
	return strings.Map(func(c rune) rune {
		was := within
		within = unicode.IsLetter(c)
		if was {
			return unicode.ToLower(c)
		}
		return unicode.ToTitle(c)
	}, s)
}

// titleWords is Jinja2's filter, for which a word ends at whitespace, a dash or an opening bracket.
func titleWords(s string) string {
	first := true
	return strings.Map(func(c rune) rune {
		was := first
		if first = isSpace(c) || strings.ContainsRune("-({[<", c); was {
			return unicode.ToUpper(c)
		}
		return unicode.ToLower(c)
	}, s)
}

func swapcase(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsUpper(c) {
			return unicode.ToLower(c)
		}
		return unicode.ToUpper(c)
	}, s)
}

func zfillMethod(r *run, s string, a *arguments) any {
	width := intArgument(a.bind(1, "width")[0], 0)
	sign := ""
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
		sign = s[:1]
	}
	missing := max(0, min(width, budget)-int64(utf8.RuneCountInString(s)))
	r.spend(int(missing))
	return sign + strings.Repeat("0", int(missing)) + s[len(sign):]
}

func justifier(name string) stringFunction {
	return func(r *run, s string, a *arguments) any {
		args := a.bind(1, "width", "fillchar")
		fill := " "
		if args[1] != (absent{}) {
			fill = textArgument(args[1])
		}
		return r.justify(name, s, intArgument(args[0], 0), fill)
	}
}

func (r *run) justify(name, s string, width int64, fill string) string {
	missing := int(max(0, min(width, budget)-int64(utf8.RuneCountInString(s))))
	r.spend(missing * len(fill))
	left := 0
	switch name {
	case "rjust":
		left = missing
	case "center":
		left = missing/2 + missing&int(width)&1 // Python puts the odd one to the left of an odd width
	}
	return strings.Repeat(fill, left) + s + strings.Repeat(fill, missing-left)
}
