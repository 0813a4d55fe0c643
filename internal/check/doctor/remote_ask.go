package doctor

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/http/httptrace"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/send/target"
)

// answer is what an answer over HTTP shows beside its body.
type answer struct {
	proto      string
	header     http.Header
	tls        *tls.ConnectionState // nil: plain HTTP
	handshake  time.Duration
	sent, seen time.Time // the request written, the headers here
}

// ask puts the questions that need no inference. HTTP/2 is offered, to see
// whether it is taken.
func (f *facts) ask(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, f.Timeout)
	defer cancel()
	inner := &http.Transport{
		Proxy: http.ProxyURL(f.Proxy), DialContext: f.Dial, ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: f.Insecure}, //nolint:gosec // the user's --insecure
	}
	defer inner.CloseIdleConnections()
	t := &target.Target{Base: f.Base, Header: f.Header, Client: &http.Client{Transport: recorder{inner, f}}}
	f.models, f.noModels = t.Models(ctx)
	if f.answer == nil {
		f.noAnswer = f.noModels
		return
	}
	f.identity = t.Identify(ctx)
	t.Kind = f.identity.Kind
	f.router = t.Router(ctx)
	m, err := t.Metrics(ctx)
	f.metrics, f.noMetric = len(m), err
}

// recorder keeps the first answer that passes through it.
type recorder struct {
	http.RoundTripper
	facts *facts
}

func (r recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	if r.facts.answer != nil {
		return r.RoundTripper.RoundTrip(req)
	}
	a := &answer{sent: clock.Now()}
	var begin time.Time
	ctx := httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		TLSHandshakeStart: func() { begin = clock.Now() },
		TLSHandshakeDone:  func(tls.ConnectionState, error) { a.handshake = clock.Since(begin) },
	})
	resp, err := r.RoundTripper.RoundTrip(req.WithContext(ctx))
	if err == nil {
		a.seen, a.proto, a.header, a.tls = clock.Now(), resp.Proto, resp.Header, resp.TLS
		r.facts.answer = a
	}
	return resp, err
}
