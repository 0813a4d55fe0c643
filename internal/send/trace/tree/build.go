package tree

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"
)

// Recording is a job as Weka's kv-cache-tester and its like write it down: a list of requests, and of sub-agents with
// requests of their own. What waited for what is not said: it is found from the times and the blocks, by the
// rules of AIPerf 0.13.
type Recording struct {
	ID      string
	Block   int // tokens of a block; 0: there are none
	System  int // tokens of the tools and the system prompt
	Shared  bool
	Entries []Entry
}

// Entry is a request of the job itself, or a sub-agent.
type Entry struct {
	Request
	Sub *Sub // nil: a request
}

// Request is one request. Times are those of the recording's clock.
type Request struct {
	Name          string
	At, Took      time.Duration
	Input, Output int
	IDs           []uint64
	Model         string
}

func (q *Request) end() time.Duration { return q.At + q.Took }

// Sub is a sub-agent, which was spawned at its entry's time.
type Sub struct {
	Name, Kind string
	System     int
	Took       time.Duration // negative: not known
	Requests   []Request
}

// Build makes a tree of a recording. With split, agents that only their prompts tell apart are branches of
// their own.
func Build(r Recording, split bool) (*Tree, error) {
	b := &builder{recording: &r, split: split, places: map[between]int{}, names: map[string]int{}, tree: &Tree{ID: r.ID, Block: r.Block, Shared: r.Shared}}
	slices.SortStableFunc(r.Entries, func(x, y Entry) int { return cmp.Compare(x.At, y.At) })
	turns := 0
	for i := range r.Entries {
		if s := r.Entries[i].Sub; s != nil {
			turns += len(s.Requests)
		} else {
			turns++
		}
	}
	switch {
	case turns == 0:
		return nil, errors.New("it has no request")
	case turns > MaxTurns:
		return nil, fmt.Errorf("it has %d requests, and %d are the most", turns, MaxTurns)
	}
	b.branches()
	for i := range b.groups {
		b.spawned(&b.groups[i])
	}
	for _, scope := range b.scopes {
		if err := b.tree.barriers(scope); err != nil {
			return nil, err
		}
	}
	if err := b.tree.order(b.numbers); err != nil {
		return nil, err
	}
	b.tree.code()
	return b.tree, nil
}

type builder struct {
	recording *Recording
	split     bool
	tree      *Tree
	numbers   []int // the entries of all turns
	main      []int // turns of the root
	entries   []int // and the entries that they are
	groups    []group
	places    map[between]int // of groups
	names     map[string]int
	scopes    [][]int // turns that may have barriers for each other, by scope
}

// between is what branches of a group have in common: the turns of the root that spawned and joined them; -1: none.
// AIPerf has sub-agents and agents that it found in groups of their own.
type between struct {
	spawn, join int
	found       bool
}

type group struct {
	between
	since time.Duration
	first []int // turns
}

// branches makes the root, the sub-agents, and the agents that are found beside the root.
func (b *builder) branches() {
	var list []Request
	var entries []int
	for i := range b.recording.Entries {
		if e := &b.recording.Entries[i]; e.Sub == nil {
			list, entries = append(list, e.Request), append(entries, i)
		}
	}
	c := b.chains(list)
	number := func(i int) int { return entries[i] }
	b.main = b.branch(Branch{Name: Root, Kind: Root, Parent: -1, System: b.recording.System}, list, c.main, number)
	for _, i := range c.main {
		b.entries = append(b.entries, entries[i])
	}
	scope := b.main
	for i := range b.recording.Entries {
		if b.recording.Entries[i].Sub != nil {
			b.sub(i)
		}
	}
	for k, o := range c.others {
		turns := b.branch(Branch{Name: o.name(k), Kind: o.kind, System: c.covers(b, list, o, b.recording.System)}, list, o.list, number)
		at, end := list[o.list[0]].At, time.Duration(0)
		for _, i := range o.list {
			end = max(end, list[i].end())
		}
		b.hang(turns, entries[o.list[0]], at, end, true)
		scope = append(scope, turns...)
	}
	b.scopes = append(b.scopes, scope)
}

// sub makes the branches of a sub-agent: of its own, and of agents that are found in it.
func (b *builder) sub(entry int) {
	e := &b.recording.Entries[entry]
	s := e.Sub
	if len(s.Requests) == 0 {
		return
	}
	end := e.At + max(s.Took, 0)
	for i := range s.Requests {
		q := &s.Requests[i]
		q.At = max(q.At, e.At)
		if s.Took < 0 {
			end = max(end, q.end())
		}
	}
	slices.SortStableFunc(s.Requests, func(x, y Request) int { return cmp.Compare(x.At, y.At) })
	c := b.chains(s.Requests)
	name := b.name("sa:" + s.Name)
	number := func(int) int { return entry }
	scope := b.branch(Branch{Name: name, Kind: cmp.Or(s.Kind, Subagent), System: s.System}, s.Requests, c.main, number)
	b.hang(scope, entry, e.At, end, false)
	for k, o := range c.others {
		turns := b.branch(Branch{Name: name + ":" + o.name(k), Kind: o.kind, System: c.covers(b, s.Requests, o, s.System)}, s.Requests, o.list, number)
		b.hang(turns, entry, e.At, end, false)
		scope = append(scope, turns...)
	}
	b.scopes = append(b.scopes, scope)
}

