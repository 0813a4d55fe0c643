// Package way is a slow way between a client and a server: a relay on the loopback that hands bytes on late. Both ends
// have the kernel's own TCP; a connection costs its time to be opened, too.
package way

import (
	"errors"
	"net"
	"sync"
	"time"
)

// Way is one that is open. Close ends it and all connections through it.
type Way struct {
	to       string
	delay    time.Duration
	listener net.Listener

	mu     sync.Mutex
	closed bool
	conns  map[net.Conn]bool
	active sync.WaitGroup
}

// Open takes connections for an address such as 127.0.0.1:8000, and delays what goes through by so much each way.
func Open(to string, delay time.Duration) (*Way, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &Way{to: to, delay: delay, listener: l, conns: map[net.Conn]bool{}}
	w.active.Go(w.accept)
	return w, nil
}

// Addr is where clients connect to.
func (w *Way) Addr() string { return w.listener.Addr().String() }

// Close ends it. No goroutine is left.
func (w *Way) Close() error {
	err := w.listener.Close()
	w.mu.Lock()
	w.closed = true
	for c := range w.conns {
		err = errors.Join(err, c.Close())
	}
	w.mu.Unlock()
	w.active.Wait()
	return err
}

func (w *Way) accept() {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return
		}
		w.active.Go(func() { w.carry(client) })
	}
}

// hold keeps a connection until it is let go; false once the way is closed.
func (w *Way) hold(c net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		_ = c.Close()
		return false
	}
	w.conns[c] = true
	return true
}

func (w *Way) letGo(c net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conns[c] {
		delete(w.conns, c)
		_ = c.Close()
	}
}

// carry relays one connection. To open it takes a way there and back.
func (w *Way) carry(client net.Conn) {
	if !w.hold(client) {
		return
	}
	defer w.letGo(client)
	time.Sleep(2 * w.delay)
	server, err := net.Dial("tcp", w.to)
	if err != nil || !w.hold(server) {
		return
	}
	defer w.letGo(server)
	var both sync.WaitGroup
	both.Go(func() { w.one(client, server) })
	both.Go(func() { w.one(server, client) })
	both.Wait()
}

// late is what was read, and when it may go on.
type late struct {
	due   time.Time
	bytes []byte
}

// one carries one direction, to its end.
func (w *Way) one(from, to net.Conn) {
	flying := make(chan late, 1024)
	go func() {
		defer close(flying)
		for {
			b := make([]byte, 16<<10)
			n, err := from.Read(b)
			if n > 0 {
				flying <- late{time.Now().Add(w.delay), b[:n]}
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
