package jinja

import (
	"strings"
)

// frame holds the variables of a template, a turn of a loop, a macro or a block, and where its text goes.
// What is set in it is gone when it ends; if makes none.
type frame struct {
	run    *run
	vars   map[string]any
	parent *frame
	out    *strings.Builder
}

func (f *frame) inner() *frame { return &frame{run: f.run, parent: f, out: f.out} }

func (f *frame) lookup(name string) any {
	for at := f; at != nil; at = at.parent {
		f.run.spend(1)
		if v, found := at.vars[name]; found {
			return v
		}
	}
	if g := global(name); g != nil {
		return g
	}
	return undefined{why: "'" + name + "' is undefined"}
}

func (f *frame) set(name string, v any) {
	if f.vars == nil {
		f.vars = map[string]any{}
	}
	f.vars[name] = v
}

func (f *frame) write(text string) {
	f.run.spend(len(text))
	f.out.WriteString(text)
}

// capture gives the text that body writes.
func (f *frame) capture(body []statement) string {
	var out strings.Builder
	f.out = &out
	f.execAll(body)
	return out.String()
}

func (f *frame) execAll(body []statement) signal {
	for _, s := range body {
		if signal := s.exec(f); signal != goOn {
			return signal
		}
	}
	return goOn
}

// assign gives a target its value, and the parts of one to several targets.
func (f *frame) assign(to *target, v any) {
	switch {
	case to.several != nil:
		items := f.run.iterate(v)
		if len(items) != len(to.several) {
			fail("%d values can't be unpacked into %d names", len(items), len(to.several))
		}
		for i := range to.several {
			f.assign(&to.several[i], items[i])
		}
	case to.attribute != "":
		space, isSpace := f.lookup(to.name).(*namespace)
		if !isSpace {
			fail("attributes can be set of namespaces only, and '%s' is none", to.name)
		}
		space.fields[to.attribute] = v
	default:
		f.set(to.name, v)
	}
}

func (n *textNode) exec(f *frame) signal {
	f.write(n.text)
	return goOn
}

func (n *printNode) exec(f *frame) signal {
	f.run.line = n.line
	f.write(f.run.text(f.value(n.value)))
	return goOn
}

func (n *ifNode) exec(f *frame) signal {
	for i := range n.branches {
		b := &n.branches[i]
		f.run.line = b.line
		if f.run.truth(f.value(b.test)) {
			return f.execAll(b.body)
		}
	}
	return f.execAll(n.other)
}

func (n *setNode) exec(f *frame) signal {
	f.run.line = n.line
	f.assign(&n.target, f.value(n.value))
	return goOn
}

func (n *setBlockNode) exec(f *frame) signal {
	text := f.inner().capture(n.body)
	f.run.line = n.line
	f.assign(&n.target, f.applyAll(n.filters, text))
	return goOn
}

func (n *filterBlockNode) exec(f *frame) signal {
	text := f.inner().capture(n.body)
	f.run.line = n.line
	f.write(f.run.text(f.applyAll(n.filters, text)))
	return goOn
}

func (f *frame) applyAll(filters []call, v any) any {
	for i := range filters {
		v = f.applyFilter(&filters[i], v)
	}
	return v
}

func (n *withNode) exec(f *frame) signal {
	inner := f.inner()
	for i := range n.sets { // their values don't see each other
		f.run.line = n.sets[i].line
		inner.assign(&n.sets[i].target, f.value(n.sets[i].value))
	}
	return inner.execAll(n.body)
}

func (n *signalNode) exec(*frame) signal  { return n.signal }
func (n *groupNode) exec(f *frame) signal { return f.execAll(n.body) }

func (n *macroNode) exec(f *frame) signal {
	f.set(n.macro.name, &macro{n.macro, f})
	return goOn
}

func (n *callNode) exec(f *frame) signal {
	f.run.line = n.line
	args := f.arguments(&n.call.call)
	args.named = append(args.named, namedValue{"caller", &macro{n.caller, f}})
	f.write(f.run.text(f.run.call(f.value(n.call.function), args)))
	return goOn
}

// loop is the variable of that name within a for.
type loop struct {
	items []any
	at    int
	// last is what changed() was called with before.
	last []any
}

func (n *forNode) exec(f *frame) signal {
	f.run.line = n.line
	items := f.run.iterate(f.value(n.items))
	if n.filter != nil {
		var kept []any
		for _, v := range items {
			f.run.spend(itemCost)
			turn := f.inner()
			turn.assign(&n.target, v)
			if f.run.truth(turn.value(n.filter)) {
				kept = append(kept, v)
			}
		}
		items = kept
	}
	if len(items) == 0 {
		return f.inner().execAll(n.other)
	}
	state := &loop{items: items}
	for i, v := range items {
		f.run.spend(itemCost)
		state.at = i
		turn := f.inner()
		turn.set("loop", state)
		turn.assign(&n.target, v)
		if turn.execAll(n.body) == breakLoop {
			break
		}
	}
	return goOn
}

func (l *loop) attribute(name string) any {
	switch name {
	case "index":
		return int64(l.at + 1)
	case "index0":
		return int64(l.at)
	case "revindex":
		return int64(len(l.items) - l.at)
	case "revindex0":
		return int64(len(l.items) - l.at - 1)
	case "first":
		return l.at == 0
	case "last":
		return l.at == len(l.items)-1
	case "length":
		return int64(len(l.items))
	case "depth":
		return int64(1) // only recursive loops count deeper
	case "depth0":
		return int64(0)
	case "previtem":
		if l.at > 0 {
			return l.items[l.at-1]
		}
		return undefined{why: "there is no previous item"}
	case "nextitem":
		if l.at+1 < len(l.items) {
			return l.items[l.at+1]
		}
		return undefined{why: "there is no next item"}
	case "cycle":
		return &function{"cycle", func(_ *run, a *arguments) any {
			if len(a.values) == 0 {
				fail("cycle needs values")
			}
			return a.values[l.at%len(a.values)]
		}}
	case "changed":
		return &function{"changed", func(r *run, a *arguments) any {
			same := l.last != nil && r.equal(newTuple(l.last), newTuple(a.values))
			l.last = append([]any{}, a.values...)
			return !same
		}}
	}
	return undefined{why: "a loop has no attribute '" + name + "'"}
}
