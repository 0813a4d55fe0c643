package bench

import (
	"net/http"
	"net/url"
	"runtime"
	"slices"

	"github.com/inferometer/inferometer/internal/bench/client"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/spec"
	"github.com/inferometer/inferometer/internal/usage"
)

// makeTransport makes the transport that --engine asks for.
func (r *Run) makeTransport() (wire.Transport, error) {
	reason := r.noLoop()
	if r.Engine == spec.EngineLoop && reason != "" {
		return nil, usage.Errorf("engine", "loop can't be used: %s", reason).WithHint("use auto or nethttp")
	}
	if r.Engine == spec.EngineNetHTTP || reason != "" {
		return r.netHTTP(), nil
	}
	all := r.connections() * len(r.URLs) // any server may have them all in use
	loop, err := wire.NewLoop(wire.LoopConfig{
		Clock: r.clock, Header: r.wire.Header, Connections: all, NoKeepAlive: r.NoKeepAlive, Insecure: r.Insecure, KernelStamps: r.wantStamps(),
	})
	if err != nil || r.Engine == spec.EngineLoop || loop.Stamps() == kernelStamps {
		return loop, err
	}
	// Without the kernel's times each event would be late by what its loop had to read before it.
	loop.Close()
	r.say("note: the kernel gives no receive times here: net/http reads in place of the event loop, and times are the client's own")
	return r.netHTTP(), nil
}

func (r *Run) netHTTP() wire.Transport {
	return wire.NewNetHTTP(wire.NetHTTPConfig{
		Clock: r.clock, Header: r.wire.Header, Connections: r.connections(), NoKeepAlive: r.NoKeepAlive, Insecure: r.Insecure, HTTP2: r.HTTP2,
		KernelStamps: r.wantStamps(), Proxy: r.wire.Proxy, Dial: r.host.Dial,
	})
}

// engine is what carries the requests.
func (r *Run) engine() string {
	if _, isLoop := r.transport.(*wire.Loop); isLoop {
		return spec.EngineLoop
	}
	return spec.EngineNetHTTP
}

// kernelStamps is what a transport says whose times are the kernel's.
const kernelStamps = "kernel"

// wantStamps is for tests: where the variable is set, the kernel is not asked for
// receive times, as if it had refused (as in gVisor).
func (r *Run) wantStamps() bool {
	return r.host.variable("INFEROMETER_TEST_NO_STAMPS") == "" && r.host.Dial == nil
}

// spare is how many goroutines may wait inside a system call beside the event loop's
// threads: the dispatcher, and one that reads or writes a file.
const spare = 2

// spareProcessors gives Go's scheduler some processors more than it has chosen by
// the machine and its limits. It comes right before the load: what counts its
// workers by the processors has done so.
// A thread that waits in a system call keeps its processor for up to 10 ms, and
// what is due meanwhile would wait for it (figures: docs/performance.md).
func (r *Run) spareProcessors() {
	loop, isLoop := r.transport.(*wire.Loop)
	if isLoop && r.host.variable("GOMAXPROCS") == "" { // else the user knows better
		r.spared = loop.Threads() + spare
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + r.spared)
		loop.Keep(true)
	}
}

// returnProcessors undoes spareProcessors: a command may have several runs.
func (r *Run) returnProcessors() {
	if r.spared > 0 {
		r.transport.(*wire.Loop).Keep(false)
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) - r.spared)
		r.spared = 0
	}
}

// machine describes this machine, with the processors that the client may use: the
// spare ones are no more than places in Go's scheduler.
func (r *Run) machine() journal.Environment {
	e := client.Environment()
	e.GoMaxProcs -= r.spared
	return e
}

// noLoop says why the event loop can't carry this run; empty: it can.
func (r *Run) noLoop() string {
	switch {
	case runtime.GOOS != "linux":
		return "it is for Linux"
	case r.host.Dial != nil:
		return "its connections are the kernel's"
	case r.HTTP2:
		return "it speaks HTTP/1.1 only"
	case slices.ContainsFunc(r.urls(), func(u string) bool { return proxied(r.wire.Proxy, u) }):
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
