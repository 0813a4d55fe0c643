package sim

import (
	"fmt"
	"net"
	"testing"
	"time"
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
	l, ok := stampArrivals(plain).(stampedListener)
	if !ok {
		t.Skip("this kernel gives no receive times")
	}
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
	var b [1]byte
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, err := out.Write(b[:]); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Read(b[:]); err != nil {
			t.Fatal(err)
		}
		if in.(*stampedConn).arrived() > 0 {
			return
		}
	}
	t.Skip("this kernel gives no receive times")
}

// A request arrives after it was sent and before it was read, on a new connection
// and on a kept one, after a stream and after a whole answer.
func TestArrived(t *testing.T) {
	stamping(t)
	r := start(t, fast())
	sent := map[string]int64{}
	for i := range 20 {
		id := fmt.Sprint("r", i)
		body := fmt.Sprintf(`{"prompt":"hello","max_tokens":3,"stream":%v}`, i%3 != 0)
		sent[id] = time.Now().UnixNano()
		resp, err := r.post(pathCompletions, id, body)
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

// What isn't a receive time is not taken for one.
func TestKernelTimeOfOtherBytes(t *testing.T) {
	for _, oob := range [][]byte{nil, make([]byte, 3), make([]byte, 64), {20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 37, 0, 0, 0, 1, 2, 3, 4}} {
		if got := kernelTime(oob); got != 0 {
			t.Errorf("%v: %d", oob, got)
		}
	}
}
