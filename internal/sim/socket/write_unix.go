//go:build unix

package socket

import (
	"errors"
	"net"
	"syscall"
)

// rawWriter writes to a socket without ever waiting for it, so that one slow
// reader does not hold up the pump.
type rawWriter struct {
	raw syscall.RawConn
	do  func(fd uintptr) bool // made once: a closure for each write would be garbage
	b   []byte
	n   int
	err error
}

func newRawWriter(c *net.TCPConn) *rawWriter {
	raw, err := c.SyscallConn()
	if err != nil {
		return nil
	}
	w := &rawWriter{raw: raw}
	w.do = func(fd uintptr) bool {
		for {
			w.n, w.err = syscall.Write(int(fd), w.b)
			if w.err != syscall.EINTR {
				return true
			}
		}
	}
	return w
}

// tryWrite writes what the socket takes. ErrWouldBlock tells that it was not all.
func (w *rawWriter) tryWrite(b []byte) (int, error) {
	w.b = b
	err := w.raw.Write(w.do)
	w.b = nil
	if err != nil {
		return 0, err
	}
	if errors.Is(w.err, syscall.EAGAIN) {
		return 0, ErrWouldBlock
	}
	if w.err != nil {
		return 0, w.err
	}
	if w.n < len(b) {
		return w.n, ErrWouldBlock
	}
	return w.n, nil
}
