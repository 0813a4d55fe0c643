package memnet

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// ends is a connection by a network of its own.
func ends(t *testing.T) (near, far net.Conn) {
	t.Helper()
	var n Network
	l, err := n.Listen("10.0.0.1:80")
	if err != nil {
		t.Fatal(err)
	}
	var accepting sync.WaitGroup
	accepting.Go(func() { far, _ = l.Accept() })
	near, err = n.DialContext(t.Context(), "tcp", "10.0.0.1:80")
	accepting.Wait()
	if err != nil || far == nil {
		t.Fatal(err)
	}
	l.Close()
	t.Cleanup(func() { near.Close(); far.Close() })
	return near, far
}

// A deadline an hour away passes at once for who waits for nothing else, and at its very moment.
func TestDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, _ := ends(t)
		began := time.Now()
		_ = near.SetReadDeadline(began.Add(time.Hour))
		if _, err := near.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != time.Hour {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		_ = near.SetDeadline(time.Now().Add(time.Minute))
		if n, err := near.Write(make([]byte, 2*window)); !errors.Is(err, os.ErrDeadlineExceeded) || n != window {
			t.Errorf("%d bytes, %v", n, err)
		}
		_ = near.SetDeadline(time.Time{})
		if n, err := near.Write(nil); n != 0 || err != nil {
			t.Errorf("a deadline taken away: %v", err)
		}
	})
}

func TestBytesArriveInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := ends(t)
		sent := strings.Repeat("0123456789abcdef", window/4) // four windows
		var writing sync.WaitGroup
		writing.Go(func() {
			_, _ = io.WriteString(near, sent)
			near.Close()
		})
		got, err := io.ReadAll(far)
		if err != nil || string(got) != sent {
			t.Errorf("%d bytes, %v; want %d", len(got), err, len(sent))
		}
		writing.Wait()
		if _, err := far.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
			t.Errorf("written to who is gone: %v", err)
		}
		if _, err := near.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
			t.Errorf("read after the own end: %v", err)
		}
	})
}

func TestReset(t *testing.T) {
	near, far := ends(t)
	_, _ = io.WriteString(far, "lost")
	_ = far.(*Conn).SetLinger(0)
	far.Close()
	if n, err := near.Read(make([]byte, 9)); n != 0 || !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("%d bytes, %v", n, err)
	}
}

func TestNobodyListens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n Network
		if _, err := n.DialContext(t.Context(), "tcp", "10.0.0.1:80"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("nobody there: %v", err)
		}
		l, _ := n.Listen("10.0.0.1:80")
		if _, err := n.Listen("10.0.0.1:80"); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("twice: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second) // a listener that accepts nobody
		defer cancel()
		var timeout net.Error
		if _, err := n.DialContext(ctx, "tcp", "10.0.0.1:80"); !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Errorf("not accepted: %v", err)
		}
		l.Close()
		if _, err := n.Listen("10.0.0.1:80"); err != nil {
			t.Errorf("again after the end: %v", err)
		}
	})
}

// Port 0 is one that nobody has.
func TestAnyPort(t *testing.T) {
	var n Network
	seen := map[string]bool{}
	for range 3 {
		l, err := n.Listen("10.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		seen[l.Addr().String()] = true
	}
	if len(seen) != 3 || seen["10.0.0.1:0"] {
		t.Errorf("addresses %v", seen)
	}
}
