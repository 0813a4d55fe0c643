// Package relay is a path between a client and a server that can be made slow, or cut: a relay on the loopback that
// hands bytes on. Both ends have the kernel's own TCP; a connection costs its time to be opened, too.
package relay

import (
	"errors"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/inferometer/inferometer/internal/errno"
)

// Relay is one that is open. Close ends it and all connections through it.
type Relay struct {
	to       string
	listener net.Listener
	over     chan struct{} // closed by Close

	mu      sync.Mutex
	closed  bool
	conns   map[net.Conn]bool
	delay   time.Duration
	refuses bool          // connections are reset
	open    chan struct{} // closed while bytes come through
	active  sync.WaitGroup
}

// Open takes connections for an address such as 127.0.0.1:8000, and delays what goes through by so much in each direction.
func Open(to string, delay time.Duration) (*Relay, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Relay{to: to, listener: l, over: make(chan struct{}), conns: map[net.Conn]bool{}, delay: delay, open: make(chan struct{})}
	close(r.open)
	r.active.Go(r.accept)
	return r, nil
}

// Addr is where clients connect to.
func (r *Relay) Addr() string { return r.listener.Addr().String() }

// Slow delays what comes from now on by so much in each direction.
func (r *Relay) Slow(delay time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.delay = delay
}

// Cut resets all connections, and those that are opened from now on.
func (r *Relay) Cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refuses = true
	for c := range r.conns {
		reset(c)
	}
}

// Hold lets nothing through and tells nobody: connections stay, new ones are taken, and nothing comes of them before
// Mend. What was sent until then comes through then.
func (r *Relay) Hold() {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.open:
		r.open = make(chan struct{})
	default:
	}
}

// Mend ends whatever was done: bytes come through, at once.
func (r *Relay) Mend() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mend()
	r.delay, r.refuses = 0, false
}

func (r *Relay) mend() {
	select {
	case <-r.open:
	default:
		close(r.open)
	}
}

// Close ends it. No goroutine is left.
func (r *Relay) Close() error {
	err := r.listener.Close()
	r.mu.Lock()
	if !r.closed {
		close(r.over)
	}
	r.closed = true
	for c := range r.conns {
		err = errors.Join(err, c.Close())
	}
	clear(r.conns)
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

// keep notes a connection until it is let go; false: it was ended at once, since the relay is closed or cut.
func (r *Relay) keep(c net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.refuses {
		reset(c)
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

// reset ends a connection as a process that dies does: the other end is told at once, and what is under way is lost.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}

func (r *Relay) now() (delay time.Duration, open <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.delay, r.open
}

// wait waits until a moment, and until bytes come through; false: the relay was closed.
func (r *Relay) wait(until time.Time) bool {
	if rest := time.Until(until); rest > 0 {
		timer := time.NewTimer(rest)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.over:
			return false
		}
	}
	_, open := r.now()
	select {
	case <-open:
		return true
	case <-r.over:
		return false
	}
}

// carry relays one connection. To open it takes a round trip. Where the server takes none, the client's is reset.
func (r *Relay) carry(client net.Conn) {
	if !r.keep(client) {
		return
	}
	defer r.letGo(client)
	delay, _ := r.now()
	if !r.wait(time.Now().Add(2 * delay)) {
		return
	}
	server, err := net.Dial("tcp", r.to)
	if err != nil {
		if tcp, ok := client.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		return
	}
	if !r.keep(server) {
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
	err   error // how the reading ended
}

// one carries one direction, to its end. A reset at one end is one at the other.
func (r *Relay) one(from, to net.Conn) {
	flying := make(chan late, 1024)
	var reading sync.WaitGroup
	defer reading.Wait()
	reading.Go(func() {
		defer close(flying)
		for {
			b := make([]byte, 16<<10)
			n, err := from.Read(b)
			delay, _ := r.now()
			select {
			case flying <- late{time.Now().Add(delay), b[:n], err}:
			case <-r.over:
				return
			}
			if err != nil {
				return
			}
		}
	})
	for l := range flying {
		if !r.wait(l.due) {
			return
		}
		if _, err := to.Write(l.bytes); err != nil {
			reset(from) // nobody is there to whom it could say more
			continue
		}
		if l.err != nil {
			hangUp(to, l.err)
		}
	}
}

// hangUp tells one end how the other one went.
func hangUp(to net.Conn, how error) {
	if errno.Is(how, syscall.ECONNRESET) {
		reset(to)
	} else if tcp, ok := to.(*net.TCPConn); ok {
		_ = tcp.CloseWrite()
	}
}
