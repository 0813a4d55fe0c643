package hub

import (
	"regexp"
	"slices"
	"strings"
)

// Patterns choose files of a repository by their paths. * stands for any letters of a
// name, ** for any folders too, ? for one letter.
type Patterns []string

// match compiles the patterns. The function reports whether a file is chosen.
func (p Patterns) match() func(file string) bool {
	var globs []*regexp.Regexp
	for _, one := range p {
		if g, err := regexp.Compile(glob(one)); err == nil { // text that is not UTF-8 matches nothing
			globs = append(globs, g)
		}
	}
	return func(file string) bool {
		return slices.ContainsFunc(globs, func(g *regexp.Regexp) bool { return g.MatchString(file) })
	}
}

// exact are the patterns that name one file.
func (p Patterns) exact() (names []string) {
	for _, one := range p {
		if !strings.ContainsAny(one, "*?") && isFileName(one) {
			names = append(names, one)
		}
	}
	return names
}

// glob is a pattern as a regular expression.
func glob(pattern string) string {
	var b strings.Builder
	b.WriteString("^")
	for i := 0; i < len(pattern); i++ {
		rest := pattern[i:]
		switch {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString("(?:.*/)?")
			i += 2
		case strings.HasPrefix(rest, "**"):
			b.WriteString(".*")
			i++
		case rest[0] == '*':
			b.WriteString("[^/]*")
		case rest[0] == '?':
			b.WriteString("[^/]")
		default:
			b.WriteString(regexp.QuoteMeta(rest[:1]))
		}
	}
	return b.String() + "$"
}
