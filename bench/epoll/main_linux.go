// Command epoll is the second yardstick of client speed: as bare, with one
// epoll loop instead of a goroutine a connection.
package main

import (
	"fmt"
	"net"
	"os"
	"runtime"

	"github.com/inferometer/inferometer/bench/yardstick"
	"golang.org/x/sys/unix"
)

func main() {
	runtime.LockOSThread()
	o := yardstick.Parse()
	if o.TLS {
		fmt.Fprintln(os.Stderr, "epoll: it reads plain bytes; use bare for TLS")
		os.Exit(2)
	}
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "epoll:", err)
		os.Exit(1)
	}
}

func run(o yardstick.Options) error {
	request := o.Request()
	addr, err := net.ResolveTCPAddr("tcp4", o.Addr)
	if err != nil {
		return err
	}
	ep, err := unix.EpollCreate1(0)
	if err != nil {
		return err
	}
	sent, done := 0, 0
	send := func(fd int) error {
		if sent == o.Requests {
			return nil
		}
		sent++
		_, err := unix.Write(fd, request)
		return err
	}
	for range o.Streams {
		fd, err := connect(ep, addr)
		if err != nil {
			return err
		}
		if err := send(fd); err != nil {
			return err
		}
	}
	ready := make([]unix.EpollEvent, 1024)
	buf := make([]byte, 64<<10)
	var events, reads int64
	for done < o.Requests {
		n, err := unix.EpollWait(ep, ready, -1)
		if err != nil && err != unix.EINTR {
			return err
		}
		for _, ev := range ready[:max(n, 0)] {
			k, err := unix.Read(int(ev.Fd), buf)
			if err != nil || k == 0 {
				return fmt.Errorf("read: %d bytes, %w", k, err)
			}
			reads++
			events += int64(yardstick.Events(buf[:k]))
			if yardstick.Ended(buf[:k]) {
				done++
				if err := send(int(ev.Fd)); err != nil {
					return err
				}
			}
		}
	}
	yardstick.Report(events, reads)
	return nil
}

func connect(ep int, addr *net.TCPAddr) (int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	if err := unix.Connect(fd, &unix.SockaddrInet4{Port: addr.Port, Addr: [4]byte(addr.IP.To4())}); err != nil {
		return 0, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return 0, err
	}
	return fd, unix.EpollCtl(ep, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)})
}
