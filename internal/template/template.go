// Package template executes Go's template language over fields and map entries, and calls
// no methods: the linker keeps every exported method of a program in which text/template
// or html/template can call one by its name, which made ours 5 MB larger.
//
// The language is that of text/template/parse: if, with, range, define, template, variables,
// eq and index. A page escapes what it shows by where it stands in the HTML, as
// html/template does.
package template

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"text/template/parse"
)

// Template is a parsed text. It can be executed by several goroutines at a time.
type Template struct {
	main *parse.Tree
	set  map[string]*parse.Tree
	html bool
}

// Page parses an HTML page and the texts that define what it calls. It panics where one
// of them is wrong: they are part of the program.
func Page(page string, definitions ...string) *Template {
	t := Text(page, definitions...)
	t.html = true
	return t
}

// Text parses a text in which nothing is escaped. It panics as Page does.
func Text(text string, definitions ...string) *Template {
	t := &Template{set: map[string]*parse.Tree{}}
	functions := map[string]any{"eq": true, "index": true}
	for i, source := range append([]string{text}, definitions...) {
		tree, err := parse.New(fmt.Sprintf("text %d", i+1)).Parse(source, "", "", t.set, functions)
		if err != nil {
			panic(err)
		}
		if i == 0 {
			t.main = tree
		}
	}
	return t
}

// Execute writes the text with what data holds. Nothing is written if there is an error.
func (t *Template) Execute(w io.Writer, data any) error {
	s := state{set: t.set, html: t.html, variables: []variable{{"$", reflect.ValueOf(data)}}}
	if err := s.list(t.main.Root, reflect.ValueOf(data)); err != nil {
		return err
	}
	_, err := w.Write(s.out.Bytes())
	return err
}

// state is one execution.
type state struct {
	set       map[string]*parse.Tree
	html      bool
	variables []variable
	out       bytes.Buffer
	place     place // in the HTML
}

type variable struct {
	name  string
	value reflect.Value
}

func (s *state) declare(names []*parse.VariableNode, values ...reflect.Value) {
	for i, n := range names {
		s.variables = append(s.variables, variable{n.Ident[0], values[i]})
	}
}

func (s *state) list(list *parse.ListNode, dot reflect.Value) error {
	if list == nil {
		return nil
	}
	for _, n := range list.Nodes {
		if err := s.node(n, dot); err != nil {
			return err
		}
	}
	return nil
}

func (s *state) node(n parse.Node, dot reflect.Value) error {
	switch n := n.(type) {
	case *parse.TextNode:
		s.out.Write(n.Text)
		if s.html {
			s.place.follow(n.Text)
		}
		return nil
	case *parse.ActionNode:
		v, err := s.pipe(n.Pipe, dot)
		if err != nil || len(n.Pipe.Decl) > 0 {
			return err
		}
		return s.show(n, v)
	case *parse.IfNode:
		return s.branch(&n.BranchNode, dot, func(reflect.Value) error { return s.list(n.List, dot) })
	case *parse.WithNode:
		return s.branch(&n.BranchNode, dot, func(v reflect.Value) error { return s.list(n.List, v) })
	case *parse.RangeNode:
		return s.branch(&n.BranchNode, dot, func(v reflect.Value) error { return s.each(n, v) })
	case *parse.TemplateNode:
		called := s.set[n.Name]
		if called == nil {
			return fmt.Errorf("%v: there is no such template", n)
		}
		v, err := s.pipe(n.Pipe, dot)
		if err != nil {
			return err
		}
		outer := len(s.variables)
		defer func() { s.variables = s.variables[:outer] }()
		s.variables = append(s.variables, variable{"$", v})
		return s.list(called.Root, v)
	}
	return fmt.Errorf("%v: templates here have no such action", n)
}

// branch runs body with the value of the pipeline if that is not empty, and else the other
// list. Variables that are declared in it end with it.
func (s *state) branch(n *parse.BranchNode, dot reflect.Value, body func(reflect.Value) error) error {
	outer := len(s.variables)
	defer func() { s.variables = s.variables[:outer] }()
	v, err := s.pipe(n.Pipe, dot)
	if err != nil {
		return err
	}
	if !isTrue(v) {
		return s.list(n.ElseList, dot)
	}
	return body(v)
}

// each executes a range over a list.
func (s *state) each(n *parse.RangeNode, v reflect.Value) error {
	v = indirect(v)
	if v.Kind() != reflect.Slice && v.Kind() != reflect.Array {
		return fmt.Errorf("%v: %s is no list", n.Pipe, v.Type())
	}
	outer := len(s.variables)
	for i := range v.Len() {
		element := v.Index(i)
		s.variables = s.variables[:outer]
		if names := n.Pipe.Decl; len(names) == 1 {
			s.declare(names, element)
		} else {
			s.declare(names, reflect.ValueOf(i), element)
		}
		if err := s.list(n.List, element); err != nil {
			return err
		}
	}
	return nil
}

