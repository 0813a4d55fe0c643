package jinja

import "fmt"

// global gives a function that every template can call, or nil. strftime_now is left out on purpose: a
// prompt with today's date in it would be another prompt tomorrow.
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
