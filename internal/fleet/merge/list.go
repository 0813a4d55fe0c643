package merge

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/share"
)

// list is who sends what, and what has come so far: four bytes and a bit for each planned
// request.
type list struct {
	known  bool // there is a list; else the shares decide
	total  int
	shares []int   // requests of each agent
	owner  []int32 // of a request, by its index; -1: nobody's
	talks  []int32 // of a conversation, by its number less one
	came   bits    // requests that have a line
	over   bits    // conversations that have a line
	owners []*share.Owner
}

func (l *list) read(p *Plan) {
	l.shares = make([]int, len(p.Agents))
	for i := range p.Agents {
		l.owners = append(l.owners, p.Agents[i].Share.Owner())
	}
	if p.Planned == nil {
		return
	}
	l.known = true
	for r := range p.Planned {
		if r.Index < 0 || r.Agent < 0 || r.Agent >= len(p.Agents) {
			continue // nobody sends it
		}
		l.owner = own(l.owner, r.Index, r.Agent)
		if r.Conversation > 0 {
			l.talks = own(l.talks, r.Conversation-1, r.Agent)
		}
		l.total++
		l.shares[r.Agent]++
	}
}

func own(table []int32, i, agent int) []int32 {
	for len(table) <= i {
		table = append(table, -1)
	}
	table[i] = int32(agent)
	return table
}

// take is asked for each line of a request, and says why it can't be taken: nil if it can.
// The next line of the same request can't.
func (l *list) take(agent int, r *journal.Request) (why error, twice bool) {
	owner := -1
	switch {
	case !l.known && r.Index >= 0 && r.Index < mostUnits:
		owner = l.byShare(agent, unit(r))
	case l.known && r.Index >= 0 && r.Index < len(l.owner):
		owner = int(l.owner[r.Index])
	}
	switch {
	case owner < 0:
		return fmt.Errorf("request %d is nobody's", r.Index), false
	case owner != agent:
		return fmt.Errorf("request %d is of another agent's share", r.Index), false
	case !l.came.set(r.Index):
		return fmt.Errorf("request %d came twice", r.Index), true
	}
	return nil, false
}

// mostUnits bounds the bits of a run without a list.
const mostUnits = 1 << 30

// byShare is the agent of a unit, where its share says that it is its own.
func (l *list) byShare(agent, unit int) int {
	if unit < 0 || unit >= mostUnits {
		return -1
	}
	return l.owners[agent].Of(unit)
}

// unit is what requests are divided by: see prepare.Unit.
func unit(r *journal.Request) int {
	if r.Conversation > 0 {
		return r.Conversation - 1
	}
	return r.Index
}

// ended notes that a conversation is over, and says whether it was its agent's to say, once.
func (l *list) ended(agent, number int) bool {
	owner := -1
	switch {
	case !l.known:
		owner = l.byShare(agent, number-1)
	case number > 0 && number <= len(l.talks):
		owner = int(l.talks[number-1])
	}
	return owner == agent && l.over.set(number-1)
}

// bits is a set of numbers from 0, in pages, so that a large one costs no more than a page.
type bits map[int]*[512]uint64

const pageBits = 512 * 64

// set adds a number, and says whether it is new.
func (b *bits) set(n int) bool {
	if *b == nil {
		*b = bits{}
	}
	page := (*b)[n/pageBits]
	if page == nil {
		page = new([512]uint64)
		(*b)[n/pageBits] = page
	}
	word, bit := &page[n%pageBits/64], uint64(1)<<(n%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}

func (b bits) has(n int) bool {
	page := b[n/pageBits]
	return page != nil && page[n%pageBits/64]&(1<<(n%64)) != 0
}
