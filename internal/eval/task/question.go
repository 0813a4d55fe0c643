package task

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/tokenizer/jinja"
)

// maxOptions bounds the options of a question.
const maxOptions = 1000

func (t *Task) categoryOf(r *row) (string, error) { return t.wordOf(t.category, r) }

// wordOf is a value as a short text.
func (t *Task) wordOf(e *expression, r *row) (string, error) {
	v, err := e.value(r)
	if err != nil || e == nil || v == nil {
		return "", err
	}
	return pythonText(v), nil
}

// questionOf is what the journal keeps of a row, and its choices.
func (t *Task) questionOf(r *row) (*journal.Question, []string, error) {
	q := &journal.Question{Number: r.number}
	var err error
	if q.ID, err = t.wordOf(t.id, r); err != nil {
		return nil, nil, err
	}
	if q.Category, err = t.categoryOf(r); err != nil {
		return nil, nil, err
	}
	var choices []string
	if t.asked.choices != nil {
		if choices, err = t.asked.choices.strings(r); err != nil {
			return nil, nil, err
		}
		if len(choices) < 2 || len(choices) > maxOptions {
			return nil, nil, fmt.Errorf("it has %d choices: there must be from 2 to %d", len(choices), maxOptions)
		}
		q.Options = len(choices)
	}
	if err := t.optionsOf(q, r); err != nil {
		return nil, nil, err
	}
	switch t.kind {
	case journal.TaskCode:
		q.Program, err = t.program.asString(r)
	case journal.TaskChoice:
		q.RightChoice, err = t.rightChoice(r, choices)
		if err == nil {
			q.Right = []string{choices[q.RightChoice-1]}
		}
	default:
		q.Right, err = t.right(r, choices)
	}
	return q, choices, err
}

func (t *Task) optionsOf(q *journal.Question, r *row) (err error) {
	if t.labels != nil {
		if q.Labels, err = t.labels.strings(r); err != nil {
			return err
		}
	}
	if t.options == nil {
		return nil
	}
	v, err := t.options.value(r)
	if err != nil {
		return err
	}
	switch v := v.(type) {
	case int64:
		q.Options = int(min(v, maxOptions+1))
	case *jinja.List:
		q.Options = len(v.Items())
	case string:
		n, err := literal(v)
		number, isInt := n.(int64)
		if err != nil || !isInt {
			return fmt.Errorf("%s: %s is no number", t.options.key, outside.Sentence(clipped(v)))
		}
		q.Options = int(min(number, maxOptions+1))
	default:
		return fmt.Errorf("%s: %s is neither a number nor a list", t.options.key, outside.Sentence(clipped(pythonRepr(v))))
	}
	if q.Options < 2 || q.Options > maxOptions {
		return fmt.Errorf("it has %d options: there must be from 2 to %d", q.Options, maxOptions)
	}
	return nil
}

// right are the answers that are right.
func (t *Task) right(r *row, choices []string) ([]string, error) {
	v, err := t.target(&t.asked, r)
	if err != nil {
		return nil, err
	}
	if choices != nil {
		n, err := t.placeOf(v, choices)
		if err != nil {
			return nil, err
		}
		return choices[n-1 : n], nil
	}
	if l, isList := v.(*jinja.List); isList {
		var out []string
		for _, item := range l.Items() {
			out = append(out, pythonText(item))
		}
		if len(out) == 0 {
			return nil, errors.New("it has no right answer: the list is empty")
		}
		return out, nil
	}
	if v == nil {
		return nil, errors.New("it has no right answer")
	}
	return []string{pythonText(v)}, nil
}

func (t *Task) rightChoice(r *row, choices []string) (int, error) {
	v, err := t.target(&t.asked, r)
	if err != nil {
		return 0, err
	}
	return t.placeOf(v, choices)
}

// placeOf is the number of a choice, from 1: by its number from 0, its text, or in our own
// files its letter.
func (t *Task) placeOf(v any, choices []string) (int, error) {
	switch v := v.(type) {
	case int64:
		if v >= 0 && v < int64(len(choices)) {
			return int(v) + 1, nil
		}
		return 0, fmt.Errorf("choice %d is said to be right, and there are %d (they count from 0)", v, len(choices))
	case string:
		for i, c := range choices {
			if c == v {
				return i + 1, nil
			}
		}
		if !t.lmEval && len(v) == 1 && v[0] >= 'A' && int(v[0]-'A') < len(choices) {
			return int(v[0]-'A') + 1, nil
		}
		return 0, fmt.Errorf("%q is said to be right, and is none of the choices", outside.Sentence(clipped(v)))
	case *jinja.List:
		return 0, errors.New("several choices are said to be right: such tasks can't be read")
	}
	return 0, fmt.Errorf("%s is no choice", outside.Sentence(clipped(pythonRepr(v))))
}

// check makes each question once, so that a row that can't be asked is found before the
// run, and sums them up.
func (s *Set) check() error {
	sum := sha256.New()
	choices := s.task.kind == journal.TaskChoice
	if choices {
		s.first = make([]int, 1, len(s.asked)+1)
	}
	ids := map[string]int{}
	twice := ""
	for _, r := range s.asked {
		q, options, err := s.task.questionOf(r)
		if err == nil {
			err = s.sum(sum, q, r)
		}
		if err != nil {
			return rowError(r, err)
		}
		if choices {
			s.first = append(s.first, s.first[len(s.first)-1]+len(options))
		}
		if before, seen := ids[q.ID]; seen && q.ID != "" && twice == "" {
			twice = fmt.Sprintf("rows %d and %d have the same id %s: they are told apart by their numbers", before+1, r.number+1, outside.Sentence(clipped(q.ID)))
		}
		ids[q.ID] = r.number
	}
	if twice != "" {
		s.notes = append(s.notes, twice)
	}
	s.sha = hex.EncodeToString(sum.Sum(nil))
	_, err := s.Item(0)
	return err
}

// sum adds a question with what is right: not how it is asked, so that two runs with
// different worked examples can be paired.
func (s *Set) sum(sum hash.Hash, q *journal.Question, r *row) error {
	turn, err := s.task.questionTurn(r)
	if err != nil {
		return err
	}
	return json.NewEncoder(sum).Encode([]any{q.Number, turn[0].Content, q.Right, q.RightChoice, q.Program})
}
