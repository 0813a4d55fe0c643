package task

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/usage"
)

// Bounds on a task's file. The largest of lm-eval's has 60 KB.
const (
	maxFile  = 4 << 20
	maxNodes = 200_000 // values, with what aliases repeat
	maxDepth = 64
)

// tree is a value of a task's file: YAML without aliases, merges and tags.
type tree struct {
	line  int
	kind  treeKind
	text  string // of a scalar, and of a function its name
	value any    // of a scalar: nil, bool, int64, float64 or string
	items []*tree
	names []string // of a mapping: its keys; items are its values
	twice error    // of a file: a key that is there twice, of which Python takes the last
}

type treeKind uint8

const (
	scalar treeKind = iota
	list
	mapping
	function // !function: Python
)

// readTree reads a file of at most maxFile bytes.
func readTree(file string) (*tree, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxFile {
		return nil, fmt.Errorf("it has more than %d MB: it is no task", maxFile>>20)
	}
	return parseTree(b)
}

func parseTree(b []byte) (*tree, error) {
	d := yaml.NewDecoder(bytes.NewReader(b))
	var doc yaml.Node
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, errors.New("it is empty")
	} else if err != nil {
		return nil, errors.New(outside.Sentence(err.Error()))
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("it has more than one document: a task is one")
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("it is no mapping of keys to values")
	}
	p := treeBuilder{left: maxNodes}
	t, err := p.build(doc.Content[0], 0)
	if err != nil {
		return nil, err
	}
	t.twice = p.twice
	return t, nil
}

// treeBuilder makes trees. Aliases are followed, so what they may grow to is bounded.
type treeBuilder struct {
	left  int
	twice error // a key that is
}

func (p *treeBuilder) build(n *yaml.Node, depth int) (*tree, error) {
	if p.left--; p.left < 0 || depth > maxDepth {
		return nil, fmt.Errorf("line %d: it holds too much (aliases of aliases?)", n.Line)
	}
	t := &tree{line: n.Line}
	switch n.Kind {
	case yaml.AliasNode:
		return p.build(n.Alias, depth+1)
	case yaml.SequenceNode:
		t.kind = list
		for _, e := range n.Content {
			item, err := p.build(e, depth+1)
			if err != nil {
				return nil, err
			}
			t.items = append(t.items, item)
		}
	case yaml.MappingNode:
		t.kind = mapping
		if err := p.fill(t, n, depth); err != nil {
			return nil, err
		}
	default:
		return p.scalar(t, n)
	}
	return t, nil
}

func (p *treeBuilder) fill(t *tree, n *yaml.Node, depth int) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		v, err := p.build(value, depth+1)
		if err != nil {
			return err
		}
		if key.Tag == "!!merge" {
			for _, from := range append([]*tree{v}, v.items...) {
				for j, name := range from.names {
					if t.get(name) == nil {
						t.names, t.items = append(t.names, name), append(t.items, from.items[j])
					}
				}
			}
			continue
		}
		if key.Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: a key is no word", key.Line)
		}
		if t.get(key.Value) != nil && p.twice == nil {
			p.twice = fmt.Errorf("line %d: the key %s is there twice", key.Line, outside.Sentence(clipped(key.Value)))
		}
		t.set(key.Value, v)
	}
	return nil
}

func (p *treeBuilder) scalar(t *tree, n *yaml.Node) (*tree, error) {
	t.text = n.Value
	if n.Tag == "!function" {
		t.kind = function
		return t, nil
	}
	t.value = n.Value
	switch n.ShortTag() {
	case "!!null":
		t.value = nil
	case "!!bool":
		t.value = strings.EqualFold(n.Value, "true")
	case "!!int":
		if i, err := strconv.ParseInt(strings.ReplaceAll(n.Value, "_", ""), 0, 64); err == nil {
			t.value = i
		}
	case "!!float":
		var x float64
		if err := n.Decode(&x); err == nil {
			t.value = x
		}
	case "!!str", "!!timestamp", "!!binary":
	default:
		return nil, fmt.Errorf("line %d: the tag %s is not read", n.Line, outside.Sentence(n.Tag))
	}
	return t, nil
}

