package score

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/journal"
)

// multiChoice is lm-eval's filter for options that are called (A), (B) and so on: the
// pattern; where it finds nothing, the text of an option; then a letter after a colon.
type multiChoice struct {
	pattern  *pattern
	ignored  []*pattern
	filter   *journal.Filter
	fallback string
}

func multiChoiceStep(f *journal.Filter) (step, error) {
	m := &multiChoice{filter: f, fallback: fallbackOf(f)}
	var err error
	if m.pattern, err = mainPattern(f); err != nil {
		return nil, err
	}
	if m.ignored, err = compileAll(f.Patterns); err != nil {
		return nil, err
	}
	return m.step, nil
}

func (m *multiChoice) step(e *extract, q *journal.Question) error {
	text, err := m.find(e.text, q.Labels)
	if err != nil || text == "" {
		e.none(m.fallback)
		return err
	}
	e.text = text
	return nil
}

// maxLetters is how many options have a letter.
const maxLetters = 26

func (m *multiChoice) find(text string, options []string) (string, error) {
	found, err := m.match(m.pattern, text)
	if err != nil || found != "" || len(options) == 0 {
		return found, err
	}
	if len(options) > maxLetters {
		return "", fmt.Errorf("a question has %d options, and multi_choice_regex has letters for %d", len(options), maxLetters)
	}
	names := map[string]string{} // an option's text: its letter
	var texts, letters []string
	for i, option := range options {
		option, err := m.plain(strip(option))
		if err != nil {
			return "", err
		}
		letter := string(rune('A' + i))
		names[option] = "(" + letter + ")"
		texts, letters = append(texts, escapePython(option)), append(letters, letter)
	}
	// The longest first: one option may begin as another does.
	slices.SortStableFunc(texts, func(a, b string) int {
		return cmp.Compare(utf8.RuneCountInString(b), utf8.RuneCountInString(a))
	})
	p, err := compileLong(strings.Join(texts, "|"))
	if err != nil {
		return "", err
	}
	plain, err := m.plain(text)
	if err != nil {
		return "", err
	}
	if found, err = m.match(p, plain); err != nil {
		return "", err
	}
	if name := names[found]; found != "" && name != "" {
		found = name
	}
	if found != "" {
		return found, nil
	}
	if p, err = compile(`:[\s]*(` + strings.Join(letters, "|") + `)`); err != nil {
		return "", err
	}
	if found, err = m.match(p, text); err != nil || found == "" {
		return "", err
	}
	return "(" + found + ")", nil
}

// match is the selected match, empty where there is none.
func (m *multiChoice) match(p *pattern, text string) (string, error) {
	groups, ok, err := p.find(text, m.filter.Select)
	if err != nil || !ok {
		return "", err
	}
	for _, g := range groups {
		if g != "" {
			return strip(g), nil
		}
	}
	return "", nil
}

// plain leaves out of a text what does not count when options are compared with it.
func (m *multiChoice) plain(text string) (string, error) {
	text, err := removeAll(text, m.ignored)
	if err != nil {
		return "", err
	}
	if m.filter.IgnoreCase {
		text = lower(text)
	}
	if m.filter.IgnorePunctuation {
		text = strings.Map(func(c rune) rune {
			if unicode.IsPunct(c) {
				return -1
			}
			return c
		}, text)
	}
	return text, nil
}

// escapePython is Python's re.escape: its length decides which option is tried first.
func escapePython(s string) string {
	var b strings.Builder
	for _, c := range s {
		if strings.ContainsRune("()[]{}?*+-|^$\\.&~# \t\n\r\v\f", c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}
