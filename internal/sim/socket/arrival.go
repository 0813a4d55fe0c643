package socket

import (
	"context"
	"net"
)

// arriving is a connection that knows when the kernel had its last bytes. What
// comes before that is the client's and the network's; what comes after, until
// the body has been read, is our own lateness.
type arriving interface {
	arrived() int64 // unix ns; 0: not known
	tcp() *net.TCPConn
}

type arrivingKey struct{}

// WithArrival keeps the connection for the handlers of its requests.
func WithArrival(ctx context.Context, c net.Conn) context.Context {
	if back, ok := c.(*returnedConn); ok {
		c = back.Conn
	}
	if a, ok := c.(arriving); ok {
		return context.WithValue(ctx, arrivingKey{}, a)
	}
	return ctx
}

// ArrivalOf is when the request whose body has just been read was there.
func ArrivalOf(ctx context.Context) int64 {
	if a, ok := ctx.Value(arrivingKey{}).(arriving); ok {
		return a.arrived()
	}
	return 0
}

// tcpOf finds the TCP connection below, nil if it is none or lies under TLS.
func tcpOf(c net.Conn) *net.TCPConn {
	switch c := c.(type) {
	case *net.TCPConn:
		return c
	case arriving:
		return c.tcp()
	}
	return nil
}
