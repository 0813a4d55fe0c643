package bus

import (
	"net"
	"time"
)

// What a leader can be sure of when an agent is gone rests on what the connections of both
// have gone through; this is what either side can tell of its own.

// Since is when the connection was made, or made again, by this machine's clock.
func (b *Bus) Since() time.Time { return time.Unix(0, b.since.Load()) }

// Direct says that the server sees this side by the address that it has here: no proxy or
// tunnel lies between that could end while this process goes on.
func (b *Bus) Direct() bool {
	seen, err := b.conn.GetClientIP()
	own := net.ParseIP(b.Address())
	return err == nil && own != nil && own.Equal(seen)
}

// HandOver waits until the kernel has all that was told so far: then it arrives, even if this
// process is killed now. It is false where the connection is away, or takes nothing for so long.
func (b *Bus) HandOver(within time.Duration) bool {
	for deadline := time.Now().Add(within); b.conn.IsConnected(); time.Sleep(20 * time.Microsecond) { // the library tells nobody
		if left, err := b.conn.Buffered(); err == nil && left == 0 {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
	}
	return false
}
