package table

import (
	"fmt"
	"slices"

	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// node is a column, or a part of one. Parquet keeps only the leaves of nested values,
// each value with two numbers: at which level of lists it repeats, and how deep it is
// defined.
type node struct {
	name       string
	column     *parquet.Column
	parts      []*node
	leaves     []int // the file's numbers of the leaves below
	repetition int   // level at which a new element begins, if it is repeated
	definition int   // level from which on it is there
	text       bool  // bytes are a text
}

func newNode(c *parquet.Column, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, ordered.ErrDeep
	}
	n := &node{name: c.Name(), column: c, repetition: c.MaxRepetitionLevel(), definition: c.MaxDefinitionLevel()}
	if c.Leaf() {
		n.leaves = []int{c.Index()}
		n.text = isText(c.Type())
		return n, nil
	}
	for _, part := range c.Columns() {
		p, err := newNode(part, depth+1)
		if err != nil {
			return nil, err
		}
		n.parts = append(n.parts, p)
		n.leaves = append(n.leaves, p.leaves...)
	}
	return n, nil
}

func isText(t parquet.Type) bool {
	if l := t.LogicalType(); l != nil {
		switch l.Value.(type) {
		case *format.StringType, *format.JsonType, *format.EnumType:
			return true
		}
	}
	return false
}

// value makes one value of the leaves' values, which are those of one element of what
// the node lies in.
func (n *node) value(leaves [][]parquet.Value) (any, error) {
	if len(leaves) == 0 || len(leaves[0]) == 0 {
		return nil, fmt.Errorf("%s has no value", n.name)
	}
	there := leaves[0][0].DefinitionLevel() >= n.definition
	switch {
	case n.column.Repeated():
		if !there {
			return []any{}, nil
		}
		return n.list(leaves)
	case !there:
		return nil, nil
	}
	return n.content(leaves)
}

// list takes the values apart where a new element begins.
func (n *node) list(leaves [][]parquet.Value) (any, error) {
	var out []any
	rest := slices.Clone(leaves)
	for len(rest[0]) > 0 {
		element := make([][]parquet.Value, len(rest))
		for i, values := range rest {
			if len(values) == 0 {
				return nil, fmt.Errorf("%s: its parts have different numbers of elements", n.name)
			}
			end := 1
			for end < len(values) && values[end].RepetitionLevel() > n.repetition {
				end++
			}
			element[i], rest[i] = values[:end], values[end:]
		}
		v, err := n.content(element)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// content is the value of what is there.
func (n *node) content(leaves [][]parquet.Value) (any, error) {
	if n.column.Leaf() {
		return n.scalar(leaves[0][0]), nil
	}
	out := make(Object, 0, len(n.parts))
	for _, p := range n.parts {
		v, err := p.value(leaves[:len(p.leaves)])
		if err != nil {
			return nil, err
		}
		leaves = leaves[len(p.leaves):]
		out = append(out, ordered.Member{Key: p.name, Value: v})
	}
	return n.unwrapped(out), nil
}

// unwrapped takes away the two levels by which Parquet writes a list, and a map.
func (n *node) unwrapped(o Object) any {
	if n.column.Repeated() || len(n.parts) != 1 || !n.parts[0].column.Repeated() {
		return o
	}
	inner := n.parts[0]
	list, ok := o[0].Value.([]any)
	switch {
	case !ok:
		return o
	case slices.Contains([]string{"list", "bag", "array"}, inner.name):
		if len(inner.parts) == 1 && inner.name != "array" {
			for i, v := range list {
				list[i] = v.(Object)[0].Value
			}
		}
		return list
	case slices.Contains([]string{"key_value", "map"}, inner.name) && len(inner.parts) == 2:
		m := make(Object, len(list))
		for i, v := range list {
			pair := v.(Object)
			m[i] = ordered.Member{Key: fmt.Sprint(pair[0].Value), Value: pair[1].Value}
		}
		return m
	}
	return o
}

func (n *node) scalar(v parquet.Value) any {
	switch v.Kind() {
	case parquet.Boolean:
		return v.Boolean()
	case parquet.Int32:
		return int64(v.Int32())
	case parquet.Int64:
		return v.Int64()
	case parquet.Float:
		return float64(v.Float())
	case parquet.Double:
		return v.Double()
	case parquet.ByteArray, parquet.FixedLenByteArray:
		if n.text {
			return string(v.ByteArray())
		}
		return slices.Clone(v.ByteArray())
	case parquet.Int96:
		return v.String()
	}
	return nil
}
