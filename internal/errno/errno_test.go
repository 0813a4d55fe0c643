package errno

import (
	"net"
	"syscall"
	"testing"
)

// TestRealRefused: what the system itself says is known, whatever its number.
func TestRealRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, inUse := net.Listen("tcp", l.Addr().String())
	if !Is(inUse, syscall.EADDRINUSE) || Is(inUse, syscall.ECONNREFUSED, syscall.ECONNRESET) {
		t.Errorf("an address in use: %v", inUse)
	}
	l.Close()
	_, refused := net.Dial("tcp", l.Addr().String())
	if !Is(refused, syscall.ECONNRESET, syscall.ECONNREFUSED) || Is(refused, syscall.EADDRINUSE) {
		t.Errorf("a refused connection: %v", refused)
	}
	if Is(nil, syscall.ECONNREFUSED) || Is(refused) {
		t.Error("nothing is an error")
	}
}
