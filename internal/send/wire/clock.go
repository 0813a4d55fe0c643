package wire

import (
	"sync/atomic"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
)

// Clock is the clock of a run: nanoseconds since its zero, monotonic, so that a
// step of the system's time in the middle of a run moves nothing.
type Clock struct {
	start time.Time    // any moment with a monotonic reading
	zero  atomic.Int64 // ns from start to the run's zero
}

// NewClock returns a clock whose zero is now.
//
// Go reads the system's clock and then the monotonic one; if another program runs in
// between, the two readings of a moment are apart, and all times would be off by as
// much against other machines' logs. Of some readings the closest pair is taken.
func NewClock() *Clock {
	start := clock.Now()
	for range 20 {
		now := clock.Now()
		// The same moment by both clocks: what the monotonic one is ahead is the gap.
		if apart := now.Sub(start) - time.Duration(now.UnixNano()-start.UnixNano()); apart < 0 {
			start = now
		}
	}
	return &Clock{start: start}
}

// Restart moves the zero to now and returns how far it moved: times taken before
// are that much too large.
func (c *Clock) Restart() (moved int64) {
	now := int64(clock.Since(c.start))
	return now - c.zero.Swap(now)
}

// Now is the time since zero.
func (c *Clock) Now() int64 { return int64(clock.Since(c.start)) - c.zero.Load() }

// At converts a time with a monotonic reading.
func (c *Clock) At(t time.Time) int64 { return int64(t.Sub(c.start)) - c.zero.Load() }

// Zero is the moment of zero, for people and for joins with other machines' logs.
func (c *Clock) Zero() time.Time { return c.start.Add(time.Duration(c.zero.Load())) }

// Stamp is when some bytes arrived.
type Stamp struct {
	// At is when the kernel had received them, or, where it did not say, when our code had them.
	At int64
	// Lag is how much later than At our code had them.
	Lag int64
	// Kernel says which of the two At is.
	Kernel bool
}

// stamp makes a Stamp from the moment at which a read returned and the kernel's
// receive time on the system's clock (0: none; then since, if not zero, is the earliest
// moment at which it could have been read). Only the difference of two
// readings of the system's clock is used, so the result lies on the run's clock.
func (c *Clock) stamp(read time.Time, kernelUnixNs int64, since time.Time) Stamp {
	at := c.At(read)
	if kernelUnixNs == 0 && since.IsZero() {
		return Stamp{At: at}
	}
	if kernelUnixNs == 0 {
		return Stamp{At: at, Lag: int64(read.Sub(since))}
	}
	lag := read.UnixNano() - kernelUnixNs
	return Stamp{At: at - lag, Lag: lag, Kernel: true}
}

// lastRead is what a stamping connection knows of its last read. net/http reads
// a response's head in one goroutine and its body in another, one after the
// other: it hands over through channels.
type lastRead struct {
	at        time.Time // when it returned
	kernel    int64     // when the kernel had the bytes, on the system's clock; 0: it did not say
	unstamped int       // reads so far for which it did not say
	open      bool      // it ended in the middle of something, or left bytes behind
}
