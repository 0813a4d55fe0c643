package load

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
)

// maxPauses bounds what the journal keeps of a key that is held down.
const maxPauses = 1000

// Control stops the pace of a run for a while: nothing new is sent, what is in flight goes
// on, and the pace's clock stands still, so that what was due later is due that much later
// and no burst follows. The zero value is ready; a pause before a run begins to send holds
// its first request back, and after it has sent all there is none. A nil Control never pauses.
type Control struct {
	ever atomic.Bool // it was paused: until then nobody needs the lock

	mu      sync.Mutex
	on      bool
	sending bool            // a run has begun to send, and has not sent all
	ended   bool            // it has: there is no pace any more
	now     func() int64    // its clock
	since   int64           // of this pause
	over    []journal.Pause // those before it
	still   int64           // what they took
	changed chan struct{}   // closed at the next change
	see     func(on bool)   // is told of each change; nil: nobody is
}

// Pause stops the pace or lets it go on.
func (c *Control) Pause(on bool) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.on == on || c.ended || on && len(c.over) == maxPauses {
		return
	}
	c.on = on
	c.ever.Store(true)
	if c.sending {
		if on {
			c.since = c.now()
		} else {
			c.ends()
		}
	}
	c.tell()
	if c.see != nil {
		c.see(on)
	}
}

// tell wakes whoever waits for a change. The lock is held.
func (c *Control) tell() {
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
}

// Paused says whether the pace stands still, or will when the run begins to send.
func (c *Control) Paused() bool {
	if c == nil || !c.ever.Load() {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.on
}

// Listen hands pauses on to another process, which has the pace. see is told at once if the
// pace is to stand still, and then of each change, until stop is called.
func (c *Control) Listen(see func(on bool)) (stop func()) {
	if c == nil {
		return func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.see = see; c.on {
		see(true)
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.see = nil
	}
}

// Stood is for how long the pace of the run has stood still so far.
func (c *Control) Stood() time.Duration {
	if c == nil || !c.ever.Load() {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	still := c.still
	if c.sending && c.on {
		still += c.now() - c.since
	}
	return time.Duration(still)
}

// begin: the run's clock has been set to zero.
func (c *Control) begin(now func() int64) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sending, c.ended, c.now, c.since, c.over, c.still = true, false, now, 0, nil, 0
}

// end: all was sent, and there is no pace any more. It returns the pauses of the run.
func (c *Control) end() []journal.Pause {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sending && c.on {
		c.ends()
	}
	c.sending, c.on, c.ended = false, false, true
	c.tell()
	return c.over
}

// ends notes the pause that ends now. The lock is held.
func (c *Control) ends() {
	p := journal.Pause{From: c.since, To: c.now()}
	c.over = append(c.over, p)
	c.still += p.To - p.From
}

// stood is for how long the pace has stood still before a moment of the run's clock.
func (c *Control) stood(at int64) int64 {
	if c == nil || !c.ever.Load() {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.sending {
		return 0
	}
	still := c.still
	if c.on {
		still += max(at-c.since, 0)
	}
	for i := len(c.over) - 1; i >= 0 && c.over[i].To > at; i-- {
		still -= c.over[i].To - max(at, c.over[i].From)
	}
	return still
}

// next is closed when the pace stops or goes on; nil: never.
func (c *Control) next() <-chan struct{} {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed == nil {
		c.changed = make(chan struct{})
	}
	return c.changed
}