// name makes the name of a sub-agent one of its own.
func (b *builder) name(name string) string {
	b.names[name]++
	if n := b.names[name]; n > 1 {
		return fmt.Sprintf("%s-%d", name, n)
	}
	return name
}

// branch adds one, with the turns of a chain; number gives the entry of a request.
func (b *builder) branch(branch Branch, list []Request, chain []int, number func(int) int) (turns []int) {
	for k, i := range chain {
		q := &list[i]
		t := Turn{Name: q.Name, Branch: len(b.tree.Branches), At: q.At, Took: q.Took, Input: q.Input, Output: q.Output, Model: q.Model, IDs: q.IDs}
		if k > 0 {
			t.Parents = append(t.Parents, b.tree.parent(turns[k-1], Next, q.At))
		}
		turns = append(turns, len(b.tree.Turns))
		b.tree.Turns = append(b.tree.Turns, t)
		b.numbers = append(b.numbers, number(i))
	}
	b.tree.Branches = append(b.tree.Branches, branch)
	return turns
}

// parent is an edge from a turn to one that began at a time.
func (t *Tree) parent(turn int, edge Edge, at time.Duration) Parent {
	p := &t.Turns[turn]
	return Parent{Turn: turn, Edge: edge, Pause: max(at-p.At-p.Took, 0)}
}

// hang spawns a branch by the last turn of the root before its entry, and joins it to the first one behind its end.
func (b *builder) hang(turns []int, entry int, at, end time.Duration, found bool) {
	first, last := turns[0], turns[len(turns)-1]
	branch := &b.tree.Branches[b.tree.Turns[first].Branch]
	branch.Since = at
	k := sort.SearchInts(b.entries, entry)
	if k == 0 {
		branch.Parent = -1
		return
	}
	g := between{spawn: b.main[k-1], join: -1, found: found}
	k += sort.Search(len(b.main)-k, func(i int) bool { return b.tree.Turns[b.main[k+i]].At+tolerance >= end })
	if k < len(b.main) {
		g.join = b.main[k]
		t := &b.tree.Turns[g.join]
		t.Parents = append(t.Parents, b.tree.parent(last, Join, t.At))
	}
	i, known := b.places[g]
	if !known {
		i = len(b.groups)
		b.places[g] = i
		b.groups = append(b.groups, group{between: g, since: at})
	}
	b.groups[i].since = min(b.groups[i].since, at)
	b.groups[i].first = append(b.groups[i].first, first)
}

// spawned gives the branches of a group their first edge. One that began before the spawning turn had ended did not
// wait for its end.
func (b *builder) spawned(g *group) {
	by := &b.tree.Turns[g.spawn]
	for _, first := range g.first {
		t := &b.tree.Turns[first]
		b.tree.Branches[t.Branch].Since = g.since
		p := b.tree.parent(g.spawn, Spawn, t.At)
		if g.since < by.At+by.Took {
			p.Sent, p.Pause = true, max(t.At-by.At, 0)
		}
		t.Parents = append(t.Parents, p)
	}
}

// chains are the agents of a list of requests.
type chains struct {
	main   []int
	others []part
	first  []uint64 // ids of the main one's first prompt, but for a title's
}

// part is a chain beside the main one.
type part struct {
	list []int
	kind string
}

// name is as AIPerf has it.
func (p *part) name(k int) string {
	if p.kind == Auxiliary {
		return fmt.Sprintf("aux:%03d", k)
	}
	return fmt.Sprintf("fa:%03d", k)
}

// chains splits a list of requests, which is sorted by time.
func (b *builder) chains(list []Request) (c chains) {
	if !b.split || len(list) < 2 {
		for i := range list {
			c.main = append(c.main, i)
		}
		return c
	}
	main, others, title := split(list)
	c.main = main
	if title && len(main) > 1 {
		main = main[1:]
	}
	model, peak := list[main[0]].Model, 0
	for _, i := range main {
		peak = max(peak, list[i].Input)
		if len(c.first) == 0 {
			c.first = list[i].IDs
		}
	}
	for _, o := range others {
		p := part{list: o, kind: Found}
		if len(o) == 1 && isAuxiliary(&list[o[0]], model, peak) {
			p.kind = Auxiliary
		}
		c.others = append(c.others, p)
	}
	return c
}

// covers gives a chain the system prompt of the main one, of so many tokens, if it begins with the same blocks; else 0.
func (c *chains) covers(b *builder, list []Request, p part, system int) int {
	if system == 0 || b.recording.Block == 0 {
		return 0
	}
	blocks := (system + b.recording.Block - 1) / b.recording.Block
	for _, i := range p.list {
		if ids := list[i].IDs; len(ids) > 0 {
			if Common(c.first, ids) >= blocks {
				return system
			}
			break
		}
	}
	return 0
}

// auxiliaryInput is the shortest prompt of an agent in tokens.
const auxiliaryInput = 16384

// isAuxiliary says whether a single request is a call beside the job: of another model, with a small prompt, or with a
// short answer to a long one, such as a summary.
func isAuxiliary(q *Request, model string, peak int) bool {
	summary := q.Output > 0 && q.Output < 4000 && q.Input > 20*q.Output
	return q.Model != model || q.Input < max(auxiliaryInput, peak/10) || summary
}
