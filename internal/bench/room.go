package bench

import (
	"fmt"
	"net/url"

	"github.com/inferometer/inferometer/internal/bench/client"
	"github.com/inferometer/inferometer/internal/machine"
)

// spareFiles are what a run opens beside its connections: journal, questions, runtime.
const spareFiles = 32

// checkRoom refuses a load for which this machine has not enough descriptors or ports,
// before anything is sent. Under HTTP/2 many requests share a connection, and how
// many is the server's choice.
func (r *Run) checkRoom() error {
	all := r.MaxConcurrency == nil && r.NumPrompts > 0 && orZero(r.Rate()) == 0 && !r.Timed()
	if r.MaxConcurrency == nil && !all || r.HTTP2 {
		return nil
	}
	what := "--max-concurrency"
	if all {
		what = "without --max-concurrency --num-prompts"
	}
	ports := 0
	if low, high, err := machine.This().LocalPorts(); err == nil {
		ports = high - low + 1
	}
	return room{client.FDLimit(), ports, r.addresses()}.check(what, r.connections())
}

// room is what bounds the connections of a process.
type room struct {
	files     uint64 // that it may open; 0: not known
	ports     int    // for connections to one address; 0: not known
	addresses int
}

func (m room) check(what string, connections int) error {
	what = fmt.Sprintf("%s %d may need as many connections", what, connections)
	switch {
	case m.files > 0 && uint64(connections)+spareFiles > m.files:
		return fmt.Errorf("%s, and this process may open %d files: raise the limit (ulimit -n %d), or send fewer at once",
			what, m.files, connections+spareFiles)
	case m.ports > 0 && connections > m.ports*m.addresses:
		return fmt.Errorf("%s, and this machine has %d ports for connections to one address: widen net.ipv4.ip_local_port_range, give the server several addresses (--targets), or send fewer at once",
			what, m.ports)
	}
	return nil
}

// addresses counts the servers' addresses: each has all of the ports for itself.
func (r *Run) addresses() int {
	seen := map[string]bool{}
	for _, text := range r.URLs {
		if u, err := url.Parse(text); err == nil {
			seen[u.Host] = true
		}
	}
	return max(len(seen), 1)
}
