package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
)

// NetHTTPConfig is what the net/http transport needs to know.
type NetHTTPConfig struct {
	Clock *Clock
	// Header is sent with each request.
	Header http.Header
	// Connections is how many are kept: as many as the load has requests in flight.
	Connections int
	NoKeepAlive bool // a connection for each request
	Insecure    bool // accept any certificate
	HTTP2       bool // offer HTTP/2 under TLS; its events have user times
	// KernelStamps asks for the kernel's receive times; Stamps says whether they are to be had.
	KernelStamps bool
	Proxy        func(*http.Request) (*url.URL, error)
	DialTimeout  time.Duration
	// Dial makes connections; nil: over the network.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

// NetHTTP is the transport for everything: TLS, proxies, HTTP/2, every system.
type NetHTTP struct {
	cfg     NetHTTPConfig
	keeping *http.Transport // keeps connections for the requests to come
	single  *http.Transport // a connection for each request
	closes  atomic.Bool     // the server is one that single is for
	bufs    sync.Pool       // *[]byte, read buffers
	hold    stampHold
}

// readBuffer is large enough for the events that a loaded server sends at once.
const readBuffer = 16 << 10

// NewNetHTTP returns a transport over net/http.
func NewNetHTTP(cfg NetHTTPConfig) *NetHTTP {
	if cfg.DialTimeout == 0 {
		cfg.DialTimeout = 30 * time.Second
	}
	if cfg.Dial == nil {
		cfg.Dial = (&net.Dialer{Timeout: cfg.DialTimeout}).DialContext
	}
	t := &NetHTTP{cfg: cfg}
	// With HTTP/2 another goroutine reads the socket.
	if t.cfg.KernelStamps = cfg.KernelStamps && !cfg.HTTP2; t.cfg.KernelStamps {
		t.hold, t.cfg.KernelStamps = holdStamps()
	}
	t.bufs.New = func() any { b := make([]byte, readBuffer); return &b }
	t.keeping = &http.Transport{
		Proxy:                  cfg.Proxy,
		DialContext:            t.dial,
		TLSClientConfig:        &tls.Config{InsecureSkipVerify: cfg.Insecure}, //nolint:gosec // the user's --insecure
		ForceAttemptHTTP2:      cfg.HTTP2,
		MaxIdleConns:           0, // no limit over all hosts
		MaxIdleConnsPerHost:    max(cfg.Connections, 1),
		IdleConnTimeout:        60 * time.Second,
		DisableCompression:     true, // a compressed stream would arrive in lumps
		ReadBufferSize:         readBuffer,
		WriteBufferSize:        readBuffer,
		ResponseHeaderTimeout:  0, // the request's own timeout covers it
		MaxResponseHeaderBytes: maxHead,
	}
	t.single = t.keeping.Clone()
	t.single.DisableKeepAlives = true
	t.closes.Store(cfg.NoKeepAlive)
	return t
}

func (t *NetHTTP) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := t.cfg.Dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	tcp, ok := c.(*net.TCPConn)
	if !ok || !t.cfg.KernelStamps {
		return c, nil
	}
	s, err := newStampConn(tcp)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return s, nil
}

// Stamps says whose clock the stamps are read from.
func (t *NetHTTP) Stamps() string {
	if t.cfg.KernelStamps {
		return "kernel"
	}
	return "user"
}

// Close closes the kept connections.
func (t *NetHTTP) Close() {
	t.keeping.CloseIdleConnections()
	if t.cfg.KernelStamps {
		t.hold.release()
	}
}

// base chooses between keeping connections and not. What a server is shows in the
// headers of its first answer, and no connection is used again before that.
func (t *NetHTTP) base() *http.Transport {
	if t.closes.Load() {
		return t.single
	}
	return t.keeping
}

// ClosesAfterStream knows llama.cpp's server: it announces Keep-Alive and closes
// the connection behind each stream all the same. A request that takes the
// connection before the close has arrived would be lost, and the loss would look
// like the server's failure under load.
func ClosesAfterStream(h Header) bool { return h.Get("Server") == "llama.cpp" }

// once is read once, and holds nothing behind that: net/http holds it until the answer is over.
type once struct{ left []byte }

func (o *once) Read(p []byte) (int, error) {
	if len(o.left) == 0 {
		o.left = nil
		return 0, io.EOF
	}
	n := copy(p, o.left)
	o.left = o.left[n:]
	return n, nil
}

// WriteTo implements io.WriterTo: without it the body would be copied once more.
func (o *once) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(o.left)
	o.left = nil
	return int64(n), err
}

// Do sends r and feeds the answer to sink.
func (t *NetHTTP) Do(ctx context.Context, r *Request, sink Sink) (Conn, error) {
	if r.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.Timeout, ErrTimeout)
		defer cancel()
	}
	x := exchange{clock: t.cfg.Clock, info: Conn{Retransmits: -1, Reordered: -1}}
	if r.HangUp > 0 {
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(ctx)
		after := r.HangUp // whoever sent it may use it again before it is written
		x.hangUp = func() *time.Timer { return time.AfterFunc(after, func() { cancel(ErrHungUp) }) }
		defer func() {
			cancel(nil)
			if timer := x.hanging.Load(); timer != nil {
				timer.Stop()
			}
		}()
	}
	err := t.exchange(ctx, r, sink, &x)
	x.info.Written = x.written.Load()
	// What net/http says of an end that we made ourselves is beside the point: a server may even end its answer in good order
	// when it sees that we hang up.
	if cause := context.Cause(ctx); cause != nil && (err != nil || errors.Is(cause, ErrHungUp)) {
		err = cause
	}
	return x.info, err
}

