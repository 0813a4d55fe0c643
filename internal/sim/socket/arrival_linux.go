package socket

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// StampArrivals makes the listener's connections keep the kernel's receive times.
// The listener asks for them too: the kernel stamps while any socket wants it, and
// begins with some delay. Where it refuses, arrivals are not known.
func StampArrivals(l net.Listener) net.Listener {
	tcp, ok := l.(*net.TCPListener)
	if !ok {
		return l
	}
	raw, err := tcp.SyscallConn()
	if err != nil || askForTimes(raw) != nil {
		return l
	}
	return stampedListener{tcp}
}

func askForTimes(raw syscall.RawConn) error {
	const flags = unix.SOF_TIMESTAMPING_RX_SOFTWARE | unix.SOF_TIMESTAMPING_SOFTWARE
	var refused error
	err := raw.Control(func(fd uintptr) {
		refused = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPING, flags)
	})
	return errors.Join(err, refused)
}

type stampedListener struct{ *net.TCPListener }

func (l stampedListener) Accept() (net.Conn, error) {
	c, err := l.AcceptTCP()
	if err != nil {
		return nil, err
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return c, nil // without times
	}
	_ = askForTimes(raw) // it has inherited that, if it didn't connect before the listener asked
	return &stampedConn{TCPConn: c, raw: raw}, nil
}

// stampedConn reads with recvmsg, which gives the time beside the bytes.
type stampedConn struct {
	*net.TCPConn
	raw syscall.RawConn
	at  atomic.Int64 // net/http reads in a goroutine of its own
}

func (c *stampedConn) arrived() int64    { return c.at.Load() }
func (c *stampedConn) tcp() *net.TCPConn { return c.TCPConn }

func (c *stampedConn) Read(b []byte) (n int, err error) {
	if len(b) == 0 {
		return 0, nil
	}
	var oob [64]byte
	var told int
	var failed error
	err = c.raw.Read(func(fd uintptr) bool {
		for {
			n, told, _, _, failed = unix.Recvmsg(int(fd), b, oob[:], 0)
			if failed != unix.EINTR {
				return failed != unix.EAGAIN
			}
		}
	})
	switch {
	case err != nil:
		return 0, err
	case failed != nil:
		return 0, &net.OpError{Op: "read", Net: "tcp", Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: os.NewSyscallError("recvmsg", failed)}
	case n == 0:
		return 0, io.EOF
	}
	c.at.Store(kernelTime(oob[:told]))
	return n, nil
}

// kernelTime is the software receive time among the control messages; 0: absent.
func kernelTime(oob []byte) int64 {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return 0
	}
	for _, m := range messages {
		if m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SO_TIMESTAMPING && len(m.Data) >= int(unsafe.Sizeof(unix.Timespec{})) {
			return (*unix.Timespec)(unsafe.Pointer(&m.Data[0])).Nano() // the first of three is the software's
		}
	}
	return 0
}
