package task

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/files/table"
	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/tokenizer/jinja"
)

// row is a question or a worked example as its set has it.
type row struct {
	number int // in its set, from 0
	names  []string
	values map[string]any // as templates take them
}

func (t *tree) row() table.Object {
	out := make(table.Object, len(t.names))
	for i, name := range t.names {
		out[i] = ordered.Member{Key: name, Value: t.items[i].plain()}
	}
	return out
}

func newRow(number int, o table.Object) *row {
	r := &row{number: number, values: make(map[string]any, len(o))}
	for _, f := range o {
		if _, twice := r.values[f.Key]; !twice {
			r.names = append(r.names, f.Key)
		}
		r.values[f.Key] = forTemplate(f.Value)
	}
	return r
}

// fields are the row's names, for a message.
func (r *row) fields() string {
	names := strings.Join(r.names[:min(len(r.names), 20)], ", ")
	if names == "" {
		return "no fields"
	}
	return outside.Sentence(names)
}

// forTemplate makes a value of a table one of templates.
func forTemplate(v any) any {
	switch v := v.(type) {
	case []byte:
		if text, is := table.Text(v); is {
			return text
		}
		return fmt.Sprint(v)
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		x, _ := v.Float64()
		return x
	case []any:
		items := make([]any, len(v))
		for i, e := range v {
			items[i] = forTemplate(e)
		}
		return jinja.NewList(items...)
	case table.Object:
		pairs := make([]any, 0, 2*len(v))
		for _, f := range v {
			pairs = append(pairs, f.Key, forTemplate(f.Value))
		}
		return jinja.NewDict(pairs...)
	}
	return v
}

// same says whether two rows hold the same, as Python's == of their dicts does.
func (r *row) same(o *row) bool {
	if r == o {
		return true
	}
	if len(r.names) != len(o.names) {
		return false
	}
	for _, name := range r.names {
		if !slices.Contains(o.names, name) || pythonRepr(r.values[name]) != pythonRepr(o.values[name]) {
			return false
		}
	}
	return true
}

var (
	printed       = mustParse("{{ v }}")
	printedInList = mustParse("{{ [v] }}")
)

func mustParse(source string) *jinja.Template {
	t, err := jinja.Parse(source)
	if err != nil {
		panic(err)
	}
	return t
}

// pythonText is Python's str of a value.
func pythonText(v any) string {
	if s, is := v.(string); is {
		return s
	}
	text, err := printed.Render(map[string]any{"v": v})
	if err != nil {
		return fmt.Sprint(v)
	}
	return text
}

func pythonRepr(v any) string {
	text, err := printedInList.Render(map[string]any{"v": v})
	if err != nil {
		return fmt.Sprint(v)
	}
	return text
}
