package record

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/inferometer/inferometer/internal/send/wire"
)

// silent: what fails is in the rows and the counts.
var silent = log.New(io.Discard, "", 0)

// keepIdle is how long a connection to the server is kept for the next request. Servers close
// theirs after five seconds (uvicorn, llama.cpp, Node); one that is closed while a request is
// on its way would be a failure that the client would not have seen without us.
const keepIdle = 2 * time.Second

type exchangeKey struct{}

func exchangeOf(q *http.Request) *exchange {
	x, _ := q.Context().Value(exchangeKey{}).(*exchange)
	return x
}

// road leads to the server. One that closes connections though it says that it keeps them gets a new one for each
// request, from its first answer on: no connection is used again before that.
type road struct {
	keeping, single *http.Transport
	closes          atomic.Bool
}

func newRoad() *road {
	keeping := &http.Transport{
		DialContext: (&net.Dialer{Timeout: 30 * time.Second}).DialContext, TLSHandshakeTimeout: 30 * time.Second,
		MaxIdleConnsPerHost: 4096, IdleConnTimeout: keepIdle, DisableCompression: true,
	}
	single := keeping.Clone()
	single.DisableKeepAlives = true
	return &road{keeping: keeping, single: single}
}

// RoundTrip implements [http.RoundTripper].
func (r *road) RoundTrip(q *http.Request) (*http.Response, error) {
	way := r.keeping
	if r.closes.Load() {
		way = r.single
	}
	a, err := way.RoundTrip(q)
	if err == nil && wire.ClosesAfterStream(a.Header) {
		r.closes.Store(true)
	}
	return a, err
}

// newProxy passes requests on to a server as they are.
func newProxy(target *url.URL) (proxy http.Handler, idle func()) {
	transport := newRoad()
	return &httputil.ReverseProxy{
		Rewrite:        func(p *httputil.ProxyRequest) { rewrite(p, target) },
		Transport:      transport,
		FlushInterval:  -1, // each read is passed on at once
		BufferPool:     &buffers{},
		ErrorLog:       silent,
		ModifyResponse: listen,
		ErrorHandler:   func(w http.ResponseWriter, q *http.Request, err error) { refuse(w, q, err, target.Host) },
	}, transport.keeping.CloseIdleConnections
}

// rewrite changes nothing but the address: headers that a proxy would set or take away stay.
func rewrite(p *httputil.ProxyRequest, target *url.URL) {
	p.SetURL(target)
	p.Out.URL.RawQuery = p.In.URL.RawQuery
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if v, ok := p.In.Header[name]; ok {
			p.Out.Header[name] = v
		}
	}
}

// listen records an answer as it is read. That of an upgrade is no answer but a connection.
func listen(a *http.Response) error {
	x := exchangeOf(a.Request)
	if x == nil || a.StatusCode == http.StatusSwitchingProtocols {
		return nil
	}
	x.head(a.StatusCode, a.Header)
	a.Body = &listener{a.Body, x}
	return nil
}

// refuse answers where the server did not.
func refuse(w http.ResponseWriter, q *http.Request, err error, host string) {
	if x := exchangeOf(q); x != nil {
		x.broke(err)
	}
	if q.Context().Err() != nil {
		return // nobody is there to hear it
	}
	why := err
	var op *net.OpError
	if errors.As(err, &op) {
		why = op.Err
	}
	if errors.Is(err, io.EOF) {
		why = errors.New("it closed the connection")
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusBadGateway)
	fmt.Fprintf(w, "inferometer record: the server at %s gave no answer: %s\n", host, strings.TrimSpace(why.Error()))
}

// listener passes an answer on and keeps what it read.
type listener struct {
	io.ReadCloser
	x *exchange
}

func (e *listener) Read(p []byte) (int, error) {
	e.x.understand() // what was passed on before
	n, err := e.ReadCloser.Read(p)
	e.x.hear(p[:n], err)
	return n, err
}

// buffers are used again.
type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte {
	if p, ok := b.pool.Get().(*[]byte); ok {
		return *p
	}
	return make([]byte, 32<<10)
}

func (b *buffers) Put(p []byte) { b.pool.Put(&p) }
