// Command transmit measures what the kernel's transmit stamps would cost and tell: whether
// they come on the loopback, how much processor time a request takes with and without
// them, and how long after the program's own time a request left.
//
//	go run ./bench/transmit
//
// Two arms take turns, request by request batch, over one connection each: a request is
// written, a byte comes back, and in the second arm the socket's error queue is read once for
// the stamps of the request. docs/accuracy.md has what came of it.
package main

import (
	"flag"
	"fmt"
	"slices"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/inferometer/inferometer/bench/harness"
)

func main() {
	requests := flag.Int("requests", 100_000, "of each arm")
	size := flag.Int("size", 600, "bytes of a request")
	batch := flag.Int("batch", 1000, "requests of an arm before the other has its turn")
	harness.Main("transmit", func() error { return run(*requests, *size, *batch) })
}

// arm is one way to send, with what it took.
type arm struct {
	name   string
	pair   pair
	stamps bool
	cpu    time.Duration
	n      int
	left   []int64 // from our time just before the write to the kernel's, in nanoseconds
	missed int
}

const (
	received = unix.SOF_TIMESTAMPING_RX_SOFTWARE | unix.SOF_TIMESTAMPING_SOFTWARE
	sent     = unix.SOF_TIMESTAMPING_TX_SOFTWARE | unix.SOF_TIMESTAMPING_OPT_ID | unix.SOF_TIMESTAMPING_OPT_TSONLY
)

func run(requests, size, batch int) error {
	arms := []*arm{{name: "receive stamps alone"}, {name: "transmit stamps too", stamps: true}}
	for _, a := range arms {
		p, err := newPair()
		if err != nil {
			return err
		}
		a.pair = p
		flags := received
		if a.stamps {
			flags |= sent
		}
		if err := unix.SetsockoptInt(p.client, unix.SOL_SOCKET, unix.SO_TIMESTAMPING, flags); err != nil {
			return fmt.Errorf("the kernel refuses the stamps: %w", err)
		}
	}
	body := make([]byte, size)
	for arms[1].n < requests {
		for _, a := range arms {
			before := cpu()
			for range batch {
				if err := a.request(body); err != nil {
					return err
				}
			}
			a.cpu += cpu() - before
			a.n += batch
		}
	}
	show(arms)
	return nil
}

// request writes one, answers it, and reads the answer and the stamps.
func (a *arm) request(body []byte) error {
	var answer [1]byte
	at := time.Now().UnixNano()
	if _, err := unix.Write(a.pair.client, body); err != nil {
		return err
	}
	if err := a.pair.answer(len(body)); err != nil {
		return err
	}
	if _, err := unix.Read(a.pair.client, answer[:]); err != nil {
		return err
	}
	if !a.stamps {
		return nil
	}
	left := errorQueue(a.pair.client)
	if left == 0 {
		a.missed++
		return nil
	}
	a.left = append(a.left, left-at)
	return nil
}

// queue is what reading an error queue needs: nothing is allocated, as in the event loop.
var queue struct {
	msg unix.Msghdr
	oob [256]byte
}

// errorQueue reads one message of a socket's error queue, and gives its time; 0: there is none.
func errorQueue(fd int) int64 {
	queue.msg.Control = &queue.oob[0]
	queue.msg.SetControllen(len(queue.oob))
	if _, _, errno := unix.RawSyscall(unix.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(&queue.msg)), unix.MSG_ERRQUEUE|unix.MSG_DONTWAIT); errno != 0 {
		return 0
	}
	const header = unix.SizeofCmsghdr
	for b := queue.oob[:queue.msg.Controllen]; len(b) >= header; {
		h := (*unix.Cmsghdr)(unsafe.Pointer(&b[0]))
		size := int(h.Len)
		if size < header || size > len(b) {
			return 0
		}
		if h.Level == unix.SOL_SOCKET && h.Type == unix.SO_TIMESTAMPING && size >= header+int(unsafe.Sizeof(unix.Timespec{})) {
			return (*unix.Timespec)(unsafe.Pointer(&b[header])).Nano()
		}
		b = b[min(unix.CmsgSpace(size-header), len(b)):]
	}
	return 0
}

// pair is a TCP connection to ourselves.
type pair struct{ client, server int }

func newPair() (pair, error) {
	listener, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return pair{}, err
	}
	defer unix.Close(listener)
	if err := unix.Bind(listener, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return pair{}, err
	}
	if err := unix.Listen(listener, 1); err != nil {
		return pair{}, err
	}
	address, err := unix.Getsockname(listener)
	if err != nil {
		return pair{}, err
	}
	client, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return pair{}, err
	}
	if err := unix.Connect(client, address); err != nil {
		return pair{}, err
	}
	if err := unix.SetsockoptInt(client, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
		return pair{}, err
	}
	server, _, err := unix.Accept(listener)
	return pair{client, server}, err
}

// answer reads a request of so many bytes on the other side, and writes a byte.
func (p pair) answer(size int) error {
	buf := make([]byte, size)
	for got := 0; got < size; {
		n, err := unix.Read(p.server, buf)
		if err != nil {
			return err
		}
		got += n
	}
	_, err := unix.Write(p.server, buf[:1])
	return err
}

// cpu is the processor time of this process so far.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func show(arms []*arm) {
	fmt.Println("| arm | requests | processor time a request, µs |\n|---|---:|---:|")
	for _, a := range arms {
		fmt.Printf("| %s | %d | %.3f |\n", a.name, a.n, float64(a.cpu)/float64(a.n)/1e3)
	}
	a := arms[1]
	slices.Sort(a.left)
	at := func(p float64) float64 {
		if len(a.left) == 0 {
			return 0
		}
		return float64(a.left[int(p*float64(len(a.left)-1))]) / 1e3
	}
	fmt.Printf("\na stamp came for %d of %d requests; from our time before the write to the kernel's, µs: median %.1f, p99 %.1f, max %.1f\n",
		len(a.left), a.n, at(0.5), at(0.99), at(1))
	fmt.Printf("transmit stamps cost %.3f µs a request\n", (float64(a.cpu)/float64(a.n)-float64(arms[0].cpu)/float64(arms[0].n))/1e3)
}
