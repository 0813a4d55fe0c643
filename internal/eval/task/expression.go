package task

import (
	"errors"
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/tokenizer/jinja"
)

// expression says how a value comes from a row: the name of a column, or a template, or
// what stands in the task's file.
type expression struct {
	key      string // of the task's file
	text     string
	template *jinja.Template
	wrong    error // of the template: it counts only where the text is no column's name
	fixed    any   // a number or a list of the task's file
	column   bool
}

// Setup is how lm-eval sets Jinja2 up.
var Setup = jinja.Setup{KeepTrailingNewline: true, StrictUndefined: true, OwnJSON: true}

// maxTemplate bounds what a template makes: a prompt of more than this no server takes.
const maxTemplate = 16 << 20

func newExpression(key, text string) *expression {
	e := &expression{key: key, text: text}
	e.template, e.wrong = jinja.ParseSetup(text, Setup)
	return e
}

// expression reads a key that holds one; nil where there is none.
func (r *reader) expression(key string) *expression {
	v := r.get(key)
	switch {
	case v == nil:
		return nil
	case v.kind == function:
		r.fail(v, "%s is a Python function (%s): tasks with Python can't be read", r.name(key), outside.Sentence(v.text))
		return nil
	case v.kind == list:
		return &expression{key: r.name(key), fixed: forTemplate(v.plain())}
	case v.kind == mapping: // lm-eval takes its values
		values := make([]any, len(v.items))
		for i, e := range v.items {
			values[i] = forTemplate(e.plain())
		}
		return &expression{key: r.name(key), fixed: jinja.NewList(values...)}
	}
	if n, isInt := v.value.(int64); isInt {
		return &expression{key: r.name(key), fixed: n, text: v.text}
	}
	return newExpression(r.name(key), v.text)
}

// bind decides whether it is a column's name.
func (e *expression) bind(columns []string) error {
	if e == nil || e.fixed != nil {
		return nil
	}
	if e.column = contains(columns, e.text); e.column {
		return nil
	}
	if e.wrong != nil {
		return fmt.Errorf("the template %s: %s", e.key, outside.Sentence(e.wrong.Error()))
	}
	return nil
}

// errMissing is a row without a column.
var errMissing = errors.New("the row has no such field")

// value gives it: text of a template, else what the column has.
func (e *expression) value(r *row) (any, error) {
	if e == nil {
		return nil, nil
	}
	if e.fixed != nil {
		return e.fixed, nil
	}
	if e.column {
		v, there := r.values[e.text]
		if !there {
			return nil, fmt.Errorf("%s: %w %q: it has %s", e.key, errMissing, outside.Sentence(e.text), r.fields())
		}
		return v, nil
	}
	if e.wrong != nil {
		return nil, fmt.Errorf("the template %s: %s", e.key, outside.Sentence(e.wrong.Error()))
	}
	text, err := e.template.Render(r.values)
	if err != nil && strings.HasSuffix(err.Error(), "is undefined") {
		return nil, fmt.Errorf("the template %s: %s; the row has %s", e.key, outside.Sentence(err.Error()), r.fields())
	}
	if err != nil {
		return nil, fmt.Errorf("the template %s: %s", e.key, outside.Sentence(err.Error()))
	}
	if len(text) > maxTemplate {
		return nil, fmt.Errorf("the template %s makes a text of more than %d MB", e.key, maxTemplate>>20)
	}
	return text, nil
}

// asString is a value that must be a text.
func (e *expression) asString(r *row) (string, error) {
	v, err := e.value(r)
	if err != nil || e == nil {
		return "", err
	}
	s, is := v.(string)
	if !is {
		return "", fmt.Errorf("%s: %s is no text", e.key, outside.Sentence(clipped(pythonRepr(v))))
	}
	return s, nil
}

// strings is a value that must be a list of texts: a column's, the file's, or printed by a template.
func (e *expression) strings(r *row) ([]string, error) {
	v, err := e.value(r)
	if err != nil || e == nil {
		return nil, err
	}
	if s, is := v.(string); is && !e.column {
		if v, err = literal(s); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", e.key, outside.Sentence(clipped(s)), err)
		}
	}
	l, is := v.(*jinja.List)
	if !is {
		return nil, fmt.Errorf("%s: %s is no list of texts", e.key, outside.Sentence(clipped(pythonRepr(v))))
	}
	var out []string
	for _, item := range l.Items() {
		s, isText := item.(string)
		if !isText {
			return nil, fmt.Errorf("%s: %s is no text", e.key, outside.Sentence(clipped(pythonRepr(item))))
		}
		out = append(out, s)
	}
	return out, nil
}

func clipped(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}

// isDigits is Python's str.isdigit for the digits that numbers are written with.
func isDigits(s string) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}
