// Package socket holds what the simulated server does with connections below HTTP: it takes one out of
// net/http for a streamed answer and gives it back for the next request, writes without waiting for a slow
// reader, resets, and knows when the kernel received a request.
package socket

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
)

// ErrWouldBlock says that the socket does not take more bytes now.
var ErrWouldBlock = errors.New("the socket is full")

// Conn is a connection taken out of net/http for a streamed answer.
type Conn struct {
	net.Conn
	raw  *rawWriter // nil where writes cannot be done without blocking
	left []byte     // bytes of the next request that have been read already
	// KeepAlive says that the client may send its next request on it.
	KeepAlive bool
}

// Hijack takes the connection of a request.
func Hijack(w http.ResponseWriter, r *http.Request) (*Conn, error) {
	hj, ok := w.(http.Hijacker)
	if !ok {
		return nil, errors.New("a streamed answer needs HTTP/1.1")
	}
	conn, rw, err := hj.Hijack()
	if err != nil {
		return nil, err
	}
	// net/http may have left a deadline from its own waiting.
	_ = conn.SetDeadline(time.Time{})
	ahead, _ := rw.Reader.Peek(rw.Reader.Buffered())
	left := append([]byte(nil), ahead...)
	if back, ok := conn.(*returnedConn); ok {
		left = append(left, back.left...)
		conn = back.Conn
	}
	c := &Conn{Conn: conn, left: left, KeepAlive: !r.Close && r.ProtoAtLeast(1, 1)}
	if tcp := tcpOf(conn); tcp != nil {
		c.raw = newRawWriter(tcp)
	}
	return c, nil
}

// Nonblocking reports whether TryWrite never waits for the client.
func (c *Conn) Nonblocking() bool { return c.raw != nil }

// TryWrite writes what the socket takes at once. With ErrWouldBlock it was not all. Where the socket
// can't be written to without blocking, such as under TLS, it is Write.
func (c *Conn) TryWrite(b []byte) (int, error) {
	if c.raw == nil {
		return c.Conn.Write(b)
	}
	return c.raw.tryWrite(b)
}

// Reset closes with a RST instead of a FIN.
func (c *Conn) Reset() {
	under := c.Conn
	if t, ok := under.(*tls.Conn); ok {
		under = t.NetConn() // closing t itself would send close_notify
	}
	if tcp := tcpOf(under); tcp != nil {
		_ = tcp.SetLinger(0)
	} else if c, ok := under.(interface{ SetLinger(seconds int) error }); ok { // memnet's
		_ = c.SetLinger(0)
	}
	_ = under.Close()
}

// returnedConn is a connection that goes back to net/http with bytes that were
// read ahead.
type returnedConn struct {
	net.Conn
	left []byte
}

func (c *returnedConn) Read(b []byte) (int, error) {
	if len(c.left) > 0 {
		n := copy(b, c.left)
		c.left = c.left[n:]
		return n, nil
	}
	return c.Conn.Read(b)
}

// Next waits until the client sends its next request, and gives the connection
// for net/http to read it from. An error tells that the client has gone or was idle for too long.
func (c *Conn) Next(idle time.Duration) (net.Conn, error) {
	if len(c.left) == 0 {
		_ = c.SetReadDeadline(clock.Now().Add(idle))
		var b [1]byte
		if _, err := io.ReadFull(c.Conn, b[:]); err != nil {
			return nil, err
		}
		c.left = append(c.left, b[0])
	}
	return &returnedConn{Conn: c.Conn, left: c.left}, nil
}

// Returns is a listener whose connections are those given back after a stream.
type Returns struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

// NewReturns makes one.
func NewReturns() *Returns {
	return &Returns{conns: make(chan net.Conn), done: make(chan struct{})}
}

// Accept implements net.Listener.
func (l *Returns) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Add hands a connection to the server, or closes it if the server has ended.
func (l *Returns) Add(c net.Conn) {
	select {
	case l.conns <- c:
	case <-l.done:
		_ = c.Close()
	}
}

// Close implements net.Listener.
func (l *Returns) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr implements net.Listener.
func (l *Returns) Addr() net.Addr { return &net.TCPAddr{} }
