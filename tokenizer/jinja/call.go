package jinja

import (
	"fmt"
)

// arguments are what a function, filter, test or macro is called with.
type arguments struct {
	values []any
	named  []namedValue
}

type namedValue struct {
	name  string
	value any
}

// absent stands for an argument that was not given.
type absent struct{}

// bind puts arguments into the order of these names; the first of them must be given.
func (a *arguments) bind(required int, names ...string) []any {
	if len(a.values) > len(names) {
		fail("%d arguments given, at most %d wanted", len(a.values), len(names))
	}
	bound := make([]any, len(names))
	for i := range bound {
		bound[i] = absent{}
	}
	copy(bound, a.values)
	for _, given := range a.named {
		at := -1
		for i, name := range names {
			if name == given.name {
				at = i
			}
		}
		if at < 0 {
			fail("there is no argument '%s'", given.name)
		}
		bound[at] = given.value
	}
	for i := range required {
		if bound[i] == (absent{}) {
			fail("the argument '%s' is missing", names[i])
		}
	}
	return bound
}

// function is one of ours that templates can call.
type function struct {
	name string
	call func(r *run, a *arguments) any
}

// macro is one of the template's, with the frame that it was defined in.
type macro struct {
	*macroDefinition
	home *frame
}

func (f *frame) arguments(c *call) *arguments {
	a := &arguments{}
	for i := range c.arguments {
		arg := &c.arguments[i]
		v := f.value(arg.value)
		switch arg.name {
		case "":
			a.values = append(a.values, v)
		case "*":
			items := f.run.iterate(v)
			f.run.spend(itemCost * len(items))
			a.values = append(a.values, items...)
		case "**":
			d, isDict := v.(*Dict)
			if !isDict {
				fail("** needs a dict, not %s", typeName(v))
			}
			for i, key := range d.keys {
				name, isText := key.(string)
				if !isText {
					fail("the names of arguments must be strings")
				}
				f.run.spend(4 * itemCost)
				a.named = append(a.named, namedValue{name, d.values[i]})
			}
		default:
			a.named = append(a.named, namedValue{arg.name, v})
		}
	}
	f.run.spend(itemCost * len(c.arguments))
	return a
}

func (r *run) call(callee any, a *arguments) any {
	switch c := callee.(type) {
	case *function:
		return c.call(r, a)
	case *method:
		return c.call(r, a)
	case *macro:
		return c.run(r, a)
	case undefined:
		fail("%s", c.why)
	}
	fail("%s can't be called", typeName(callee))
	return nil
}

func (m *macro) run(r *run, a *arguments) any {
	r.enter()
	f := m.home.inner()
	if len(a.values) > len(m.parameters) && !m.catchAll {
		fail("the macro '%s' takes at most %d arguments", m.name, len(m.parameters))
	}
	given := map[string]any{}
	var others []namedValue
	for i, v := range a.values[:min(len(a.values), len(m.parameters))] {
		given[m.parameters[i].name] = v
	}
	for _, n := range a.named {
		switch _, twice := given[n.name]; {
		case twice:
			fail("the macro '%s' got '%s' twice", m.name, n.name)
		case n.name == "caller":
			f.set("caller", n.value)
		case m.has(n.name):
			given[n.name] = n.value
		case m.catchNamed:
			others = append(others, n)
		default:
			fail("the macro '%s' takes no argument '%s'", m.name, n.name)
		}
	}
	for _, p := range m.parameters { // in their order: a default may use what stands before it
		v, found := given[p.name]
		if !found && p.value != nil {
			v = f.value(p.value)
		} else if !found {
			v = undefined{why: "parameter '" + p.name + "' was not provided"}
		}
		f.set(p.name, v)
	}
	if m.catchAll {
		f.set("varargs", newTuple(a.values[min(len(a.values), len(m.parameters)):]))
	}
	if m.catchNamed {
		f.set("kwargs", r.dictOf(others))
	}
	line := r.line
	text := f.capture(m.body)
	r.line = line
	r.leave()
	return text
}

func (m *macro) has(name string) bool {
	for _, p := range m.parameters {
		if p.name == name {
			return true
		}
	}
	return false
}

// global gives a function that every template can call, or nil. strftime_now is none of them: whoever renders
// says which day it is, with [StrftimeNow].
func global(name string) any {
	switch name {
	case "raise_exception":
		return &function{name, raise}
	case "namespace":
		return &function{name, newNamespace}
	case "range":
		return &function{name, newRange}
	case "dict":
		return &function{name, newDict}
	}
	return nil
}

func raise(r *run, a *arguments) any {
	fail("%s", r.text(a.bind(1, "message")[0]))
	return nil
}

func newDict(r *run, a *arguments) any {
	d := &Dict{}
	if len(a.values) > 1 {
		fail("dict takes one value and named ones")
	}
	if len(a.values) == 1 {
		r.fillDict(d, a.values[0])
	}
	for _, n := range a.named {
		r.spend(4 * itemCost)
		d.set(n.name, n.name, n.value)
	}
	return d
}

func (r *run) fillDict(d *Dict, from any) {
	if other, isDict := from.(*Dict); isDict {
		from = newGenerator(r.pairs(other))
	}
	for _, pair := range r.iterate(from) {
		r.spend(4 * itemCost)
		parts := r.iterate(pair)
		if len(parts) != 2 {
			fail("dict needs pairs")
		}
		d.set(r.hash(parts[0]), parts[0], parts[1])
	}
}

func newNamespace(r *run, a *arguments) any {
	space := &namespace{map[string]any{}}
	d := newDict(r, a).(*Dict)
	for i, key := range d.keys {
		space.fields[r.text(key)] = d.values[i]
	}
	return space
}

func newRange(r *run, a *arguments) any {
	args := a.bind(1, "start", "stop", "step")
	from, to, step := int64(0), intArgument(args[0], 0), int64(1)
	text := fmt.Sprintf("range(0, %d)", to)
	if args[1] != (absent{}) {
		from, to = to, intArgument(args[1], 0)
		step = intArgument(args[2], 1)
		text = fmt.Sprintf("range(%d, %d)", from, to)
	}
	if step == 0 {
		fail("the step of a range can't be 0")
	}
	if step != 1 {
		text = fmt.Sprintf("range(%d, %d, %d)", from, to, step)
	}
	items := []any{}
	for i := from; step > 0 && i < to || step < 0 && i > to; {
		if len(items) == maxRange {
			fail("a range may have at most %d items", maxRange)
		}
		r.spend(2 * itemCost)
		items = append(items, i)
		if step > 0 && i > to-step || step < 0 && i < to-step {
			break // the next one may not fit into 64 bits
		}
		i += step
	}
	return &List{kind: rangeList, items: items, text: text}
}
