package wire

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// ownConn is a connection of a loop that nobody runs, to a server that says nothing.
func ownConn(t *testing.T) *loopConn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	fd, err := takeOver(c.(*net.TCPConn), false)
	if err != nil {
		t.Fatal(err)
	}
	r, err := newReader(NewClock(), &idlePool{most: 1})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := r.add(fd, "it", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.drop(conn)
		r.closeAll()
	})
	return conn
}

// exchanged ends an exchange on a connection that is kept, and says what its request was told.
func exchanged(t *testing.T, c *loopConn) Conn {
	t.Helper()
	x := &call{done: make(chan struct{})}
	c.call.Store(x)
	c.release(nil, true)
	<-x.done
	if c.reader.take("it") != c {
		t.Fatal("the connection was not kept")
	}
	return x.info
}

// What a connection went through in one exchange is not told of the next one as well.
func TestAnExchangeIsToldOfItself(t *testing.T) {
	c := ownConn(t)
	c.unstamped, c.segments = 3, segments{resent: -5, reordered: -7} // as if the kernel had counted 5 and 7 since
	if got := exchanged(t, c); got.Unstamped != 3 || got.Retransmits != 5 || got.Reordered != 7 {
		t.Errorf("the first exchange: %+v", got)
	}
	if got := exchanged(t, c); got.Unstamped != 0 || got.Retransmits != 0 || got.Reordered != 0 {
		t.Errorf("the second one: %+v", got)
	}
}

// The shortest round trip of a connection took no longer than all of it.
func TestRealRoundTripIsShorterThanItsConnection(t *testing.T) {
	began := time.Now()
	c := ownConn(t)
	got := segmentsOf(c.fd)
	if most := time.Since(began); got.rtt <= 0 || got.rtt > most {
		t.Errorf("a round trip of %v on a connection of %v", got.rtt, most)
	}
}

// A request that does not fit into the kernel's buffers is written when its last byte is.
func TestRealLongRequestIsWrittenWhenItsLastPartIs(t *testing.T) {
	read := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-read
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	defer srv.Close()
	clock := NewClock()
	tr, err := NewLoop(LoopConfig{Clock: clock, Loops: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	type result struct {
		conn Conn
		err  error
	}
	done := make(chan result, 1)
	go func() {
		conn, err := tr.Do(context.Background(), &Request{URL: srv.URL, Body: bytes.Repeat([]byte("x"), 32<<20)}, &recorder{})
		done <- result{conn, err}
	}()
	for waits := false; !waits; time.Sleep(time.Millisecond) { // until some of it waits for room
		r := tr.readers[0]
		r.mu.Lock()
		for _, c := range r.slots {
			if c != nil {
				c.mu.Lock()
				waits = waits || len(c.out) > 0
				c.mu.Unlock()
			}
		}
		r.mu.Unlock()
	}
	before := clock.Now()
	close(read)
	if got := <-done; got.err != nil || got.conn.Written < before {
		t.Errorf("written at %v, and the server began to read after %v (%v)", time.Duration(got.conn.Written), time.Duration(before), got.err)
	}
}
