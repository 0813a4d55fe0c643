package prepare

import (
	"net/http"
	"net/url"
	"runtime"
	"slices"

	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/spec"
	"github.com/inferometer/inferometer/internal/usage"
)

// newTransport makes the transport that --engine asks for.
func newTransport(r *Ready) (wire.Transport, error) {
	netHTTP := func() wire.Transport {
		return wire.NewNetHTTP(wire.NetHTTPConfig{
			Clock: r.Clock, Header: r.Values.Header, Connections: connections(r.Spec), NoKeepAlive: r.NoKeepAlive, Insecure: r.Insecure, HTTP2: r.HTTP2,
			KernelStamps: r.host.wantStamps(), Proxy: r.Values.Proxy, Dial: r.host.Dial,
		})
	}
	reason := noLoop(r)
	if r.Engine == spec.EngineLoop && reason != "" {
		return nil, usage.Errorf("engine", "loop can't be used: %s", reason).WithHint("use auto or nethttp")
	}
	if r.Engine == spec.EngineNetHTTP || reason != "" {
		return netHTTP(), nil
	}
	all := connections(r.Spec) * len(r.URLs) // any server may have them all in use
	loop, err := wire.NewLoop(wire.LoopConfig{
		Clock: r.Clock, Header: r.Values.Header, Connections: all, NoKeepAlive: r.NoKeepAlive, Insecure: r.Insecure, KernelStamps: r.host.wantStamps(),
	})
	if err != nil || r.Engine == spec.EngineLoop || loop.Stamps() == kernelStamps {
		return loop, err
	}
	// Without the kernel's times each event would be late by what its loop had to read before it.
	loop.Close()
	r.host.Note("note: the kernel gives no receive times here: net/http reads in place of the event loop, and times are the client's own")
	return netHTTP(), nil
}

// kernelStamps is what a transport says whose times are the kernel's.
const kernelStamps = "kernel"

// wantStamps is for tests: where the variable is set, the kernel is not asked for
// receive times, as if it had refused (as in gVisor).
func (h *Host) wantStamps() bool {
	return h.Variable("INFEROMETER_TEST_NO_STAMPS") == "" && h.Dial == nil
}

// noLoop says why the event loop can't carry this run; empty: it can.
func noLoop(r *Ready) string {
	switch {
	case runtime.GOOS != "linux":
		return "it is for Linux"
	case r.host.Dial != nil:
		return "its connections are the kernel's"
	case r.HTTP2:
		return "it speaks HTTP/1.1 only"
	case slices.ContainsFunc(r.URLs, func(u string) bool { return proxied(r.Values.Proxy, u+r.path()) }):
		return "it knows no proxies"
	}
	return ""
}

// proxied says whether requests to a server go through a proxy.
func proxied(proxy func(*http.Request) (*url.URL, error), to string) bool {
	if proxy == nil {
		return false
	}
	req, err := http.NewRequest(http.MethodPost, to, nil)
	if err != nil {
		return true // net/http will say what is wrong with it
	}
	u, err := proxy(req)
	return u != nil || err != nil
}
