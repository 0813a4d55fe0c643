//go:build linux

package scenes

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// lossy: between client and server lies a network with 50 ms of delay each way that
// loses one packet in a hundred. Both ends are real: each has a namespace of its own
// with the kernel's TCP in it, and only the wire between them is ours. (tc's netem
// would do the same, where the kernel has it.)
func lossy(s *stage) *result {
	client, server := newHost(s, "10.77.0.1"), newHost(s, "10.77.0.2")
	wire(client.tun, server.tun, 50*time.Millisecond, 0.01, 1)
	wire(server.tun, client.tun, 50*time.Millisecond, 0.01, 2)
	// Without a number of prompts no tokenizer is asked: over this network that would take long.
	sim := s.sim(server.inside, with(usualSim, "--listen", "10.77.0.2:0")...)
	return s.start(client.inside, sim.URL, with(usual[2:], "--max-concurrency", "10", "--duration", "5s")...).wait()
}

// host is a network namespace with one way out, which ends in our hands.
type host struct {
	tun    *os.File
	inside []string // a command that runs another one there
}

// newHost makes a namespace, or skips where that is not allowed.
func newHost(s *stage, address string) *host {
	s.Helper()
	nsenter, err := exec.LookPath("nsenter")
	if err != nil || os.Geteuid() != 0 {
		s.Skip("a network of its own needs root and nsenter")
	}
	type made struct {
		tun *os.File
		tid int
		err error
	}
	ready, done := make(chan made), make(chan struct{})
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends, and the namespace with it
		tun, err := newNamespace(address)
		ready <- made{tun, unix.Gettid(), err}
		<-done
	}()
	got := <-ready
	s.Cleanup(func() { close(done) })
	if got.err != nil {
		s.Skipf("this system lets us make no network of our own: %v", got.err)
	}
	s.Cleanup(func() { got.tun.Close() })
	return &host{got.tun, []string{nsenter, fmt.Sprintf("--net=/proc/%d/task/%d/ns/net", os.Getpid(), got.tid)}}
}

// newNamespace moves the calling thread into a new namespace with a TUN device.
func newNamespace(address string) (*os.File, error) {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return nil, fmt.Errorf("unshare: %w", err)
	}
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open /dev/net/tun: %w", err)
	}
	device, err := unix.NewIfreq("tun0")
	if err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	device.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, device); err != nil {
		return nil, errors.Join(fmt.Errorf("TUNSETIFF: %w", err), unix.Close(fd))
	}
	tun := os.NewFile(uintptr(fd), "tun") // not before: a file that is no device yet can't be waited for
	for _, command := range []string{"link set lo up", "addr add " + address + "/24 dev tun0", "link set tun0 up"} {
		if out, err := exec.Command("ip", strings.Fields(command)...).CombinedOutput(); err != nil {
			return nil, errors.Join(fmt.Errorf("ip %s: %w: %s", command, err, out), tun.Close())
		}
	}
	return tun, nil
}

// wire carries packets one way until an end is closed, each after the delay, and
// loses a share of them.
func wire(from, to *os.File, delay time.Duration, loss float64, seed uint64) {
	type packet struct {
		due   time.Time
		bytes []byte
	}
	flying := make(chan packet, 4096)
	go func() {
		defer close(flying)
		random := rand.New(rand.NewPCG(seed, 0))
		for {
			b := make([]byte, 2048) // a TUN device's MTU is 1500
			n, err := from.Read(b)
			if err != nil {
				return
			}
			if random.Float64() >= loss {
				flying <- packet{time.Now().Add(delay), b[:n]}
			}
		}
	}()
	go func() {
		for p := range flying {
			time.Sleep(time.Until(p.due))
			_, _ = to.Write(p.bytes) // a closed end loses it, as a cut cable does
		}
	}()
}
