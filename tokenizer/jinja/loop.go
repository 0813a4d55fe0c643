package jinja

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
