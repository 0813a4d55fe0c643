//go:build !unix

package socket

import "net"

// rawWriter is for systems with plain sockets; elsewhere each stream writes in
// a goroutine of its own.
type rawWriter struct{}

func newRawWriter(*net.TCPConn) *rawWriter { return nil }

func (*rawWriter) tryWrite([]byte) (int, error) { return 0, ErrWouldBlock }
