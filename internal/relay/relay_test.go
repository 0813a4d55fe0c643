package relay

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/errno"
)

// TestRelay: what is said comes back whole, no sooner than a round trip takes, and closing ends it all.
func TestRelay(t *testing.T) {
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer echo.Close()
	go func() {
		for {
			c, err := echo.Accept()
			if err != nil {
				return
			}
			lines := bufio.NewScanner(c)
			for lines.Scan() {
				fmt.Fprintln(c, lines.Text())
			}
			c.Close()
		}
	}()
	const delay = 20 * time.Millisecond
	w, err := Open(echo.Addr().String(), delay)
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", w.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	begin, lines := time.Now(), bufio.NewScanner(c)
	fmt.Fprintln(c, "one")
	if !lines.Scan() || lines.Text() != "one" {
		t.Fatalf("%q came back: %v", lines.Text(), lines.Err())
	}
	if took := time.Since(begin); took < 2*delay {
		t.Errorf("there and back took %v, less than twice %v", took, delay)
	}
	_ = c.(*net.TCPConn).CloseWrite()
	if lines.Scan() {
		t.Errorf("%q came after the end", lines.Text())
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if c, err := net.Dial("tcp", w.Addr()); err == nil {
		c.Close()
		t.Error("a closed relay takes connections")
	}
}

// talk is a server that says each line back, and a client of it through a relay.
func talk(t *testing.T) (*Relay, func() (net.Conn, *bufio.Scanner)) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				lines := bufio.NewScanner(c)
				for lines.Scan() {
					fmt.Fprintln(c, lines.Text())
				}
			}()
		}
	}()
	r, err := Open(l.Addr().String(), 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r, func() (net.Conn, *bufio.Scanner) {
		c, err := net.Dial("tcp", r.Addr())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c, bufio.NewScanner(c)
	}
}

func say(t *testing.T, c net.Conn, lines *bufio.Scanner, word string) {
	t.Helper()
	fmt.Fprintln(c, word)
	if !lines.Scan() || lines.Text() != word {
		t.Fatalf("%q came back for %q: %v", lines.Text(), word, lines.Err())
	}
}

// A network that is cut resets what is there and what is new, and is whole again when it was mended.
func TestCut(t *testing.T) {
	r, dial := talk(t)
	c, lines := dial()
	say(t, c, lines, "one")
	r.Cut()
	if lines.Scan() || !errno.Is(lines.Err(), syscall.ECONNRESET) {
		t.Errorf("a cut connection ends with %v", lines.Err())
	}
	isReset(t, r)
	r.Mend()
	c, lines = dial()
	say(t, c, lines, "two")
}

// Where nothing comes through nobody is told, and what was said comes when it is mended.
func TestHold(t *testing.T) {
	r, dial := talk(t)
	c, lines := dial()
	say(t, c, lines, "one")
	r.Hold()
	fresh, freshLines := dial()
	fmt.Fprintln(c, "two")
	fmt.Fprintln(fresh, "three")
	_ = c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if n, err := c.Read(make([]byte, 1)); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%d bytes came through, %v", n, err)
	}
	_ = c.SetReadDeadline(time.Time{})
	r.Mend()
	lines = bufio.NewScanner(c)
	if !lines.Scan() || lines.Text() != "two" || !freshLines.Scan() || freshLines.Text() != "three" {
		t.Errorf("after it %q and %q came back", lines.Text(), freshLines.Text())
	}
	r.Hold()
	fmt.Fprintln(c, "four") // and closing ends it all the same
}

// A relay can be made slow while a connection is open.
func TestSlow(t *testing.T) {
	r, dial := talk(t)
	c, lines := dial()
	say(t, c, lines, "one")
	const delay = 30 * time.Millisecond
	r.Slow(delay)
	begin := time.Now()
	say(t, c, lines, "two")
	if took := time.Since(begin); took < 2*delay {
		t.Errorf("there and back took %v, less than twice %v", took, delay)
	}
}

// A server that is not there is told to the client by a reset.
func TestNobodyBehind(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	r, err := Open(l.Addr().String(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	isReset(t, r)
}

// isReset: a new connection is reset, while it is opened or at once after.
func isReset(t *testing.T, r *Relay) {
	t.Helper()
	c, err := net.Dial("tcp", r.Addr())
	if err == nil {
		defer c.Close()
		_, err = c.Read(make([]byte, 1))
	}
	if !errno.Is(err, syscall.ECONNRESET) {
		t.Errorf("a new connection ends with %v", err)
	}
}
