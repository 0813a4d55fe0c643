package router

import (
	"fmt"
	"net/http"
	"strings"
)

// metrics are the router's own, under names of its own.
func (rt *Router) metrics(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	b := &strings.Builder{}
	head := func(name, kind, help string) {
		fmt.Fprintf(b, "# HELP sim_router_%s %s\n# TYPE sim_router_%s %s\n", name, help, name, kind)
	}
	each := func(name, kind, help string, of func(*replica) int64) {
		head(name, kind, help)
		for _, p := range rt.replicas {
			fmt.Fprintf(b, "sim_router_%s{worker=%q} %d\n", name, p.URL, of(p))
		}
	}
	head("requests_total", "counter", "Requests of clients.")
	fmt.Fprintf(b, "sim_router_requests_total %d\n", rt.requests.Load())
	head("retries_total", "counter", "Further tries of them.")
	fmt.Fprintf(b, "sim_router_retries_total %d\n", rt.retries.Load())
	each("upstream_requests_total", "counter", "Requests sent to each replica.", func(p *replica) int64 { return int64(p.sent.Load()) })
	each("worker_health", "gauge", "1: the replica is up.", func(p *replica) int64 {
		if p.healthy() {
			return 1
		}
		return 0
	})
	each("worker_requests_active", "gauge", "Requests in progress, waiting ones too.", func(p *replica) int64 { return p.active.Load() })
	each("queued_requests", "gauge", "Requests that wait in the router.", func(p *replica) int64 { return p.queued.Load() })
	_, _ = w.Write([]byte(b.String()))
}
