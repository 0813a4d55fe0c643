package relay

import (
	"bufio"
	"fmt"
	"net"
	"testing"
	"time"
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
