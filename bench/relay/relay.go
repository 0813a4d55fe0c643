// Package relay is a slow path between a client and a server: a relay on the loopback that hands bytes on late. Both ends
// have the kernel's own TCP; a connection costs its time to be opened, too.
package relay

import (
	"errors"
	"net"
	"sync"
	"time"
)

// Relay is one that is open. Close ends it and all connections through it.
type Relay struct {
	to       string
	delay    time.Duration
	listener net.Listener

	mu     sync.Mutex
	closed bool
	conns  map[net.Conn]bool
	active sync.WaitGroup
}

// Open takes connections for an address such as 127.0.0.1:8000, and delays what goes through by so much in each direction.
func Open(to string, delay time.Duration) (*Relay, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Relay{to: to, delay: delay, listener: l, conns: map[net.Conn]bool{}}
	r.active.Go(r.accept)
	return r, nil
}

// Addr is where clients connect to.
func (r *Relay) Addr() string { return r.listener.Addr().String() }

// Close ends it. No goroutine is left.
func (r *Relay) Close() error {
	err := r.listener.Close()
	r.mu.Lock()
	r.closed = true
	for c := range r.conns {
		err = errors.Join(err, c.Close())
	}
	r.mu.Unlock()
	r.active.Wait()
	return err
}

func (r *Relay) accept() {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.active.Go(func() { r.carry(client) })
	}
}

// hold keeps a connection until it is let go; false once the relay is closed.
func (r *Relay) hold(c net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		_ = c.Close()
		return false
	}
	r.conns[c] = true
	return true
}

func (r *Relay) letGo(c net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conns[c] {
		delete(r.conns, c)
		_ = c.Close()
	}
}

// carry relays one connection. To open it takes a round trip.
func (r *Relay) carry(client net.Conn) {
	if !r.hold(client) {
		return
	}
	defer r.letGo(client)
	time.Sleep(2 * r.delay)
	server, err := net.Dial("tcp", r.to)
	if err != nil || !r.hold(server) {
		return
	}
	defer r.letGo(server)
	var both sync.WaitGroup
	both.Go(func() { r.one(client, server) })
	both.Go(func() { r.one(server, client) })
	both.Wait()
}

// late is what was read, and when it may go on.
type late struct {
	due   time.Time
	bytes []byte
}

// one carries one direction, to its end.
func (r *Relay) one(from, to net.Conn) {
	flying := make(chan late, 1024)
	go func() {
		defer close(flying)
		for {
			b := make([]byte, 16<<10)
			n, err := from.Read(b)
			if n > 0 {
				flying <- late{time.Now().Add(r.delay), b[:n]}
			}
			if err != nil {
				return
			}
		}
	}()
	for l := range flying {
		time.Sleep(time.Until(l.due))
		_, _ = to.Write(l.bytes) // an end that has gone has its own words for it
	}
	if tcp, ok := to.(*net.TCPConn); ok {
		_ = tcp.CloseWrite()
	}
}
