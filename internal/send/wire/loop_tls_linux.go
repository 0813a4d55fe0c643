package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// sealed is the TLS of a loop's connection. The handshake is made like anybody's, by
// the goroutine of the request. Then the loop brings the bytes, and crypto/tls reads
// them from here: when there are no more, its Read gives errNotYet, which it does not
// take for the end, and goes on from there the next time. So a record that comes in
// pieces waits inside it, and what a record holds carries the time of its last piece.
type sealed struct {
	conn *tls.Conn
	tcp  *net.TCPConn // during the handshake; then nil

	// The loop's own.
	in   []byte // what was received and not yet taken
	end  bool   // the server has closed its side
	ends readEnds

	mu  sync.Mutex // guards out; taken by crypto/tls's writes, below its own lock
	out []byte     // records to write
}

// notYet is the error of a read that has to wait. What crypto/tls calls temporary
// it does not remember as the connection's end.
type notYet struct{}

func (notYet) Error() string   { return "no bytes yet" }
func (notYet) Timeout() bool   { return true }
func (notYet) Temporary() bool { return true }

var errNotYet net.Error = notYet{}

// handshake makes a TLS connection of one that was just opened.
func handshake(ctx context.Context, tcp *net.TCPConn, config *tls.Config) (*sealed, error) {
	s := &sealed{tcp: tcp}
	s.conn = tls.Client(s, config)
	if err := s.conn.HandshakeContext(ctx); err != nil {
		_ = tcp.Close()
		return nil, err
	}
	s.tcp = nil
	return s, nil
}

// seal encrypts a request, and gives it with whatever else is to be written before it.
func (s *sealed) seal(head, body []byte) ([]byte, error) {
	if _, err := s.conn.Write(append(head, body...)); err != nil {
		return nil, err
	}
	return s.takeOut(), nil
}

func (s *sealed) takeOut() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.out
	s.out = nil
	return out
}

// Read gives crypto/tls what the loop has received.
func (s *sealed) Read(b []byte) (int, error) {
	switch {
	case s.tcp != nil:
		n, err := s.tcp.Read(b)
		s.ends.open(b[:n]) // a ticket may be cut where the loop takes over
		return n, err
	case len(s.in) > 0:
		n := copy(b, s.in)
		s.in = s.in[n:]
		return n, nil
	case s.end:
		return 0, io.EOF
	}
	return 0, errNotYet
}

// Write takes what crypto/tls wants to be written: requests, and answers to the server's
// key updates, for which it is the loop that calls.
func (s *sealed) Write(b []byte) (int, error) {
	if s.tcp != nil {
		return s.tcp.Write(b)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out = append(s.out, b...)
	return len(b), nil
}

// Close is called by a handshake that is given up.
func (s *sealed) Close() error {
	if s.tcp != nil {
		return s.tcp.Close()
	}
	return nil
}

// The rest of net.Conn. Nothing here waits, so there are no deadlines.

func (s *sealed) LocalAddr() net.Addr              { return nil }
func (s *sealed) RemoteAddr() net.Addr             { return nil }
func (s *sealed) SetDeadline(time.Time) error      { return nil }
func (s *sealed) SetReadDeadline(time.Time) error  { return nil }
func (s *sealed) SetWriteDeadline(time.Time) error { return nil }

// open decrypts a read and hands it to the response's reader. Without an exchange (x is
// nil) the connection is idle, and only the server's keys and tickets may come.
func (r *reader) open(c *loopConn, x *call, data []byte, at Stamp) {
	s := c.tls
	s.in = data
	behind := s.ends.open(data) || len(data) == loopBuffer
	done, spoken := false, false
	for {
		n, err := s.conn.Read(r.plain)
		switch {
		case n > 0 && (done || x == nil):
			spoken = true // unasked: such a connection is given up
		case n > 0:
			var taken int
			var bad error
			if taken, done, bad = c.http1.feed(r.plain[:n], at, x.sink); bad != nil {
				r.finish(c, bad, false)
				return
			}
			spoken = taken < n
		}
		if err == nil {
			continue
		}
		waits := errors.Is(err, errNotYet)
		switch {
		case done || x == nil:
			r.settle(c, x, waits && !spoken && !c.http1.close && c.answer() == nil)
		case !waits:
			r.finish(c, c.endOfRecords(err), false)
		default:
			if behind { // a part of the next record, or what the kernel still has, gave the read its time
				x.sink.Body(nil, at)
			}
			if err := c.answer(); err != nil {
				r.finish(c, err, false)
			}
		}
		return
	}
}

// whileIdle reads from a connection that was idle. Under TLS the server may send a ticket
// or change its keys; anything else ends the connection.
func (r *reader) whileIdle(c *loopConn) {
	if c.tls == nil {
		c.release(nil, false)
		return
	}
	n, stamp, errno := r.receive(c)
	if errno != 0 && errno != unix.EAGAIN && errno != unix.EINTR {
		c.release(nil, false)
		return
	}
	c.tls.end = errno == 0 && n == 0
	r.open(c, nil, r.buf[:n], stamp)
}

// settle ends an exchange that is whole, or gives a connection back that was idle.
func (r *reader) settle(c *loopConn, x *call, reuse bool) {
	if x != nil {
		r.finish(c, nil, reuse)
		return
	}
	c.release(nil, reuse)
}

// endOfRecords judges why no more can be read: the server's farewell, the end of the
// connection between two records, which many servers leave it at, or something bad.
func (c *loopConn) endOfRecords(err error) error {
	if errors.Is(err, io.EOF) {
		return c.endOfStream()
	}
	return c.http1.brokenBy(err)
}

// answer writes what crypto/tls wants to say while it reads: its own new key.
func (c *loopConn) answer() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	more := c.tls.takeOut()
	if len(more) == 0 {
		return nil
	}
	c.out = append(c.out, more...)
	n, err := unix.Write(c.fd, c.out)
	if err != nil && !errors.Is(err, unix.EAGAIN) {
		return opError("write", err)
	}
	if c.out = c.out[max(n, 0):]; len(c.out) > 0 {
		return c.reader.watch(c, unix.EPOLLIN|unix.EPOLLOUT)
	}
	return nil
}

// farewell tells the server that nothing more will be sent, if it can be told at once.
func (c *loopConn) farewell() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.out) > 0 || c.tls.conn.CloseWrite() != nil {
		return // a record is half written
	}
	_, _ = unix.Write(c.fd, c.tls.takeOut())
}

// tlsConfig is what net/http would use for a place: its name from the URL, no ALPN,
// which leaves HTTP/1.1, the system's authorities, and no tickets kept.
func (l *Loop) tlsConfig(host string) *tls.Config {
	return &tls.Config{ServerName: host, InsecureSkipVerify: l.cfg.Insecure} //nolint:gosec // the user's --insecure
}

// secure makes the handshake within what is left of the request's time.
func (l *Loop) secure(ctx context.Context, tcp *net.TCPConn, p *place, x *call) (*sealed, error) {
	if x.deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, time.Duration(x.deadline-l.cfg.Clock.Now()), ErrTimeout)
		defer cancel()
	}
	s, err := handshake(ctx, tcp, p.tls)
	if err == nil {
		return s, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, err
}
