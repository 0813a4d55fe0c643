package replay

import "github.com/inferometer/inferometer/internal/send/trace"

// mostPlanned bounds what a plan of prefixes keeps; beyond it nothing is planned.
const mostPlanned = 1 << 22

// Plan says of each prompt how many of its tokens an earlier one had at its
// beginning: what a prefix cache without bounds would know, if each prompt were
// computed before the next comes.
type Plan struct {
	seen map[[2]uint64]int32 // tokens by pass and block, or by session
}

// NewPlan has seen nothing.
func NewPlan() *Plan { return &Plan{seen: map[[2]uint64]int32{}} }

// Add enters a row of a pass; history says that a session's prompts begin with those before.
// Not known: there was too much to keep.
func (p *Plan) Add(pass int, r *trace.Row, history bool) (shared int, known bool) {
	if len(p.seen) > mostPlanned {
		return 0, false
	}
	if len(r.IDs) == 0 {
		if !history || r.Session == 0 {
			return 0, true
		}
		return p.grow([2]uint64{uint64(pass), r.Session}, r.Input), true
	}
	leading := true
	for i, id := range r.IDs {
		size := min(r.Block, r.Input-i*r.Block)
		n := p.grow([2]uint64{uint64(pass), id}, size)
		if leading {
			shared += n
		}
		leading = leading && n == size
	}
	return shared, true
}

// grow notes that the first n tokens of something were sent, and says how many of them had been before.
func (p *Plan) grow(key [2]uint64, n int) int {
	before := int(p.seen[key])
	p.seen[key] = int32(max(before, n))
	return min(before, n)
}
