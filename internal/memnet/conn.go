package memnet

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// window is how many bytes a connection holds that nobody has read yet; then writes wait.
const window = 64 << 10

// Conn is one end of a connection. It behaves as a *net.TCPConn does, as far as this program asks.
type Conn struct {
	in, out    *stream
	here, peer net.Addr
	reset      bool // by Close, after SetLinger(0)
	mu         sync.Mutex
}

func pair(here, there net.Addr) (near, far *Conn) {
	a, b := newStream(), newStream()
	return &Conn{in: a, out: b, here: here, peer: there}, &Conn{in: b, out: a, here: there, peer: here}
}

// Read implements net.Conn.
func (c *Conn) Read(b []byte) (int, error) {
	n, err := c.in.read(b)
	return n, c.wrap("read", err)
}

// Write implements net.Conn.
func (c *Conn) Write(b []byte) (int, error) {
	n, err := c.out.write(b)
	return n, c.wrap("write", err)
}

// Close implements net.Conn.
func (c *Conn) Close() error {
	c.mu.Lock()
	reset := c.reset
	c.mu.Unlock()
	c.out.closeWrite(reset)
	c.in.closeRead()
	return nil
}

// CloseWrite ends what is sent; the other end reads io.EOF.
func (c *Conn) CloseWrite() error {
	c.out.closeWrite(false)
	return nil
}

// SetLinger with 0 makes Close a reset: what was not read yet is lost.
func (c *Conn) SetLinger(seconds int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reset = seconds == 0
	return nil
}

// LocalAddr implements net.Conn.
func (c *Conn) LocalAddr() net.Addr { return c.here }

// RemoteAddr implements net.Conn.
func (c *Conn) RemoteAddr() net.Addr { return c.peer }

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error {
	c.in.readable.set(t)
	c.out.writable.set(t)
	return nil
}

// SetReadDeadline implements net.Conn.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.in.readable.set(t)
	return nil
}

// SetWriteDeadline implements net.Conn.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.out.writable.set(t)
	return nil
}

func (c *Conn) wrap(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return &net.OpError{Op: op, Net: "tcp", Source: c.here, Addr: c.peer, Err: err}
}

// stream is one direction.
type stream struct {
	mu                 sync.Mutex
	changed            *sync.Cond
	bytes              []byte
	readable, writable deadline
	ended              error // of reading, once bytes is empty; nil: it goes on
	closed             bool  // by the reader
}

func newStream() *stream {
	s := &stream{}
	s.changed = sync.NewCond(&s.mu)
	s.readable.of, s.writable.of = s, s
	return s
}

func (s *stream) read(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.closed:
			return 0, net.ErrClosed
		case s.readable.passed:
			return 0, os.ErrDeadlineExceeded
		case len(b) == 0:
			return 0, nil
		case len(s.bytes) > 0:
			n := copy(b, s.bytes)
			s.bytes = s.bytes[n:]
			s.changed.Broadcast()
			return n, nil
		case s.ended != nil:
			return 0, s.ended
		}
		s.changed.Wait()
	}
}

func (s *stream) write(b []byte) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.ended != nil:
			return n, net.ErrClosed
		case s.closed:
			return n, os.NewSyscallError("write", syscall.EPIPE)
		case s.writable.passed:
			return n, os.ErrDeadlineExceeded
		case len(b) == 0:
			return n, nil
		}
		if free := min(window-len(s.bytes), len(b)); free > 0 {
			s.bytes = append(s.bytes, b[:free]...)
			b, n = b[free:], n+free
			s.changed.Broadcast()
			continue
		}
		s.changed.Wait()
	}
}

func (s *stream) closeWrite(reset bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil {
		s.ended = io.EOF
	}
	if reset {
		s.ended, s.bytes = os.NewSyscallError("read", syscall.ECONNRESET), nil
	}
	s.writable.stop()
	s.changed.Broadcast()
}

func (s *stream) closeRead() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.bytes = true, nil
	s.readable.stop()
	s.changed.Broadcast()
}

// deadline is of one end of a stream, under its lock.
type deadline struct {
	of     *stream
	timer  *time.Timer
	turn   int // counts the calls of set, so that a timer that fires late is known
	passed bool
}

func (d *deadline) set(t time.Time) {
	d.of.mu.Lock()
	defer d.of.mu.Unlock()
	d.stop()
	d.passed = false
	if t.IsZero() {
		return
	}
	wait := time.Until(t)
	if wait <= 0 {
		d.passed = true
		d.of.changed.Broadcast()
		return
	}
	turn := d.turn
	d.timer = time.AfterFunc(wait, func() {
		d.of.mu.Lock()
		defer d.of.mu.Unlock()
		if turn == d.turn {
			d.passed = true
			d.of.changed.Broadcast()
		}
	})
}

func (d *deadline) stop() {
	d.turn++
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}
