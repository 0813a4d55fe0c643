// Package memnet is a network within the process, for tests in virtual time: a goroutine that waits for a
// connection of the kernel holds up the clock of a synctest bubble, one that waits here does not.
package memnet

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"syscall"
)

// Network joins listeners and those who dial them, by address. The zero value is empty and ready.
type Network struct {
	mu        sync.Mutex
	listeners map[string]*Listener
	ports     uint16 // of those who dial
}

// Listen opens an address such as "10.0.0.1:80", which must be numbers. With port 0 it chooses a free port.
func (n *Network) Listen(address string) (*Listener, error) {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for port := uint16(1024); at.Port() == 0; port++ {
		if to := netip.AddrPortFrom(at.Addr(), port); n.listeners[to.String()] == nil {
			at, address = to, to.String()
		}
	}
	if n.listeners[address] != nil {
		return nil, &net.OpError{Op: "listen", Net: "tcp", Addr: net.TCPAddrFromAddrPort(at), Err: os.NewSyscallError("bind", syscall.EADDRINUSE)}
	}
	l := &Listener{network: n, address: at, calls: make(chan *Conn), done: make(chan struct{})}
	if n.listeners == nil {
		n.listeners = map[string]*Listener{}
	}
	n.listeners[address] = l
	return l, nil
}

// DialContext connects to a listener, as net.Dialer's method does. Where nothing is listening it is refused.
func (n *Network) DialContext(ctx context.Context, _, address string) (net.Conn, error) {
	n.mu.Lock()
	l := n.listeners[address]
	n.ports++
	here := &net.TCPAddr{IP: net.IPv4(10, 255, 255, 255), Port: int(n.ports)}
	n.mu.Unlock()
	if l == nil {
		return nil, refused(address)
	}
	near, far := pair(here, l.Addr())
	select {
	case l.calls <- far:
		return near, nil
	case <-l.done:
		return nil, refused(address)
	case <-ctx.Done():
		err := ctx.Err()
		if errors.Is(err, context.DeadlineExceeded) {
			err = os.ErrDeadlineExceeded
		}
		return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: l.Addr(), Err: err}
	}
}

func refused(address string) error {
	var to net.Addr
	if at, err := netip.ParseAddrPort(address); err == nil {
		to = net.TCPAddrFromAddrPort(at)
	}
	return &net.OpError{Op: "dial", Net: "tcp", Addr: to, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
}

// Client is an HTTP client on this network; its connections are closed by CloseIdleConnections.
func (n *Network) Client() *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: n.DialContext}}
}

// Listener is a net.Listener.
type Listener struct {
	network *Network
	address netip.AddrPort
	calls   chan *Conn
	once    sync.Once
	done    chan struct{}
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.calls:
		return c, nil
	case <-l.done:
		return nil, &net.OpError{Op: "accept", Net: "tcp", Addr: l.Addr(), Err: net.ErrClosed}
	}
}

// Close implements net.Listener. Connections stay.
func (l *Listener) Close() error {
	l.once.Do(func() {
		l.network.mu.Lock()
		delete(l.network.listeners, l.address.String())
		l.network.mu.Unlock()
		close(l.done)
	})
	return nil
}

// Addr implements net.Listener.
func (l *Listener) Addr() net.Addr { return net.TCPAddrFromAddrPort(l.address) }