// get is the value of a key; nil where there is none.
func (t *tree) get(name string) *tree {
	if t == nil {
		return nil
	}
	for i, n := range t.names {
		if n == name {
			return t.items[i]
		}
	}
	return nil
}

// set gives a key its value, in the place of an earlier one.
func (t *tree) set(name string, v *tree) {
	for i, n := range t.names {
		if n == name {
			t.items[i] = v
			return
		}
	}
	t.names, t.items = append(t.names, name), append(t.items, v)
}

func (t *tree) isNull() bool { return t == nil || t.kind == scalar && t.value == nil }

// plain is the value as a row of a set would hold it.
func (t *tree) plain() any {
	switch {
	case t.isNull():
		return nil
	case t.kind == list:
		out := make([]any, len(t.items))
		for i, e := range t.items {
			out[i] = e.plain()
		}
		return out
	case t.kind == mapping:
		return t.row()
	}
	return t.value
}

// reader takes the keys of a mapping one by one, and keeps the first error.
type reader struct {
	of    string // the mapping's own key; empty: the file
	from  *tree
	known []string
	err   error
}

func (r *reader) fail(at *tree, format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("line %d: "+format, append([]any{at.line}, args...)...)
	}
}

func (r *reader) get(name string) *tree {
	r.known = append(r.known, name)
	if v := r.from.get(name); !v.isNull() {
		return v
	}
	return nil
}

// name is a key with those above it.
func (r *reader) name(key string) string {
	if r.of != "" {
		return r.of + "." + key
	}
	return key
}

func (r *reader) text(key, otherwise string) string {
	v := r.get(key)
	if v == nil {
		return otherwise
	}
	if v.kind != scalar {
		r.fail(v, "%s must be a text", r.name(key))
		return ""
	}
	return v.text
}

func (r *reader) number(key string, otherwise, least, most int) int {
	v := r.get(key)
	if v == nil {
		return otherwise
	}
	n, isInt := v.value.(int64)
	if !isInt || n < int64(least) || n > int64(most) {
		r.fail(v, "%s must be a whole number from %d to %d", r.name(key), least, most)
		return otherwise
	}
	return int(n)
}

func (r *reader) flag(key string) bool {
	v := r.get(key)
	if v == nil {
		return false
	}
	is, isBool := v.value.(bool)
	switch strings.ToLower(v.text) { // words of YAML 1.1, which Python reads
	case "yes", "on":
		is, isBool = true, true
	case "no", "off":
		is, isBool = false, true
	}
	if !isBool {
		r.fail(v, "%s must be true or false", r.name(key))
	}
	return is
}

// texts is a list of texts, or one.
func (r *reader) texts(key string) []string {
	v := r.get(key)
	if v == nil {
		return nil
	}
	if v.kind == scalar {
		return []string{v.text}
	}
	out := []string{}
	for _, e := range v.items {
		if v.kind != list || e.kind != scalar {
			r.fail(v, "%s must be a list of texts", r.name(key))
			return nil
		}
		out = append(out, e.text)
	}
	return out
}

// within is a mapping that a key holds; one without keys where there is none.
func (r *reader) within(key string) *reader {
	in := &reader{of: r.name(key), from: r.get(key)}
	if in.from != nil && in.from.kind != mapping {
		r.fail(in.from, "%s must be a mapping of keys to values", in.of)
		in.from = nil
	}
	return in
}

// done refuses keys that were not asked for.
func (r *reader) done() error {
	if r.err != nil || r.from == nil {
		return r.err
	}
	for i, name := range r.from.names {
		if !contains(r.known, name) {
			return r.unknown(name, r.from.items[i].line)
		}
	}
	return nil
}

func (r *reader) unknown(name string, line int) error {
	text := fmt.Sprintf("line %d: there is no key %s", line, outside.Sentence(r.name(name)))
	if near := usage.Nearest(name, r.known); near != "" {
		return fmt.Errorf("%s: did you mean %s?", text, r.name(near))
	}
	return fmt.Errorf("%s; known here are %s", text, strings.Join(r.known, ", "))
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}
