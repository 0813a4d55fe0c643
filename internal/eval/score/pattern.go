package score

import (
	"errors"
	"time"

	"github.com/dlclark/regexp2/v2"
)

// A pattern or a text may be made to take hours. One match has a second, all of a text
// have two; a real one takes microseconds.
const (
	matchTime = time.Second
	textTime  = 2 * time.Second
)

// errSlow says that a pattern took too long over a text.
var errSlow = errors.New("a pattern took too long")

// pattern is a regular expression that matches as Python's does.
type pattern struct {
	plain *regexp2.Regexp
	// beyond matches what does not end where the search began: after an empty match Python
	// looks for a longer one at the same place.
	beyond *regexp2.Regexp
	groups int
}

func compile(text string) (*pattern, error) { return compileUpTo(text, maxPattern) }

// compileLong compiles what was made of a question's options, which may be long.
func compileLong(text string) (*pattern, error) { return compileUpTo(text, 64*maxPattern) }

func compileUpTo(text string, most int) (*pattern, error) {
	translated, groups, err := translate(text, most)
	if err != nil {
		return nil, err
	}
	p := &pattern{groups: groups}
	if p.plain, err = regexp2.Compile(translated); err != nil {
		return nil, errors.New("the pattern " + quote(text) + " is not understood: " + reason(err))
	}
	if p.beyond, err = regexp2.Compile("(?:" + translated + `)(?!\G)`); err != nil {
		return nil, errors.New("the pattern " + quote(text) + " is not understood: " + reason(err))
	}
	p.plain.MatchTimeout, p.beyond.MatchTimeout = matchTime, matchTime
	return p, nil
}

// a span is a part of a text, in characters; from is -1 for a group that took no part.
type span struct{ from, to int }

func (s span) of(text []rune) string {
	if s.from < 0 {
		return ""
	}
	return string(text[s.from:s.to])
}

// each calls yield with each match and its groups, in the order of Python's finditer,
// until it returns false. The groups are used again.
func (p *pattern) each(text []rune, yield func(groups []span) bool) error {
	began, at, re := time.Now(), 0, p.plain
	groups := make([]span, p.groups+1)
	for {
		m, err := re.FindRunesMatchStartingAt(text, at)
		if err != nil {
			return errSlow // its time, or its stack
		}
		if m == nil {
			return nil
		}
		for i := range groups {
			groups[i] = span{-1, -1}
			if g := m.GroupByNumber(i); g != nil && len(g.Captures) > 0 {
				groups[i] = span{g.RuneIndex, g.RuneIndex + g.RuneLength}
			}
		}
		if !yield(groups) {
			return nil
		}
		whole := groups[0]
		at, re = whole.to, p.plain
		if whole.from == whole.to {
			re = p.beyond
		}
		if time.Since(began) > textTime {
			return errSlow
		}
	}
}

// remove is re.sub with nothing in place of each match.
func (p *pattern) remove(text string) (string, error) {
	runes := []rune(text)
	kept, from := make([]rune, 0, len(runes)), 0
	err := p.each(runes, func(groups []span) bool {
		kept = append(kept, runes[from:groups[0].from]...)
		from = groups[0].to
		return true
	})
	if err != nil {
		return "", err
	}
	if from == 0 {
		return text, nil
	}
	return string(append(kept, runes[from:]...)), nil
}

// find is findall(text)[which]: the groups of that match, or the whole of it where the
// pattern has none. ok is false where there is no such match.
func (p *pattern) find(text string, which int) (groups []string, ok bool, err error) {
	runes := []rune(text)
	var last [][]span // the last -which matches, where which is negative
	n := 0
	err = p.each(runes, func(g []span) bool {
		n++
		if which >= 0 {
			if n-1 == which {
				last = append(last, append([]span(nil), g...))
			}
			return n-1 < which
		}
		if len(last) == -which {
			oldest := last[0]
			copy(last, last[1:])
			last[len(last)-1] = append(oldest[:0], g...)
		} else {
			last = append(last, append([]span(nil), g...))
		}
		return true
	})
	if err != nil || len(last) == 0 || which < 0 && len(last) < -which {
		return nil, false, err
	}
	spans := last[0]
	if p.groups > 0 {
		spans = spans[1:]
	}
	for _, s := range spans {
		groups = append(groups, s.of(runes))
	}
	return groups, true, nil
}
