package sim

import (
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/socket"
)

// stamping waits until the kernel stamps, which it does while a socket asks for it
// and begins with some delay.
func stamping(t *testing.T) {
	t.Helper()
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { plain.Close() })
	l := socket.StampArrivals(plain)
	out, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	in, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	known := socket.WithArrival(t.Context(), in)
	var b [1]byte
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, err := out.Write(b[:]); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Read(b[:]); err != nil {
			t.Fatal(err)
		}
		if socket.ArrivalOf(known) > 0 {
			return
		}
	}
	t.Skip("this kernel gives no receive times")
}

// A request arrives after it was sent and before it was read, on a new connection
// and on a kept one, after a stream and after a whole answer.
func TestRealArrived(t *testing.T) {
	stamping(t)
	r := start(t, fast())
	sent := map[string]int64{}
	for i := range 20 {
		id := fmt.Sprint("r", i)
		body := fmt.Sprintf(`{"prompt":"hello","max_tokens":3,"stream":%v}`, i%3 != 0)
		sent[id] = time.Now().UnixNano()
		resp, err := r.post(dialect.PathCompletions, id, body)
		if err != nil {
			t.Fatal(err)
		}
		drain(t, resp)
	}
	for id, rec := range r.truth() {
		if rec.Arrived < sent[id] || rec.Arrived > rec.Received {
			t.Errorf("%s: sent at %d, arrived %d later, read %d later", id, sent[id], rec.Arrived-sent[id], rec.Received-sent[id])
		}
	}
}