func (t *NetHTTP) exchange(ctx context.Context, r *Request, sink Sink, x *exchange) error {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GetConn: x.getConn, GotConn: x.gotConn, WroteRequest: x.wrote, PutIdleConn: x.putIdleConn, Got1xxResponse: x.gotInterim})
	req, err := t.request(ctx, r)
	if err != nil {
		return err
	}
	// RoundTrip, not Client.Do: no redirects and no cookies.
	resp, err := t.base().RoundTrip(req)
	x.info.Reconnects = max(x.conns-1, 0)
	if err != nil {
		return err
	}
	if ClosesAfterStream(resp.Header) {
		t.closes.Store(true)
	}
	sink.Head(resp.StatusCode, resp.Header, x.stamp())
	err = t.readBody(resp.Body, sink, x)
	x.info.Unstamped = x.lastRead().unstamped - x.before
	lost := x.segments().since(x.began)
	x.info.Retransmits, x.info.Reordered, x.info.RTT = lost.resent, lost.reordered, lost.rtt
	return err
}

func (x *exchange) segments() segments {
	if x.conn == nil {
		return unknownSegments
	}
	return x.conn.segments()
}

// exchange follows one request's connection.
type exchange struct {
	clock   *Clock
	info    Conn
	conns   int
	conn    *stampConn // nil: the system or the protocol gives no stamps
	asked   time.Time  // for a connection
	written atomic.Int64
	hangUp  func() *time.Timer // begins the time after which it is ended on purpose; nil: it is not
	hanging atomic.Pointer[time.Timer]
	interim int      // responses with a status of 1xx so far
	before  int      // the connection's unstamped reads before this request
	began   segments // of the connection before it

	// When the last byte of an answer has been read, net/http begins to wait for
	// the next one, in a goroutine of its own, before the reader of the body
	// returns. What the connection knows is kept here before that.
	idle     bool
	lastIdle lastRead
}

func (x *exchange) getConn(string) { x.asked = clock.Now() }

func (x *exchange) wrote(i httptrace.WroteRequestInfo) { // another goroutine writes
	if i.Err != nil {
		return
	}
	x.written.Store(x.clock.Now())
	if x.hangUp != nil {
		x.hanging.Store(x.hangUp())
	}
}

func (x *exchange) gotConn(g httptrace.GotConnInfo) {
	x.conns++
	if x.info.New = !g.Reused; x.info.New {
		x.info.Opened = clock.Since(x.asked)
	}
	x.began = unknownSegments
	if x.conn = underneath(g.Conn); x.conn != nil {
		x.before, x.began = x.conn.unstamped, x.conn.segments()
	}
}

func (x *exchange) gotInterim(int, textproto.MIMEHeader) error {
	if x.interim++; x.interim > maxInterim {
		return errInterim
	}
	return nil
}

func (x *exchange) putIdleConn(error) { x.lastIdle, x.idle = x.lastRead(), true }

// lastRead is what is known of the read that brought the newest bytes.
func (x *exchange) lastRead() lastRead {
	switch {
	case x.idle:
		return x.lastIdle
	case x.conn != nil:
		return x.conn.lastRead
	}
	return lastRead{}
}

func (x *exchange) stamp() Stamp {
	if x.conn == nil {
		return x.clock.stamp(clock.Now(), 0, time.Time{})
	}
	l := x.lastRead()
	return x.clock.stamp(l.at, l.kernel, time.Time{})
}

func (t *NetHTTP) request(ctx context.Context, r *Request) (*http.Request, error) {
	// Without GetBody net/http cannot send the body a second time behind our back.
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, &once{left: r.Body})
	if err != nil {
		return nil, err
	}
	if req.ContentLength = int64(len(r.Body)); len(r.Body) == 0 {
		req.Body = http.NoBody
	}
	r.Body = nil
	req.Header = t.cfg.Header.Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	if r.ID != "" {
		req.Header["X-Request-Id"] = []string{r.ID}
	}
	if r.Session.Value != "" {
		req.Header.Set(r.Session.Header, r.Session.Value)
	}
	if r.Trace != "" {
		req.Header["Traceparent"] = []string{r.Trace}
	}
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
	}
	return req, nil
}

func (t *NetHTTP) readBody(body io.ReadCloser, sink Sink, x *exchange) error {
	defer body.Close()
	buf := t.bufs.Get().(*[]byte)
	defer t.bufs.Put(buf)
	for {
		n, err := body.Read(*buf)
		if n > 0 && sink.Body((*buf)[:n], x.stamp()) {
			return nil
		}
		if err != nil || x.lastRead().open {
			sink.Body(nil, x.stamp())
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// underneath finds the stamping connection below a TLS one.
func underneath(c net.Conn) *stampConn {
	for {
		switch v := c.(type) {
		case *stampConn:
			return v
		case interface{ NetConn() net.Conn }:
			c = v.NetConn()
		default:
			return nil
		}
	}
}
