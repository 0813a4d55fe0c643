package prepare

import (
	"fmt"
	"net/url"

	"github.com/inferometer/inferometer/internal/client"
	"github.com/inferometer/inferometer/internal/machine"
	"github.com/inferometer/inferometer/internal/spec"
)

// spareFiles are what a run opens beside its connections: journal, questions, runtime.
const spareFiles = 32

// checkCapacity refuses a load for which this machine has not enough descriptors or ports,
// before anything is sent. Under HTTP/2 many requests share a connection, and how
// many is the server's choice.
func checkCapacity(s *spec.Spec) error {
	all := s.MaxConcurrency == nil && s.NumPrompts > 0 && orZero(s.Rate()) == 0 && !s.Timed()
	if s.MaxConcurrency == nil && !all || s.HTTP2 {
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
	return capacity{client.FDLimit(), ports, addresses(s.URLs)}.check(what, connections(s))
}

// capacity is what bounds the connections of a process.
type capacity struct {
	files     uint64 // that it may open; 0: not known
	ports     int    // for connections to one address; 0: not known
	addresses int
}

func (c capacity) check(what string, connections int) error {
	what = fmt.Sprintf("%s %d may need as many connections", what, connections)
	switch {
	case c.files > 0 && uint64(connections)+spareFiles > c.files:
		return fmt.Errorf("%s, and this process may open %d files: raise the limit (ulimit -n %d), or send fewer at once",
			what, c.files, connections+spareFiles)
	case c.ports > 0 && connections > c.ports*c.addresses:
		return fmt.Errorf("%s, and this machine has %d ports for connections to one address: widen net.ipv4.ip_local_port_range, give the server several addresses (--targets), or send fewer at once",
			what, c.ports)
	}
	return nil
}

// addresses counts the servers' addresses: each has all of the ports for itself.
func addresses(urls []string) int {
	seen := map[string]bool{}
	for _, text := range urls {
		if u, err := url.Parse(text); err == nil {
			seen[u.Host] = true
		}
	}
	return max(len(seen), 1)
}
