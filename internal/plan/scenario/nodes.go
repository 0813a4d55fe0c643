package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxNodes bounds the size of a tree whose aliases refer to aliases.
const maxNodes = 20_000

// resolve copies a tree with its aliases and merge keys replaced by what they
// stand for, and notes the file of each node.
func (d *Document) resolve(n *yaml.Node, file string) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	c := *n
	c.Anchor, c.Content = "", nil
	d.files[&c] = file
	if len(d.files) > maxNodes {
		d.errs.add(&Error{File: file, Text: fmt.Sprintf("has more than %d values, with its aliases", maxNodes)})
		return &c
	}
	d.checkTwice(n, file)
	var merged *yaml.Node
	for i, item := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && item.Tag == "!!merge" {
			merged = d.resolve(n.Content[i+1], file)
			continue
		}
		if n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].Tag == "!!merge" {
			continue
		}
		c.Content = append(c.Content, d.resolve(item, file))
	}
	if merged != nil && merged.Kind == yaml.MappingNode {
		return d.merge(merged, &c)
	}
	return &c
}

// checkTwice finds duplicate keys of a mapping: one of them would be lost.
func (d *Document) checkTwice(n *yaml.Node, file string) {
	if n.Kind != yaml.MappingNode {
		return
	}
	lines := map[string]int{}
	for k := range pairs(n) {
		if first, twice := lines[k.Value]; twice {
			d.errs.add(&Error{File: file, Line: k.Line, Key: k.Value, Text: fmt.Sprintf("is defined twice; it is already on line %d", first)})
		}
		lines[k.Value] = k.Line
	}
}

// clone copies a tree with its files.
func (d *Document) clone(n *yaml.Node) *yaml.Node {
	c := *n
	c.Content = nil
	if file, ok := d.files[n]; ok {
		d.files[&c] = file
	}
	for _, item := range n.Content {
		c.Content = append(c.Content, d.clone(item))
	}
	return &c
}

// merge lays one mapping over another: mappings are merged in turn, everything
// else is replaced.
func (d *Document) merge(under, over *yaml.Node) *yaml.Node {
	if under.Kind != yaml.MappingNode || over.Kind != yaml.MappingNode {
		return over
	}
	m := *over
	m.Content = nil
	if file, ok := d.files[over]; ok {
		d.files[&m] = file
	}
	for k, v := range pairs(under) {
		if child(over, k.Value) == nil {
			m.Content = append(m.Content, k, v)
			continue
		}
		for k2, v2 := range pairs(over) {
			if k2.Value == k.Value {
				m.Content = append(m.Content, k2, d.merge(v, v2))
			}
		}
	}
	for k, v := range pairs(over) {
		if child(under, k.Value) == nil {
			m.Content = append(m.Content, k, v)
		}
	}
	return &m
}

// child is a mapping's value by its key, nil if there is none.
func child(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for k, v := range pairs(n) {
		if k.Value == key {
			return v
		}
	}
	return nil
}

// without is the mapping without a key.
func without(n *yaml.Node, key string) *yaml.Node {
	var rest []*yaml.Node
	for k, v := range pairs(n) {
		if k.Value != key {
			rest = append(rest, k, v)
		}
	}
	n.Content = rest
	return n
}

// put sets a value at a path and creates missing mappings. Those get the value's
// position in the file, for errors.
func (d *Document) put(at *yaml.Node, keys []string, value *yaml.Node) error {
	file, inFile := d.files[value]
	placed := func(n *yaml.Node) *yaml.Node {
		n.Line = value.Line
		if inFile {
			d.files[n] = file
		}
		return n
	}
	for i, key := range keys {
		if at.Kind != yaml.MappingNode {
			return d.errorAt(value, strings.Join(keys, "."), "%s has no keys below it", strings.Join(keys[:i], "."))
		}
		next := child(at, key)
		if i == len(keys)-1 {
			next = value
		} else if next == nil || isNull(next) {
			next = placed(&yaml.Node{Kind: yaml.MappingNode})
		}
		setChild(at, placed(&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}), next)
		at = next
	}
	return nil
}

func setChild(n, key, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key.Value {
			n.Content[i+1] = value
			return
		}
	}
	n.Content = append(n.Content, key, value)
}

// literalTag marks a value that is taken as it is, as in model: !literal "${X}". What
// a server says of itself is written so: it is data and holds no variables.
const literalTag = "!literal"

// Literal is a text as a scenario's file writes it, so that it is read as the same
// text: always in quotes, and marked where something in it would be put in.
func Literal(text string) string {
	n := yaml.Node{Kind: yaml.ScalarNode, Style: yaml.DoubleQuotedStyle, Tag: "!!str", Value: text}
	if strings.ContainsAny(text, "{}") {
		n.Tag = literalTag
	}
	b, err := yaml.Marshal(&n)
	if err != nil {
		panic(err) // a text always has a form
	}
	return strings.TrimSuffix(string(b), "\n")
}

// variable is ${NAME} or ${NAME:-default}; $${ is a plain ${.
var variable = regexp.MustCompile(`\$?\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`)

// expand puts variables of the environment into all values.
func (d *Document) expand(n *yaml.Node, lookup func(string) (string, bool), errs *errorList) {
	for i, c := range n.Content {
		if n.Kind != yaml.MappingNode || i%2 == 1 {
			d.expand(c, lookup, errs)
		}
	}
	if n.Kind != yaml.ScalarNode || n.Tag == literalTag || !strings.Contains(n.Value, "${") {
		return
	}
	n.Value = variable.ReplaceAllStringFunc(n.Value, func(found string) string {
		if strings.HasPrefix(found, "$$") {
			return found[1:]
		}
		m := variable.FindStringSubmatch(found)
		if v, ok := lookup(m[1]); ok && (v != "" || m[2] == "") {
			return v
		}
		if m[2] == "" {
			errs.add(d.errorAt(n, "", "the variable %s is not set; set it, or write ${%s:-default}", m[1], m[1]))
		}
		return m[3]
	})
}

// placeholder is {name} in a value.
var placeholder = regexp.MustCompile(`\{([a-z_][a-z0-9_]*)\}`)

// fill puts values for their placeholders into all values of a tree. later are
// names that are known only when a server is started.
func (d *Document) fill(n *yaml.Node, values map[string]string, later []string, errs *errorList) {
	for i, c := range n.Content {
		if n.Kind != yaml.MappingNode || i%2 == 1 {
			d.fill(c, values, later, errs)
		}
	}
	if n.Kind != yaml.ScalarNode || n.Tag == literalTag {
		return
	}
	n.Value = placeholder.ReplaceAllStringFunc(n.Value, func(found string) string {
		name := found[1 : len(found)-1]
		if v, ok := values[name]; ok {
			return v
		}
		known := later
		for k := range values {
			known = append(known[:len(known):len(known)], k)
		}
		for _, l := range later {
			if l == name {
				return found
			}
		}
		slices.Sort(known)
		errs.add(d.errorAt(n, "", "there is no value for %s in vars; %s", found, suggest(name, known)))
		return found
	})
}
