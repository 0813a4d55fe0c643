//go:build !linux

package wire

import (
	"net"

	"github.com/inferometer/inferometer/internal/clock"
)

// stampConn keeps the moment at which each read returned: this system has no
// receive times for TCP that we know how to ask for.
type stampConn struct {
	*net.TCPConn
	lastRead
}

func newStampConn(c *net.TCPConn) (*stampConn, error) { return &stampConn{TCPConn: c}, nil }

func (s *stampConn) Read(b []byte) (int, error) {
	n, err := s.TCPConn.Read(b)
	s.at = clock.Now()
	s.unstamped++
	return n, err
}

func (*stampConn) segments() segments { return unknownSegments }

// stampHold is nothing here.
type stampHold struct{}

func holdStamps() (stampHold, bool) { return stampHold{}, false }

func (*stampHold) release() {}
