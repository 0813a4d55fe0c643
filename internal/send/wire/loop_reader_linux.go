package wire

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// reader is one event loop: a thread that waits for all of its connections at
// once and reads those that are ready, with one recvmsg each.
type reader struct {
	clock *Clock
	epoll int
	wake  int // an eventfd that ends the loop
	pool  *idlePool
	keep  atomic.Bool // a processor of Go's scheduler is this thread's

	mu    sync.Mutex
	slots []*loopConn // by slot; nil: free
	free  []int
	idle  map[string][]*loopConn // by address, the last used first taken
	quit  bool

	// The loop's own.
	ready []unix.EpollEvent
	conns []*loopConn
	buf   []byte
	plain []byte // a decrypted record
	msg   unix.Msghdr
	iov   unix.Iovec
	oob   [64]byte
	ended bool      // an exchange has ended in this round
	user  bool      // the kernel gives no times
	woke  time.Time // by user times: when this round began
}

const (
	loopBuffer = 64 << 10
	loopBatch  = 512
	wakeSlot   = -1

	largestRecord = 16 << 10
)

// idlePool bounds the idle connections of all loops together: each loop has those
// that it reads, and a request takes one from any.
type idlePool struct {
	most int64
	n    atomic.Int64
}

// enter counts one more, if there is room.
func (p *idlePool) enter() bool {
	if p.n.Add(1) <= p.most {
		return true
	}
	p.n.Add(-1)
	return false
}

func (p *idlePool) leave() { p.n.Add(-1) }

func newReader(clock *Clock, pool *idlePool) (*reader, error) {
	r := &reader{
		clock: clock, pool: pool, idle: map[string][]*loopConn{},
		ready: make([]unix.EpollEvent, loopBatch), conns: make([]*loopConn, loopBatch), buf: make([]byte, loopBuffer), plain: make([]byte, largestRecord),
	}
	var err error
	if r.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, fmt.Errorf("epoll: %w", err)
	}
	if r.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return nil, fmt.Errorf("eventfd: %w", err)
	}
	if err := unix.EpollCtl(r.epoll, unix.EPOLL_CTL_ADD, r.wake, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: wakeSlot}); err != nil {
		return nil, fmt.Errorf("epoll: %w", err)
	}
	r.iov.Base = &r.buf[0]
	r.iov.SetLen(len(r.buf))
	r.msg.Iov = &r.iov
	r.msg.Iovlen = 1
	return r, nil
}

// add takes a new connection into the loop.
func (r *reader) add(fd int, addr string, s *sealed) (*loopConn, error) {
	c := &loopConn{fd: fd, addr: addr, tls: s, reader: r}
	r.mu.Lock()
	if n := len(r.free); n > 0 {
		c.slot, r.free = r.free[n-1], r.free[:n-1]
		r.slots[c.slot] = c
	} else {
		c.slot = len(r.slots)
		r.slots = append(r.slots, c)
	}
	r.mu.Unlock()
	if err := unix.EpollCtl(r.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(c.slot)}); err != nil {
		r.drop(c) // the loop has never heard of it
		return nil, fmt.Errorf("epoll: %w", err)
	}
	return c, nil
}

// watch changes what the loop waits for.
func (r *reader) watch(c *loopConn, events uint32) error {
	return unix.EpollCtl(r.epoll, unix.EPOLL_CTL_MOD, c.fd, &unix.EpollEvent{Events: events, Fd: int32(c.slot)})
}

// take returns an idle connection to addr, or nil.
func (r *reader) take(addr string) *loopConn {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.idle[addr]
	if len(list) == 0 {
		return nil
	}
	c := list[len(list)-1]
	r.idle[addr] = list[:len(list)-1]
	r.pool.leave()
	return c
}

// give keeps a connection for later. False: there are enough.
func (r *reader) give(c *loopConn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.quit || !r.pool.enter() {
		return false
	}
	r.idle[c.addr] = append(r.idle[c.addr], c)
	return true
}

// forget takes a connection off the idle ones. False: it is in use.
func (r *reader) forget(c *loopConn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.idle[c.addr]
	for i, other := range list {
		if other == c {
			r.idle[c.addr] = append(list[:i], list[i+1:]...)
			r.pool.leave()
			return true
		}
	}
	return false
}

// drop closes a connection.
func (r *reader) drop(c *loopConn) {
	if c.closed {
		return
	}
	c.closed = true
	if c.tls != nil {
		c.farewell()
	}
	_ = unix.Close(c.fd) // which takes it off epoll too
	r.mu.Lock()
	r.slots[c.slot] = nil
	r.free = append(r.free, c.slot)
	r.mu.Unlock()
}

