package jinja

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type stringFunction func(r *run, s string, a *arguments) any

func bindString(s string, f stringFunction) func(*run, *arguments) any {
	return func(r *run, a *arguments) any {
		r.spend(len(s) + 1)
		return f(r, s, a)
	}
}

// stringMethod gives Python's method of that name, or nil. A switch, not a map: it costs nothing when the
// program starts.
func stringMethod(name string) stringFunction {
	switch name {
	case "strip":
		return stripper(true, true)
	case "lstrip":
		return stripper(true, false)
	case "rstrip":
		return stripper(false, true)
	case "split":
		return func(r *run, s string, a *arguments) any { return r.split(s, a, false) }
	case "rsplit":
		return func(r *run, s string, a *arguments) any { return r.split(s, a, true) }
	case "splitlines":
		return splitlinesMethod
	case "startswith":
		return affix(strings.HasPrefix)
	case "endswith":
		return affix(strings.HasSuffix)
	case "replace":
		return replaceMethod
	case "upper":
		return plain(upper)
	case "lower":
		return plain(strings.ToLower)
	case "title":
		return plain(title)
	case "capitalize":
		return plain(capitalize)
	case "swapcase":
		return plain(swapcase)
	case "join":
		return joinMethod
	case "find":
		return finder(strings.Index, false)
	case "rfind":
		return finder(strings.LastIndex, false)
	case "index":
		return finder(strings.Index, true)
	case "count":
		return countMethod
	case "removeprefix":
		return affixCutter(strings.TrimPrefix)
	case "removesuffix":
		return affixCutter(strings.TrimSuffix)
	case "partition":
		return partitioner(false)
	case "rpartition":
		return partitioner(true)
	case "format":
		return formatMethod
	case "zfill":
		return zfillMethod
	case "ljust", "rjust", "center":
		return justifier(name)
	case "isdigit", "isnumeric", "isdecimal":
		return every(unicode.IsDigit)
	case "isalpha":
		return every(unicode.IsLetter)
	case "isalnum":
		return every(func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) })
	case "isspace":
		return every(isSpace)
	case "isupper":
		return cased(unicode.IsUpper, unicode.IsLower)
	case "islower":
		return cased(unicode.IsLower, unicode.IsUpper)
	}
	return nil
}

func plain(f func(string) string) stringFunction {
	return func(_ *run, s string, a *arguments) any {
		a.bind(0)
		return f(s)
	}
}

func stripper(left, right bool) stringFunction {
	return func(_ *run, s string, a *arguments) any {
		args := a.bind(0, "chars")
		return strip(s, args[0], left, right)
	}
}

func strip(s string, chars any, left, right bool) string {
	cut := isSpace
	switch set := unmarked(chars).(type) {
	case absent, nil:
	case string:
		cut = func(c rune) bool { return strings.ContainsRune(set, c) }
	default:
		fail("strip needs a string, not %s", typeName(chars))
	}
	if left {
		s = strings.TrimLeftFunc(s, cut)
	}
	if right {
		s = strings.TrimRightFunc(s, cut)
	}
	return s
}

func affix(has func(s, part string) bool) stringFunction {
	return func(r *run, s string, a *arguments) any {
		if l, several := a.bind(1, "affix")[0].(*List); several && l.kind == tuple {
			for _, part := range l.items {
				if has(s, textArgument(part)) {
					return true
				}
			}
			return false
		}
		return has(s, textArgument(a.values[0]))
	}
}

func affixCutter(cut func(s, part string) string) stringFunction {
	return func(_ *run, s string, a *arguments) any { return cut(s, textArgument(a.bind(1, "affix")[0])) }
}

func textArgument(v any) string {
	s, isText := unmarked(v).(string)
	if !isText {
		fail("a string is needed, not %s", typeName(v))
	}
	return s
}

func intArgument(v any, otherwise int64) int64 {
	if v == (absent{}) {
		return otherwise
	}
	n, isInt := integer(v)
	if !isInt {
		fail("an integer is needed, not %s", typeName(v))
	}
	return n
}

func replaceMethod(r *run, s string, a *arguments) any {
	args := a.bind(2, "old", "new", "count")
	return r.replace(s, textArgument(args[0]), textArgument(args[1]), intArgument(args[2], -1))
}

func (r *run) replace(s, old, new string, count int64) string {
	n := strings.Count(s, old)
	if count >= 0 {
		n = int(min(int64(n), count))
	}
	r.spend(len(s) + n*len(new))
	return strings.Replace(s, old, new, n)
}

func joinMethod(r *run, s string, a *arguments) any {
	items := r.iterate(a.bind(1, "iterable")[0])
	texts := make([]string, len(items))
	for i, v := range items {
		texts[i] = textArgument(v)
		r.spend(len(texts[i]) + len(s) + itemCost)
	}
	return strings.Join(texts, s)
}

// finder searches in all of s: a start and an end are not known.
func finder(index func(s, part string) int, must bool) stringFunction {
	return func(_ *run, s string, a *arguments) any {
		at := index(s, textArgument(a.bind(1, "sub")[0]))
		if at < 0 {
			if must {
				fail("substring not found")
			}
			return int64(-1)
		}
		return int64(utf8.RuneCountInString(s[:at]))
	}
}

func countMethod(_ *run, s string, a *arguments) any {
	return int64(strings.Count(s, textArgument(a.bind(1, "sub")[0])))
}

func partitioner(last bool) stringFunction {
	return func(_ *run, s string, a *arguments) any {
		sep := textArgument(a.bind(1, "sep")[0])
		if sep == "" {
			fail("empty separator")
		}
		at := strings.Index(s, sep)
		if last {
			at = strings.LastIndex(s, sep)
		}
		switch {
		case at >= 0:
			return newTuple([]any{s[:at], sep, s[at+len(sep):]})
		case last:
			return newTuple([]any{"", "", s})
		}
		return newTuple([]any{s, "", ""})
	}
}

func every(is func(rune) bool) stringFunction {
	return func(_ *run, s string, a *arguments) any {
		a.bind(0)
		return s != "" && strings.IndexFunc(s, func(c rune) bool { return !is(c) }) < 0
	}
}

func cased(is, not func(rune) bool) stringFunction {
	return func(_ *run, s string, a *arguments) any {
		a.bind(0)
		return strings.IndexFunc(s, is) >= 0 && strings.IndexFunc(s, not) < 0
	}
}

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
