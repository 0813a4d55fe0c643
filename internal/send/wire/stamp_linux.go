package wire

import (
	"io"
	"math"
	"net"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// stampConn is a TCP connection whose reads keep the time at which the kernel
// had received the bytes. It reads with recvmsg: the time comes as a control
// message beside the data. One read may return the bytes of several segments;
// its time is that of the last one.
type stampConn struct {
	*net.TCPConn
	raw syscall.RawConn
	lastRead

	// One read at a time: what recvmsg needs is kept here, so a read allocates nothing.
	recv func(fd uintptr) bool
	msg  unix.Msghdr
	iov  unix.Iovec
	oob  [64]byte
	n    int
	err  syscall.Errno
	ends readEnds
}

const stampFlags = unix.SOF_TIMESTAMPING_RX_SOFTWARE | unix.SOF_TIMESTAMPING_SOFTWARE

// newStampConn asks the kernel for receive times. Where it refuses, reads are
// simply unstamped.
func newStampConn(c *net.TCPConn) (*stampConn, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, err
	}
	s := &stampConn{TCPConn: c, raw: raw}
	if err := raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPING, stampFlags)
	}); err != nil {
		return nil, err
	}
	s.msg.Iov = &s.iov
	s.msg.Iovlen = 1
	s.recv = func(fd uintptr) bool {
		for {
			s.msg.Control = &s.oob[0]
			s.msg.SetControllen(len(s.oob))
			n, _, errno := syscall.Syscall(unix.SYS_RECVMSG, fd, uintptr(unsafe.Pointer(&s.msg)), 0)
			if errno == unix.EINTR {
				continue
			}
			s.n, s.err = int(n), errno
			return errno != unix.EAGAIN
		}
	}
	return s, nil
}

func (s *stampConn) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	s.iov.Base = &b[0]
	s.iov.SetLen(len(b))
	err := s.raw.Read(s.recv)
	s.iov.Base = nil // keeps no caller's memory alive
	switch {
	case err != nil:
		return 0, err
	case s.err != 0:
		return 0, &net.OpError{Op: "read", Net: "tcp", Source: s.LocalAddr(), Addr: s.RemoteAddr(), Err: os.NewSyscallError("recvmsg", s.err)}
	case s.n == 0:
		return 0, io.EOF
	}
	s.at = time.Now()
	s.kernel = receiveTime(s.oob[:s.msg.Controllen])
	if s.kernel == 0 {
		s.unstamped++
	}
	s.open = s.ends.open(b[:s.n]) || s.n == len(b)
	return s.n, nil
}

// segmentsOf asks the kernel about a connection.
func segmentsOf(fd int) segments {
	info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		return unknownSegments
	}
	n := segments{resent: int(info.Total_retrans), reordered: int(info.Rcv_ooopack)}
	if info.Min_rtt != math.MaxUint32 { // none was measured yet
		n.rtt = time.Duration(info.Min_rtt) * time.Microsecond
	}
	return n
}

func (s *stampConn) segments() segments {
	n := unknownSegments
	_ = s.raw.Control(func(fd uintptr) { n = segmentsOf(int(fd)) }) // closed: not told
	return n
}

// receiveTime finds the software receive time in the control messages, 0 if absent.
func receiveTime(oob []byte) int64 {
	const header = unix.SizeofCmsghdr
	for len(oob) >= header {
		h := (*unix.Cmsghdr)(unsafe.Pointer(&oob[0]))
		size := int(h.Len)
		if size < header || size > len(oob) {
			return 0
		}
		if h.Level == unix.SOL_SOCKET && h.Type == unix.SO_TIMESTAMPING && size >= header+int(unsafe.Sizeof(unix.Timespec{})) {
			return (*unix.Timespec)(unsafe.Pointer(&oob[header])).Nano()
		}
		oob = oob[min(unix.CmsgSpace(size-header), len(oob)):]
	}
	return 0
}

// stampHold keeps the kernel stamping. It stamps packets only while some socket
// asks for it, and switches that on and off with a delay; so without a hold the
// first reads of a run would have no time.
type stampHold struct{ fd int }

// holdStamps makes the kernel stamp until release, and waits until it does. ok
// is false where it doesn't.
func holdStamps() (h stampHold, ok bool) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return stampHold{-1}, false
	}
	h = stampHold{fd}
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPING, stampFlags) != nil || !stampsArrive() {
		h.release()
		return stampHold{-1}, false
	}
	return h, true
}

func (h *stampHold) release() {
	if h.fd >= 0 {
		_ = unix.Close(h.fd)
		h.fd = -1
	}
}

// stampsWithin is how long the kernel may take to begin with stamping. It does so in
// deferred work, which waits for its turn on a busy machine; one that never begins
// costs a run this long, once.
const stampsWithin = time.Second

// stampsArrive tries on a connection to itself.
func stampsArrive() bool {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return false
	}
	defer l.Close()
	out, err := net.DialTCP("tcp", nil, l.Addr().(*net.TCPAddr))
	if err != nil {
		return false
	}
	defer out.Close()
	in, err := l.AcceptTCP()
	if err != nil {
		return false
	}
	defer in.Close()
	s, err := newStampConn(out)
	if err != nil {
		return false
	}
	pause := 100 * time.Microsecond // gives the kernel's deferred work its turn
	for began := time.Now(); time.Since(began) < stampsWithin; pause = min(2*pause, 10*time.Millisecond) {
		_ = out.SetReadDeadline(time.Now().Add(time.Second))
		var b [1]byte
		if _, err := in.Write(b[:]); err != nil {
			return false
		}
		if _, err := s.Read(b[:]); err != nil {
			return false
		}
		if s.kernel != 0 {
			return true
		}
		time.Sleep(pause)
	}
	return false
}
