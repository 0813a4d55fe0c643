package measure

import "github.com/inferometer/inferometer/internal/journal"

// Watcher is shown what is measured while it is measured, so that pictures of a run
// need neither a second pass nor definitions of their own. All times are
// nanoseconds on the run's clock.
type Watcher interface {
	Request(req *journal.Request, row *Row) // each measured one; both may be reused afterwards
	Gap(at, gap int64)                      // between two token chunks of a success
	Tokens(at int64, n int)                 // that arrived, of a success
}

// arrived counts tokens in time.
func (c *collector) arrived(at int64, n int) {
	c.timeline.add(at, n)
	if c.opt.Watch != nil {
		c.opt.Watch.Tokens(at, n)
	}
}
