package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Loop is the transport for HTTP/1.1 on Linux, plain or under TLS: a few event loops read all
// connections. Because the kernel stamps what it receives, it does not matter
// that a loop gets to a connection a little later; so one thread can read
// thousands of streams, and no goroutine is woken for an event.
//
// A request's goroutine takes or dials a connection, writes the request itself,
// and sleeps until the loop has read the answer to its end.
type Loop struct {
	cfg     LoopConfig
	head    string // header lines that all requests share
	readers []*reader
	next    atomic.Uint32
	places  sync.Map // URL: *place
	quit    chan struct{}
	done    sync.WaitGroup
	hold    stampHold
}

// LoopConfig is what the event loop needs to know.
type LoopConfig struct {
	Clock        *Clock
	Header       http.Header // sent with each request
	Connections  int         // how many are kept
	NoKeepAlive  bool        // a connection for each request
	Insecure     bool        // accept any certificate
	KernelStamps bool        // asked for; Stamps says whether they are to be had
	DialTimeout  time.Duration
	Loops        int // threads; 0: one for each four processors
}

// place is where a URL leads.
type place struct {
	addr string      // host:port to dial
	key  string      // of the idle connections that lead there
	head string      // request line and Host
	tls  *tls.Config // nil: plain
}

// sweepEvery is how exactly timeouts are kept: one sweep over all requests
// instead of a timer for each.
const sweepEvery = 100 * time.Millisecond

// NewLoop starts the event loops. They end with Close.
func NewLoop(cfg LoopConfig) (*Loop, error) {
	if cfg.DialTimeout == 0 {
		cfg.DialTimeout = 30 * time.Second
	}
	if cfg.Loops == 0 {
		cfg.Loops = max(1, runtime.GOMAXPROCS(0)/4)
	}
	for name, values := range cfg.Header {
		for _, v := range values {
			if err := CheckHeader(name, v); err != nil {
				return nil, fmt.Errorf("a header %w", err)
			}
		}
	}
	l := &Loop{cfg: cfg, head: headerLines(cfg.Header), quit: make(chan struct{}), hold: stampHold{-1}}
	if cfg.KernelStamps {
		l.hold, l.cfg.KernelStamps = holdStamps()
	}
	pool := &idlePool{most: int64(max(cfg.Connections, 1))}
	if cfg.NoKeepAlive {
		pool.most = 0
	}
	for range cfg.Loops {
		r, err := newReader(cfg.Clock, pool)
		if err != nil {
			l.Close()
			return nil, err
		}
		r.user = !l.cfg.KernelStamps
		l.readers = append(l.readers, r)
		l.done.Go(r.run)
	}
	l.done.Go(l.sweep)
	return l, nil
}

// headerLines writes the headers that do not change from request to request.
func headerLines(h http.Header) string {
	h = h.Clone()
	for _, name := range []string{"Host", "Content-Length", "X-Request-Id", "Connection", "Transfer-Encoding"} {
		h.Del(name) // these are the request's own
	}
	var b strings.Builder
	_ = h.Write(&b) // memory takes everything
	return b.String()
}

// Stamps says whose clock the stamps are read from.
func (l *Loop) Stamps() string {
	if l.cfg.KernelStamps {
		return "kernel"
	}
	return "user"
}

// Threads is how many loops there are: each waits inside a system call.
func (l *Loop) Threads() int { return len(l.readers) }

// Keep says whether each thread may keep a processor of Go's scheduler while it waits: there
// must be that many more than the rest of the program needs.
func (l *Loop) Keep(yes bool) {
	for _, r := range l.readers {
		r.keep.Store(yes)
	}
}

// Close ends the loops and closes all connections.
func (l *Loop) Close() {
	close(l.quit)
	for _, r := range l.readers {
		r.stop()
	}
	l.done.Wait()
	l.hold.release()
}

// sweep ends the requests whose time is over.
func (l *Loop) sweep() {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			for _, r := range l.readers {
				r.endLate(l.cfg.Clock.Now())
			}
		case <-l.quit:
			return
		}
	}
}

// Do sends r and feeds the answer to sink.
func (l *Loop) Do(ctx context.Context, r *Request, sink Sink) (Conn, error) {
	p, err := l.place(r.URL)
	if err != nil {
		return Conn{}, err
	}
	x := &call{sink: sink, done: make(chan struct{}), info: Conn{Retransmits: -1, Reordered: -1}}
	if r.Timeout > 0 {
		x.deadline = l.cfg.Clock.Now() + int64(r.Timeout)
	}
	for {
		c, err := l.connection(ctx, p, x, r.Timeout)
		if err != nil {
			return x.info, err
		}
		stale, err := c.send(l.requestHead(p, r), r.Body, x)
		if stale {
			x.info.Reconnects++
			continue
		}
		r.Body = nil
		if err != nil {
			return x.info, err
		}
		err = l.await(ctx, c, x, r.HangUp)
		return x.info, err
	}
}

