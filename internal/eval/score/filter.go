package score

import (
	"errors"
	"fmt"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
)

// invalid stands for no answer, as in lm-eval.
const invalid = "[invalid]"

// The filters, by the names that lm-eval gives them; first_of and remove are ours.
const (
	filterRegex       = "regex"
	filterFirstOf     = "first_of"           // the first of several patterns that matches
	filterMultiChoice = "multi_choice_regex" // a pattern, else an option's text, else its letter
	filterTakeFirst   = "take_first"         // one request gives one text: it is that already
	filterStrip       = "remove_whitespace"
	filterLower       = "lowercase"
	filterUpper       = "uppercase"
	filterMap         = "map"
	filterRemove      = "remove" // takes out what patterns match
)

// Filters are the names of the filters that can be used.
func Filters() []string {
	return []string{
		filterRegex, filterFirstOf, filterMultiChoice, filterTakeFirst, filterStrip,
		filterLower, filterUpper, filterMap, filterRemove,
	}
}

// extract is what the filters made of a text so far.
type extract struct {
	text string
	lost bool // a filter found nothing, and text stands for that
}

// none is what stands for no answer from here on.
func (e *extract) none(fallback string) { e.text, e.lost = fallback, true }

// step is a filter that was made ready.
type step func(e *extract, q *journal.Question) error

// Bounds on what a file may ask for.
const (
	maxFilters  = 32
	maxPatterns = 64
	maxSelect   = 1000
	maxMap      = 10_000
)

func newStep(f *journal.Filter) (step, error) {
	if f.Select > maxSelect || f.Select < -maxSelect {
		return nil, fmt.Errorf("the filter %q selects match %d: between %d and %d can be had", clip(f.Function, 40), f.Select, -maxSelect, maxSelect)
	}
	switch f.Function {
	case filterRegex:
		return regexStep(f)
	case filterFirstOf:
		return firstOfStep(f)
	case filterMultiChoice:
		return multiChoiceStep(f)
	case filterTakeFirst:
		return func(*extract, *journal.Question) error { return nil }, nil
	case filterStrip:
		return onText(strip), nil
	case filterLower:
		return onText(lower), nil
	case filterUpper:
		return onText(upper), nil
	case filterMap:
		return mapStep(f)
	case filterRemove:
		return removeStep(f)
	}
	return nil, fmt.Errorf("there is no filter %q: known are %v", clip(f.Function, 40), Filters())
}

func onText(change func(string) string) step {
	return func(e *extract, _ *journal.Question) error {
		e.text = change(e.text)
		return nil
	}
}

func fallbackOf(f *journal.Filter) string {
	if f.Fallback == "" {
		return invalid
	}
	return f.Fallback
}

// gsm8k is the pattern that lm-eval takes where a file gives none.
const gsm8k = `#### (\-?[0-9\.\,]+)`

func mainPattern(f *journal.Filter) (*pattern, error) {
	if f.Pattern == "" {
		return compile(gsm8k)
	}
	return compile(f.Pattern)
}

// regexStep selects one of the matches of a pattern: of its groups the first that is not empty.
func regexStep(f *journal.Filter) (step, error) {
	p, err := mainPattern(f)
	if err != nil {
		return nil, err
	}
	which, fallback := f.Select, fallbackOf(f)
	return func(e *extract, _ *journal.Question) error {
		groups, ok, err := p.find(e.text, which)
		if err != nil || !ok {
			e.none(fallback)
			return err
		}
		i := slices.IndexFunc(groups, func(s string) bool { return s != "" })
		switch {
		case i >= 0:
			e.text = strip(groups[i])
		case len(groups) > 1:
			e.none(strip(fallback))
		default:
			e.text = ""
		}
		return nil
	}, nil
}

// firstOfStep tries patterns in turn, each anywhere in the text. The answer is the first
// group of the first that matches, or the whole match where it has no group.
func firstOfStep(f *journal.Filter) (step, error) {
	patterns, err := compileAll(f.Patterns)
	if err != nil {
		return nil, err
	}
	if len(patterns) == 0 {
		return nil, errors.New("the filter first_of has no patterns")
	}
	fallback := fallbackOf(f)
	return func(e *extract, _ *journal.Question) error {
		for _, p := range patterns {
			groups, ok, err := p.find(e.text, 0)
			if err != nil {
				e.none(fallback)
				return err
			}
			if ok {
				e.text = strip(groups[0])
				return nil
			}
		}
		e.none(fallback)
		return nil
	}, nil
}

func compileAll(texts []string) ([]*pattern, error) {
	if len(texts) > maxPatterns {
		return nil, fmt.Errorf("there are more than %d patterns", maxPatterns)
	}
	var out []*pattern
	for _, text := range texts {
		p, err := compile(text)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// mapStep puts texts in place of others; what is not in the map has the default.
func mapStep(f *journal.Filter) (step, error) {
	if len(f.Map) > maxMap {
		return nil, fmt.Errorf("the filter map has more than %d texts", maxMap)
	}
	to := make(map[string]string, len(f.Map))
	for _, pair := range f.Map {
		to[pair[0]] = pair[1]
	}
	return func(e *extract, _ *journal.Question) error {
		if text, ok := to[e.text]; ok {
			e.text, e.lost = text, false
			return nil
		}
		e.none(f.Default)
		return nil
	}, nil
}

func removeStep(f *journal.Filter) (step, error) {
	patterns, err := compileAll(f.Patterns)
	if err != nil {
		return nil, err
	}
	return func(e *extract, _ *journal.Question) error {
		text, err := removeAll(e.text, patterns)
		if err != nil {
			e.none(invalid)
			return err
		}
		e.text = text
		return nil
	}, nil
}

func removeAll(text string, patterns []*pattern) (string, error) {
	for _, p := range patterns {
		var err error
		if text, err = p.remove(text); err != nil {
			return "", err
		}
	}
	return text, nil
}