// stop ends the loop.
func (r *reader) stop() {
	r.mu.Lock()
	r.quit = true
	r.mu.Unlock()
	_, _ = unix.Write(r.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
}

// endLate ends the exchanges whose deadline is over.
func (r *reader) endLate(now int64) {
	r.mu.Lock()
	conns := append([]*loopConn(nil), r.slots...)
	r.mu.Unlock()
	for _, c := range conns {
		if c == nil {
			continue
		}
		if x := c.call.Load(); x != nil && x.deadline > 0 && now >= x.deadline {
			c.abort(x, ErrTimeout)
		}
	}
}

// run is the loop.
func (r *reader) run() {
	for {
		n, err := r.wait()
		if err != nil && err != unix.EINTR {
			panic(fmt.Sprintf("epoll_wait: %v", err)) // a bug of ours: the descriptor is bad
		}
		if !r.resolve(max(n, 0)) {
			r.closeAll()
			return
		}
		r.ended = false
		if r.user {
			r.woke = time.Now()
		}
		for i, c := range r.conns[:max(n, 0)] {
			if c != nil {
				r.serve(c, r.ready[i].Events)
			}
		}
		if r.ended {
			runtime.Gosched() // the goroutines that were waiting go first: they send the next requests
		}
	}
}

// resolve finds the connections of this round. False: the loop is to end.
func (r *reader) resolve(n int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range n {
		r.conns[i] = nil
		if slot := int(r.ready[i].Fd); slot >= 0 && slot < len(r.slots) {
			r.conns[i] = r.slots[slot]
		}
	}
	return !r.quit
}

func (r *reader) closeAll() {
	r.mu.Lock()
	conns := append([]*loopConn(nil), r.slots...)
	r.mu.Unlock()
	for _, c := range conns {
		if c != nil {
			c.release(errClosed, false)
		}
	}
	_ = unix.Close(r.wake)
	_ = unix.Close(r.epoll)
}

// serve handles one ready connection.
func (r *reader) serve(c *loopConn, events uint32) {
	if c.closed {
		return // since this round began
	}
	if events&unix.EPOLLOUT != 0 {
		if err := c.flush(); err != nil {
			r.finish(c, err, false)
			return
		}
		if events&^unix.EPOLLOUT == 0 {
			return
		}
	}
	x := c.call.Load()
	switch x {
	case nil:
		// The server has closed an idle connection, or says something unasked. If it
		// has just been taken for a request, that one will read what there is.
		if r.forget(c) {
			r.whileIdle(c)
		}
		return
	case broken:
		c.release(nil, false)
		return
	}
	n, stamp, errno := r.receive(c)
	switch {
	case errno == unix.EAGAIN || errno == unix.EINTR:
	case errno != 0:
		r.finish(c, c.http1.brokenBy(opError("read", errno)), false)
	case c.tls != nil:
		c.tls.end = n == 0
		r.open(c, x, r.buf[:n], stamp)
	case n == 0:
		r.finish(c, c.endOfStream(), false)
	default:
		r.feed(c, x, r.buf[:n], stamp)
	}
}

// feed hands a read to the response's reader.
func (r *reader) feed(c *loopConn, x *call, data []byte, at Stamp) {
	taken, done, err := c.http1.feed(data, at, x.sink)
	if len(data) == loopBuffer { // there may be more, of which the kernel has told the time already
		x.sink.Body(nil, at)
	}
	switch {
	case err != nil:
		r.finish(c, err, false)
	case done:
		// Bytes behind the response were not asked for: such a connection is given up.
		r.finish(c, nil, !c.http1.close && taken == len(data))
	}
}

func (r *reader) finish(c *loopConn, err error, reuse bool) {
	r.ended = true
	c.release(err, reuse)
}

// endOfStream judges a connection that the server has closed.
func (c *loopConn) endOfStream() error {
	if !c.http1.started() {
		return errClosed
	}
	return c.http1.closed()
}

// receive reads once. The data is in buf.
func (r *reader) receive(c *loopConn) (int, Stamp, unix.Errno) {
	r.msg.Control = &r.oob[0]
	r.msg.SetControllen(len(r.oob))
	// Never blocks, so the scheduler need not know.
	n, _, errno := unix.RawSyscall(unix.SYS_RECVMSG, uintptr(c.fd), uintptr(unsafe.Pointer(&r.msg)), unix.MSG_DONTWAIT)
	if errno != 0 {
		return 0, Stamp{}, errno
	}
	now := time.Now()
	kernel := receiveTime(r.oob[:r.msg.Controllen])
	if kernel == 0 && n > 0 { // the end of a stream has no time
		c.unstamped++
	}
	return int(n), r.clock.stamp(now, kernel, r.woke), 0
}