// await sleeps until the answer is whole, or ends the request when ctx does or when its client hangs up.
func (l *Loop) await(ctx context.Context, c *loopConn, x *call, hangUp time.Duration) error {
	var timer *time.Timer
	var passed <-chan time.Time
	if hangUp > 0 {
		timer = time.NewTimer(hangUp)
		defer timer.Stop()
		passed = timer.C
	}
	for over := false; !over; {
		over = true
		select {
		case <-x.done:
		case <-ctx.Done():
			c.abort(x, context.Cause(ctx))
			<-x.done
		case <-passed:
			if left := c.unhurried(x, hangUp); left > 0 {
				timer.Reset(left)
				over = false
				break
			}
			c.abort(x, ErrHungUp)
			<-x.done
		}
	}
	if errors.Is(x.err, errEnough) {
		return nil
	}
	return x.err
}

// connection takes an idle connection, of whichever loop, or dials.
func (l *Loop) connection(ctx context.Context, p *place, x *call, timeout time.Duration) (*loopConn, error) {
	n := uint32(len(l.readers))
	first := l.next.Add(1) % n
	for i := range n {
		if c := l.readers[(first+i)%n].take(p.key); c != nil {
			x.info.New = false
			return c, nil
		}
	}
	r := l.readers[first]
	x.info.New = true
	wait := l.cfg.DialTimeout
	if timeout > 0 {
		wait = min(wait, timeout)
	}
	dialer, began := net.Dialer{Timeout: wait}, time.Now()
	conn, err := dialer.DialContext(ctx, "tcp", p.addr)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		} else if timeout > 0 && wait == timeout && os.IsTimeout(err) {
			err = ErrTimeout
		}
		return nil, err
	}
	tcp := conn.(*net.TCPConn)
	var s *sealed
	if p.tls != nil {
		if s, err = l.secure(ctx, tcp, p, x); err != nil {
			return nil, err
		}
	}
	fd, err := takeOver(tcp, l.cfg.KernelStamps)
	if err != nil {
		return nil, err
	}
	x.info.Opened = time.Since(began)
	return r.add(fd, p.key, s)
}

// takeOver gets a connection out of Go's own event loop, which would otherwise
// be woken by each packet too.
func takeOver(c *net.TCPConn, stamps bool) (int, error) {
	defer c.Close()
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	fd := -1
	ctlErr := raw.Control(func(old uintptr) {
		if fd, err = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0); err == nil && stamps {
			_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPING, stampFlags) // refused: reads are unstamped
		}
	})
	if err = errors.Join(ctlErr, err); err != nil {
		return 0, fmt.Errorf("take over a connection: %w", err)
	}
	return fd, nil
}

func (l *Loop) requestHead(p *place, r *Request) []byte {
	b := make([]byte, 0, len(p.head)+len(l.head)+len(r.ID)+len(r.Trace)+80)
	b = append(b, p.head...)
	b = append(b, l.head...)
	if r.ID != "" {
		b = append(append(append(b, "X-Request-Id: "...), r.ID...), "\r\n"...)
	}
	if r.Session.Value != "" {
		b = append(append(append(append(b, r.Session.Header...), ": "...), r.Session.Value...), "\r\n"...)
	}
	if r.Trace != "" {
		b = append(append(append(b, "Traceparent: "...), r.Trace...), "\r\n"...)
	}
	b = append(b, "Content-Length: "...)
	b = strconv.AppendInt(b, int64(len(r.Body)), 10)
	return append(b, "\r\n\r\n"...)
}

func (l *Loop) place(text string) (*place, error) {
	if p, ok := l.places.Load(text); ok {
		return p.(*place), nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	var secure *tls.Config
	port := "80"
	switch u.Scheme {
	case "http":
	case "https":
		secure, port = l.tlsConfig(u.Hostname()), "443"
	default:
		return nil, fmt.Errorf("the event loop speaks http and https only, not %s", u.Scheme)
	}
	if u.Port() != "" {
		port = u.Port()
	}
	host := u.Host
	if h := l.cfg.Header.Get("Host"); h != "" {
		host = h
	}
	addr := net.JoinHostPort(u.Hostname(), port)
	p := &place{addr: addr, key: u.Scheme + "://" + addr, tls: secure, head: fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\n", u.RequestURI(), host)}
	l.places.Store(text, p)
	return p, nil
}

// call is one exchange.
type call struct {
	sink     Sink
	info     Conn
	deadline int64 // on the run's clock; 0: none
	err      error
	done     chan struct{} // closed by the loop when the exchange is over
}

// errClosed: the server closed the connection before it said anything.
var errClosed = io.EOF
