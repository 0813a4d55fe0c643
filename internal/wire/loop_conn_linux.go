package wire

import (
	"errors"
	"net"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// loopConn is a connection of an event loop. While call is set it belongs to an
// exchange: the loop reads for it. Otherwise it is idle.
type loopConn struct {
	fd     int
	slot   int // in the reader's table
	addr   string
	reader *reader
	http1  http1 // only the loop uses it

	mu        sync.Mutex
	call      *call
	out       []byte // what is left to write of the request
	ended     error  // why we ended the exchange ourselves
	closed    bool
	unstamped int
}

// send gives the connection to an exchange and writes its request. What does not
// fit into the kernel's buffer is left to the loop. stale: the server had closed
// this kept connection before a byte could be written.
func (c *loopConn) send(head, body []byte, x *call) (stale bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return !x.info.New, errClosed
	}
	c.call, c.ended, c.unstamped = x, nil, 0
	n, err := unix.Writev(c.fd, [][]byte{head, body})
	if errors.Is(err, unix.EAGAIN) {
		n, err = 0, nil
	}
	if err != nil {
		c.call = nil
		c.reader.drop(c)
		return !x.info.New, opError("write", err)
	}
	if n < len(head)+len(body) {
		c.out = append(append(c.out[:0], head...), body...)[n:]
		return false, c.reader.watch(c, unix.EPOLLIN|unix.EPOLLOUT)
	}
	return false, nil
}

// flush goes on writing when the kernel has room again.
func (c *loopConn) flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || len(c.out) == 0 {
		return nil
	}
	n, err := unix.Write(c.fd, c.out)
	if err != nil && !errors.Is(err, unix.EAGAIN) {
		return opError("write", err)
	}
	c.out = c.out[max(n, 0):]
	if len(c.out) == 0 {
		return c.reader.watch(c, unix.EPOLLIN)
	}
	return nil
}

// abort makes the loop end an exchange with cause, if it has not ended yet.
func (c *loopConn) abort(x *call, cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.call == x && c.ended == nil {
		c.ended = cause
		_ = unix.Shutdown(c.fd, unix.SHUT_RDWR) // wakes the loop, which does the rest
	}
}

// release ends the exchange: the connection is idle again, or closed when it
// can't be used any more.
func (c *loopConn) release(err error, reuse bool) {
	c.mu.Lock()
	x := c.call
	if c.ended != nil {
		err, reuse = c.ended, false
	}
	c.call = nil
	if x != nil {
		x.err, x.info.Unstamped = err, c.unstamped
	}
	unsent := len(c.out) > 0
	c.out = c.out[:0]
	c.mu.Unlock()
	c.http1.reset()
	if reuse && !unsent {
		c.reader.give(c)
	} else {
		c.mu.Lock()
		c.reader.drop(c)
		c.mu.Unlock()
	}
	if x != nil {
		close(x.done)
	}
}

func opError(op string, err error) error {
	return &net.OpError{Op: op, Net: "tcp", Err: os.NewSyscallError(op, err)}
}
