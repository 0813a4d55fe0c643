//go:build linux

package stage

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A network is namespaces on two switches: one for the load, one for NATS. So either can be
// cut without the other. The namespaces are held by threads of this process and are gone
// with it, however it ends.
type network struct {
	middle *Host // where the two switches are
	made   int
}

// Host is a namespace with an address on each switch.
type Host struct {
	Load, NATS string // its addresses
	net        *network
	number     int
	tid        int
	enter      []string
}

// ErrNoNetwork says that this system lets us make no networks.
var ErrNoNetwork = errors.New("this system lets us make no networks of our own")

// inside is what a command is run by; nothing for one that stays here.
func (h *Host) inside() []string {
	if h == nil {
		return nil
	}
	return append([]string{}, h.enter...)
}

// Host makes one more namespace. The first one makes the switches too.
func (s *Stage) Host() (*Host, error) {
	if os.Geteuid() != 0 {
		return nil, fmt.Errorf("%w: that needs root", ErrNoNetwork)
	}
	if s.net == nil {
		middle, err := s.namespace()
		if err != nil {
			return nil, err
		}
		if err := middle.ip("link add load type bridge", "link set load up", "link add nats type bridge", "link set nats up"); err != nil {
			return nil, errors.Join(ErrNoNetwork, err)
		}
		s.net = &network{middle: middle}
	}
	h, err := s.namespace()
	if err != nil {
		return nil, err
	}
	s.net.made++
	h.net, h.number = s.net, s.net.made
	h.Load, h.NATS = fmt.Sprintf("10.77.1.%d", h.number), fmt.Sprintf("10.77.2.%d", h.number)
	for _, side := range []struct{ name, address string }{{"load", h.Load}, {"nats", h.NATS}} {
		if err := s.net.middle.ip(
			fmt.Sprintf("link add %s%d type veth peer name %s netns %d", side.name, h.number, side.name, h.tid),
			fmt.Sprintf("link set %s%d master %s up", side.name, h.number, side.name),
		); err != nil {
			return nil, errors.Join(ErrNoNetwork, err)
		}
		if err := h.ip("addr add "+side.address+"/24 dev "+side.name, "link set "+side.name+" up"); err != nil {
			return nil, errors.Join(ErrNoNetwork, err)
		}
	}
	return h, nil
}

// Cut takes a host off a switch: load or nats. No packet goes through, and nobody is told.
func (h *Host) Cut(side string) error {
	return h.net.middle.ip(fmt.Sprintf("link set %s%d down", side, h.number))
}

// Mend puts it back.
func (h *Host) Mend(side string) error {
	return h.net.middle.ip(fmt.Sprintf("link set %s%d up", side, h.number))
}

// namespace makes one that has only a loopback.
func (s *Stage) namespace() (*Host, error) {
	nsenter, err := exec.LookPath("nsenter")
	if err != nil {
		return nil, fmt.Errorf("%w: there is no nsenter", ErrNoNetwork)
	}
	type made struct {
		tid int
		err error
	}
	ready, done := make(chan made), make(chan struct{})
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends, and the namespace with it
		err := unix.Unshare(unix.CLONE_NEWNET)
		ready <- made{unix.Gettid(), err}
		<-done
	}()
	got := <-ready
	s.closing = append(s.closing, func() { close(done) })
	if got.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoNetwork, got.err)
	}
	h := &Host{tid: got.tid, enter: []string{nsenter, fmt.Sprintf("--net=/proc/%d/task/%d/ns/net", os.Getpid(), got.tid)}}
	return h, h.ip("link set lo up")
}

// ip runs commands of ip(8) inside.
func (h *Host) ip(commands ...string) error {
	for _, command := range commands {
		args := append(h.inside(), "ip")
		args = append(args, strings.Fields(command)...)
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w: %s", command, err, strings.TrimSpace(string(out)))
		}
	}
	return nil
}

// Reaches says whether somebody accepts connections at an address, seen from inside.
func (h *Host) Reaches(address string) bool {
	answer := make(chan bool)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread is of no use to others
		fd, err := unix.Open(fmt.Sprintf("/proc/%d/task/%d/ns/net", os.Getpid(), h.tid), unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err == nil {
			err = errors.Join(unix.Setns(fd, unix.CLONE_NEWNET), unix.Close(fd))
		}
		var c net.Conn
		if err == nil {
			c, err = net.DialTimeout("tcp", address, 3*time.Second) // packets that were lost are sent again after a second
		}
		if err == nil {
			_ = c.Close()
		}
		answer <- err == nil
	}()
	return <-answer
}
