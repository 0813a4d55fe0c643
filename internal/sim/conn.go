package sim

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// errWouldBlock says that the socket does not take more bytes now.
var errWouldBlock = errors.New("the socket is full")

// streamConn is a connection taken out of net/http for a streamed answer.
type streamConn struct {
	net.Conn
	raw       *rawWriter // nil where writes cannot be done without blocking
	left      []byte     // bytes of the next request that have been read already
	keepAlive bool
}

// hijack takes the connection of a request.
func hijack(w http.ResponseWriter, r *http.Request) (*streamConn, error) {
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
	c := &streamConn{Conn: conn, left: left, keepAlive: !r.Close && r.ProtoAtLeast(1, 1)}
	if tcp := tcpOf(conn); tcp != nil {
		c.raw = newRawWriter(tcp)
	}
	return c, nil
}

// write with onPump hands over what the socket takes at once.
func (c *streamConn) write(b []byte, onPump bool) (int, error) {
	if !onPump || c.raw == nil {
		return c.Conn.Write(b)
	}
	return c.raw.tryWrite(b)
}

func (c *streamConn) close() { _ = c.Conn.Close() }

// reset closes with a RST instead of a FIN.
func (c *streamConn) reset() {
	under := c.Conn
	if t, ok := under.(*tls.Conn); ok {
		under = t.NetConn() // closing t itself would send close_notify
	}
	if tcp := tcpOf(under); tcp != nil {
		_ = tcp.SetLinger(0)
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

// next waits until the client sends its next request, and gives the connection
// for net/http to read it from. An error tells that the client has gone.
func (c *streamConn) next() (net.Conn, error) {
	if len(c.left) == 0 {
		_ = c.SetReadDeadline(time.Now().Add(idleTime))
		var b [1]byte
		if _, err := io.ReadFull(c.Conn, b[:]); err != nil {
			return nil, err
		}
		c.left = append(c.left, b[0])
	}
	return &returnedConn{Conn: c.Conn, left: c.left}, nil
}

// returns is a listener whose connections are those given back after a stream.
type returns struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func newReturns() *returns {
	return &returns{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (l *returns) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// add hands a connection to the server, or closes it if the server has ended.
func (l *returns) add(c net.Conn) {
	select {
	case l.conns <- c:
	case <-l.done:
		_ = c.Close()
	}
}

func (l *returns) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *returns) Addr() net.Addr { return &net.TCPAddr{} }
