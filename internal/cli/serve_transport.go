package cli

import (
	"net/http"
	"net/url"
	"runtime"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/wire"
)

// The values of --engine.
const (
	engineAuto    = "auto"
	engineLoop    = "loop"    // an event loop, for plain HTTP/1.1 on Linux
	engineNetHTTP = "nethttp" // Go's own client, for everything
)

// makeTransport makes the transport that --engine asks for.
func (r *serveRun) makeTransport(proxy func(*http.Request) (*url.URL, error)) (wire.Transport, error) {
	reason := r.noLoop(proxy)
	if r.Engine == engineLoop && reason != "" {
		return nil, argv.Errorf("engine", "loop can't be used: %s", reason).WithHint("use auto or nethttp")
	}
	if r.Engine == engineNetHTTP || reason != "" {
		return wire.NewNetHTTP(wire.NetHTTPConfig{
			Clock: r.clock, Header: r.header, Connections: r.connections(), NoKeepAlive: r.NoKeepAlive, Insecure: r.Insecure, HTTP2: r.HTTP2,
			KernelStamps: true, Proxy: proxy,
		}), nil
	}
	return wire.NewLoop(wire.LoopConfig{Clock: r.clock, Header: r.header, Connections: r.connections(), NoKeepAlive: r.NoKeepAlive, KernelStamps: true})
}

// noLoop says why the event loop can't carry this run; empty: it can.
func (r *serveRun) noLoop(proxy func(*http.Request) (*url.URL, error)) string {
	switch {
	case runtime.GOOS != "linux":
		return "it is for Linux"
	case !strings.HasPrefix(strings.ToLower(r.server), "http:"):
		return "it speaks plain HTTP only"
	case r.HTTP2:
		return "it speaks HTTP/1.1 only"
	case r.proxied(proxy):
		return "it knows no proxies"
	}
	return ""
}

// proxied says whether requests to the server go through a proxy.
func (r *serveRun) proxied(proxy func(*http.Request) (*url.URL, error)) bool {
	if proxy == nil {
		return false
	}
	req, err := http.NewRequest(http.MethodPost, r.server+r.Endpoint, nil)
	if err != nil {
		return true // net/http will say what is wrong with it
	}
	u, err := proxy(req)
	return u != nil || err != nil
}
