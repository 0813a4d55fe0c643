package jinja

import "strings"

// value evaluates an expression.
func (f *frame) value(e expression) any {
	r := f.run
	r.spend(1)
	if r.nesting++; r.nesting > maxNesting {
		fail("nested too deep")
	}
	v := e.eval(f)
	r.nesting--
	return v
}

func (n *constant) eval(*frame) any   { return n.value }
func (n *nameNode) eval(f *frame) any { return f.lookup(n.name) }

func (f *frame) values(all []expression) []any {
	f.run.spend(itemCost * len(all))
	values := make([]any, len(all))
	for i, e := range all {
		values[i] = f.value(e)
	}
	return values
}

func (n *listNode) eval(f *frame) any  { return &List{items: f.values(n.items)} }
func (n *tupleNode) eval(f *frame) any { return newTuple(f.values(n.items)) }

func (n *dictNode) eval(f *frame) any {
	f.run.spend(4 * itemCost * len(n.keys))
	d := &Dict{}
	for i := range n.keys {
		key := f.value(n.keys[i])
		d.set(f.run.hash(key), key, f.value(n.values[i]))
	}
	return d
}

func (n *attribute) eval(f *frame) any { return f.run.attribute(f.value(n.of), n.name) }
func (n *item) eval(f *frame) any      { return f.run.item(f.value(n.of), f.value(n.at)) }

func (n *sliceNode) eval(f *frame) any {
	of := f.value(n.of)
	var bounds [3]any
	for i, e := range [3]expression{n.from, n.to, n.step} {
		if e != nil {
			bounds[i] = f.value(e)
		}
	}
	return f.run.slice(of, bounds)
}

func (n *callExpression) eval(f *frame) any {
	function := f.value(n.function)
	args := f.arguments(&n.call)
	f.run.line = n.line
	return f.run.call(function, args)
}

func (n *filterNode) eval(f *frame) any { return f.applyFilter(&n.call, f.value(n.of)) }

func (f *frame) applyFilter(c *call, v any) any {
	args := f.arguments(c)
	f.run.line = c.line
	return f.run.filter(c.name, v, args)
}

func (n *testNode) eval(f *frame) any {
	of := f.value(n.of)
	args := f.arguments(&n.call)
	f.run.line = n.line
	return f.run.test(n.name, of, args) != n.negated
}

func (n *signNode) eval(f *frame) any {
	v := f.value(n.of)
	f.run.line = n.line
	if !n.minus {
		return f.run.arithmetic("+", int64(0), v)
	}
	if x, isFloat := v.(float64); isFloat {
		return -x
	}
	return f.run.arithmetic("-", int64(0), v)
}

func (n *binary) eval(f *frame) any {
	left, right := f.value(n.left), f.value(n.right)
	f.run.line = n.line
	return f.run.arithmetic(n.operator, left, right)
}

func (n *concat) eval(f *frame) any {
	var b strings.Builder
	for _, part := range n.parts {
		text := f.run.text(f.value(part))
		f.run.spend(len(text))
		b.WriteString(text)
	}
	return b.String()
}

func (n *notNode) eval(f *frame) any { return !f.run.truth(f.value(n.of)) }

func (n *logical) eval(f *frame) any {
	left := f.value(n.left)
	if f.run.truth(left) == n.or {
		return left
	}
	return f.value(n.right)
}

func (n *comparison) eval(f *frame) any {
	left := f.value(n.first)
	for _, c := range n.rest {
		right := f.value(c.value)
		f.run.line = n.line
		if !f.run.compare(c.operator, left, right) {
			return false
		}
		left = right
	}
	return true
}

func (n *conditional) eval(f *frame) any {
	switch {
	case f.run.truth(f.value(n.test)):
		return f.value(n.yes)
	case n.no != nil:
		return f.value(n.no)
	}
	return undefined{why: "the condition was false, and there is no else", lenient: true}
}