func (s *state) pipe(p *parse.PipeNode, dot reflect.Value) (reflect.Value, error) {
	if p == nil {
		return reflect.Value{}, nil
	}
	if len(p.Cmds) != 1 {
		return reflect.Value{}, fmt.Errorf("%v: templates here have no pipelines", p)
	}
	v, err := s.command(p.Cmds[0].Args, dot)
	if len(p.Decl) == 1 {
		s.declare(p.Decl, v)
	}
	return v, err
}

// command is a value, or eq or index with its two arguments.
func (s *state) command(args []parse.Node, dot reflect.Value) (reflect.Value, error) {
	if len(args) == 1 {
		return s.value(args[0], dot)
	}
	function, ok := args[0].(*parse.IdentifierNode)
	if !ok || len(args) != 3 {
		return reflect.Value{}, fmt.Errorf("%v: only eq and index take arguments, two of them", args)
	}
	a, err := s.value(args[1], dot)
	if err != nil {
		return a, err
	}
	b, err := s.value(args[2], dot)
	if err != nil {
		return b, err
	}
	a, b = indirect(a), indirect(b)
	if function.Ident == "eq" {
		return reflect.ValueOf(a.Equal(b)), nil
	}
	if !b.CanInt() || b.Int() < 0 || b.Int() >= int64(a.Len()) {
		return a, fmt.Errorf("%v: the index is out of range", args)
	}
	return a.Index(int(b.Int())), nil
}

func (s *state) value(n parse.Node, dot reflect.Value) (reflect.Value, error) {
	switch n := n.(type) {
	case *parse.DotNode:
		return dot, nil
	case *parse.FieldNode:
		return field(dot, n.Ident)
	case *parse.VariableNode:
		for _, known := range slices.Backward(s.variables) {
			if known.name == n.Ident[0] {
				return field(known.value, n.Ident[1:])
			}
		}
	case *parse.StringNode:
		return reflect.ValueOf(n.Text), nil
	case *parse.NumberNode:
		return reflect.ValueOf(int(n.Int64)), nil
	case *parse.PipeNode:
		return s.pipe(n, dot)
	}
	return reflect.Value{}, fmt.Errorf("%v: templates here have no such value", n)
}

// field follows names through structs and maps.
func field(v reflect.Value, names []string) (reflect.Value, error) {
	for _, name := range names {
		v = indirect(v)
		var next reflect.Value
		switch v.Kind() {
		case reflect.Struct:
			next = v.FieldByName(name)
		case reflect.Map:
			next = v.MapIndex(reflect.ValueOf(name))
		}
		if !next.IsValid() || !next.CanInterface() {
			return v, fmt.Errorf("there is no field %s to show", name)
		}
		v = next
	}
	return v, nil
}

// indirect follows pointers and interfaces. Of nil it gives the invalid value.
func indirect(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v
}

// isTrue says whether a value is there and is not empty.
func isTrue(v reflect.Value) bool {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Invalid:
		return false
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() > 0
	case reflect.Struct:
		return true
	}
	return !v.IsZero()
}

// show writes a value, escaped for where it stands.
func (s *state) show(n parse.Node, v reflect.Value) error {
	inner := indirect(v)
	if !inner.IsValid() {
		return fmt.Errorf("%v: nothing to show", n)
	}
	value := inner.Interface()
	if !s.html {
		_, err := fmt.Fprint(&s.out, value)
		return err
	}
	text, err := s.place.escape(value, v)
	if err != nil {
		return fmt.Errorf("%v: %w", n, err)
	}
	s.out.WriteString(text)
	return nil
}

// escape is what a value becomes at a place. Whole is the value with its pointer, which may
// be what knows its JSON.
func (p *place) escape(value any, whole reflect.Value) (string, error) {
	switch p.in {
	case inText:
		if html, ok := value.(HTML); ok {
			return string(html), nil
		}
		return escapeHTML(fmt.Sprint(value)), nil
	case inValue:
		text := fmt.Sprint(value)
		if slices.Contains([]string{"href", "src", "action"}, p.attribute) {
			text = normalizeURL(text, p.begun)
		}
		p.begun = true
		return escapeHTML(text), nil
	case inScript:
		if js, ok := value.(JS); ok {
			return string(js), nil
		}
		data, err := json.Marshal(whole.Interface()) // with < and > escaped
		return string(data), err
	case inStyle:
		if css, ok := value.(CSS); ok {
			return string(css), nil
		}
	}
	return "", errors.New("a value of this kind can't stand here in the HTML")
}
