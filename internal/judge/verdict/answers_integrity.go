package verdict

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/journal"
)

// integrity compares greedy texts under load with those of the same prompts by
// themselves. Samples come after all requests of the load in the journal.
type integrity struct {
	loaded            *seen // index, counted from 1: the text under load
	compared, changed int64
	failed, notUnder  int64 // samples without an answer, and without one under load
	sampleSize        int
}

func newIntegrity(f *facts) check {
	c := &integrity{sampleSize: f.run.Options.IntegritySample}
	limit := 0
	if c.sampleSize > 0 { // else nothing need be remembered
		limit = f.opt.HashLimit
	}
	c.loaded = newSeen(limit)
	return c
}

func (c *integrity) add(v *view) {
	if text := hashOf(v.TextHash); c.sampleSize > 0 && !v.Warmup && v.complete && text != 0 {
		c.loaded.add(uint64(v.Index)+1, text)
	}
}

// again takes a prompt that was sent a second time, without load.
func (c *integrity) again(r *journal.Request) {
	text := hashOf(r.TextHash)
	before, known := c.loaded.first[uint64(r.Index)+1]
	switch {
	case r.Outcome != journal.Complete || text == 0:
		c.failed++
	case !known:
		c.notUnder++
	default:
		c.compared++
		if text != before {
			c.changed++
		}
	}
}

func (c *integrity) result(_ *facts, l limits) Check {
	switch {
	case c.sampleSize == 0:
		return skip("no prompts were sent again without load (--integrity-sample)")
	case c.compared == 0:
		return skip("no prompt has an answer both under load and without (%d failed when sent again, %d under load)", c.failed, c.notUnder)
	}
	share := float64(c.changed) / float64(c.compared)
	k := found(l, share, fmt.Sprintf("%d of %d", c.changed, c.compared), "%d of %d prompts got another text under load than by themselves", c.changed, c.compared)
	if c.failed+c.notUnder > 0 {
		k.Sentence += fmt.Sprintf("; %d more could not be compared", c.failed+c.notUnder)
	}
	k.Effect = effect(k, "speed may be bought with other answers: compare their quality, not only their number")
	return k
}
