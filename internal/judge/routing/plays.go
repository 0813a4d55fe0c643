package routing

// plays are the prompts of a run in the order of sending, taken apart into what they share, in blocks.
type plays struct {
	each  []play
	whose bool // it is known who shares with whom; else only how much each shares
}

// play is one prompt.
type play struct {
	pieces [2]shared // one after the other; none: its use is zero
	free   int32     // found by all but the first: a template
	rest   int32     // what is its own, with its answer: it is computed, and takes room
}

// shared is a piece that prompts share.
type shared struct {
	use    use
	need   int32 // blocks that it has of it from before
	leaves int32 // blocks of it that there are afterwards
}

// use names what prompts share: a prefix of the workload, counted from 1 (1: that of prompts without one), or a conversation.
type use struct{ prefix, talk int32 }

// plays takes the prompts apart. Not known: nothing says what they share.
//
// What a server's count has above the plan is a template, of which at most all stands before what is shared.
func (c *Collector) plays(block int32) (*plays, bool) {
	out := &plays{each: make([]play, len(c.list)), whose: true}
	lengths, known := c.prefixLengths(), false
	begun, talked := map[use]bool{}, map[int32]int32{}
	for i := range c.list {
		n, p := &c.list[i], &out.each[i]
		before, again := talked[n.talk]
		if n.talk > 0 {
			talked[n.talk] = n.prompt + n.output
		}
		group := use{prefix: n.prefix + 1}
		tokens := n.shared
		switch {
		case n.prefix > 0 && n.talk == 0:
			tokens = lengths[group] // the first by plan is not always the first that was sent
		case !n.planned && n.talk > 0 && again:
			tokens = min(before, n.prompt)
		}
		known = known || n.planned || n.talk > 0
		// One token is always computed, so that the block with which a prompt would end is never found.
		limit, all := max((n.prompt-1)/block, 0), (n.prompt+n.output+block-1)/block
		if i > 0 {
			p.free = min(n.unplanned/block, limit)
		}
		need := min((tokens+n.unplanned)/block, limit) - min(n.unplanned/block, limit)
		common := min(lengths[group], n.prompt) / block
		switch {
		case n.talk > 0:
			first := min(common, need)
			if !begun[group] {
				first = 0
			}
			p.pieces[0] = shared{group, first, common}
			p.pieces[1] = shared{use{talk: n.talk}, 0, max(all-common, 0)}
			if again {
				p.pieces[1].need = need - first
			}
		case n.prefix == 0 && need > 0:
			out.whose = false // shared with somebody
			p.pieces[0] = shared{group, need, need}
			p.rest = max(all-need, 0)
		default:
			if !begun[group] {
				need = 0
			}
			p.pieces[0] = shared{group, need, common}
			p.rest = max(all-common, 0)
		}
		begun[group] = true
	}
	if !out.whose { // nothing is ever dropped, and each finds what it shares
		for i := range out.each {
			p := &out.each[i]
			p.free += p.pieces[0].need + p.pieces[1].need
			p.pieces = [2]shared{}
		}
	}
	return out, known
}

// warm is how many tokens were found beyond what was sent before, of each beginning that is shared: which of two requests came first
// is not known to the last millisecond, but one of them computed what both share.
func (p *plays) warm(list []request, unlimited []int32, size int64) (tokens int64) {
	over := map[use]int64{}
	for i := range list {
		if n := &list[i]; n.measured && !n.failed && n.cached >= 0 {
			over[p.each[i].key()] += int64(n.cached) - int64(unlimited[i])*size
		}
	}
	for _, n := range over {
		tokens += max(n, 0)
	}
	return tokens
}

// prefixLengths are the tokens of each prefix of the workload.
func (c *Collector) prefixLengths() map[use]int32 {
	out, begun := map[use]int32{}, map[int32]bool{}
	for i := range c.list {
		n := &c.list[i]
		if n.talk == 0 || !begun[n.talk] {
			group := use{prefix: n.prefix + 1}
			out[group] = max(out[group], n.shared)
		}
		begun[n.talk] = true
	}
	return out
}

// workingSet is how many blocks there are in all that some prompt finds.
func (p *plays) workingSet() (blocks int64) {
	most := map[use]int32{}
	for i := range p.each {
		for _, s := range p.each[i].pieces {
			most[s.use] = max(most[s.use], s.need)
		}
	}
	for _, n := range most {
		blocks += int64(n)
	}
	return blocks
}
