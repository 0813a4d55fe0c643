package wire

import (
	"errors"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// loopConn is a connection of an event loop. While call is set it belongs to an
// exchange: the loop reads for it. Otherwise it is idle. Only the loop closes it,
// so that it never reads a descriptor that has become another connection's.
type loopConn struct {
	fd     int
	slot   int // in the reader's table
	addr   string
	reader *reader
	call   atomic.Pointer[call]
	tls    *sealed // nil: plain

	// The loop's own.
	http1     http1
	unstamped int
	segments  segments // up to the last exchange
	closed    bool

	mu    sync.Mutex // guards what follows, and the end of an exchange
	out   []byte     // what is left to write of the request
	ended error      // why we ended the exchange ourselves
}

// broken takes the place of an exchange whose request could not be written: the
// loop is to close the connection.
var broken = &call{}

// send gives the connection to an exchange and writes its request. What does not
// fit into the kernel's buffer is left to the loop. stale: the server had closed
// this kept connection before a byte could be written.
func (c *loopConn) send(head, body []byte, x *call) (stale bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = nil
	if !x.info.New && c.spoken() {
		c.call.Store(broken)
		_ = unix.Shutdown(c.fd, unix.SHUT_RDWR) // wakes the loop
		return true, nil
	}
	if c.tls != nil {
		if head, err = c.tls.seal(head, body); err != nil {
			c.call.Store(broken)
			_ = unix.Shutdown(c.fd, unix.SHUT_RDWR) // wakes the loop
			return false, err
		}
		body = nil
	}
	c.call.Store(x) // before the request is out: the answer may come at once
	n, err := unix.Writev(c.fd, [][]byte{head, body})
	if errors.Is(err, unix.EAGAIN) {
		n, err = 0, nil
	}
	if err != nil {
		if !c.call.CompareAndSwap(x, broken) {
			return false, nil // the loop has seen it first, and ends the exchange
		}
		_ = unix.Shutdown(c.fd, unix.SHUT_RDWR) // wakes the loop
		return !x.info.New, opError("write", err)
	}
	if x.info.Written = c.reader.clock.Now(); n < len(head)+len(body) {
		if c.out = slices.Clip(body); n < len(head) {
			c.out = slices.Concat(head[n:], body)
		} else {
			c.out = c.out[n-len(head):]
		}
		return false, c.reader.watch(c, unix.EPOLLIN|unix.EPOLLOUT)
	}
	return false, nil
}

// spoken says whether the server has closed a kept connection or said something
// unasked. What it does a moment later can't be known: that request is lost, and
// its outcome says so.
func (c *loopConn) spoken() bool {
	var b [1]byte
	_, _, err := unix.Recvfrom(c.fd, b[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
	return !errors.Is(err, unix.EAGAIN)
}

// flush goes on writing when the kernel has room again.
func (c *loopConn) flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.out) == 0 {
		return nil
	}
	n, err := unix.Write(c.fd, c.out)
	if err != nil && !errors.Is(err, unix.EAGAIN) {
		return opError("write", err)
	}
	c.out = c.out[max(n, 0):]
	if len(c.out) == 0 {
		c.out = nil
		if x := c.call.Load(); x != nil && x != broken {
			x.info.Written = c.reader.clock.Now()
		}
		return c.reader.watch(c, unix.EPOLLIN)
	}
	return nil
}

// unhurried is how long it takes until a request was written for so long; 0: it was.
func (c *loopConn) unhurried(x *call, hangUp time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.out) > 0 {
		return max(hangUp, time.Millisecond)
	}
	return max(time.Duration(x.info.Written+int64(hangUp)-c.reader.clock.Now()), 0)
}

// abort makes the loop end an exchange with cause, if it has not ended yet.
func (c *loopConn) abort(x *call, cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.call.Load() == x && c.ended == nil {
		c.ended = cause
		_ = unix.Shutdown(c.fd, unix.SHUT_RDWR) // wakes the loop, which does the rest
	}
}

// release ends the exchange: the connection is idle again, or closed when it
// can't be used any more. The loop calls it.
func (c *loopConn) release(err error, reuse bool) {
	c.mu.Lock()
	x := c.call.Swap(nil)
	if c.ended != nil {
		err, reuse = c.ended, false
	}
	reuse = reuse && len(c.out) == 0
	c.out = nil
	c.mu.Unlock()
	unstamped, now := c.unstamped, segmentsOf(c.fd)
	lost := now.since(c.segments)
	c.segments = now
	c.unstamped = 0
	c.http1.reset()
	if !reuse || !c.reader.give(c) {
		c.reader.drop(c)
	}
	if x != nil && x != broken {
		x.err, x.info.Unstamped = err, unstamped
		x.info.Retransmits, x.info.Reordered, x.info.RTT = lost.resent, lost.reordered, lost.rtt
		close(x.done)
	}
}

func opError(op string, err error) error {
	return &net.OpError{Op: op, Net: "tcp", Err: os.NewSyscallError(op, err)}
}
