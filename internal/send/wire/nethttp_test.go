package wire

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// recorder is a Sink that keeps what it is given.
type recorder struct {
	status int
	head   Stamp
	body   []byte
	stamps []Stamp
	then   func() // called after each read
}

func (r *recorder) Head(status int, _ Header, at Stamp) { r.status, r.head = status, at }
func (r *recorder) Body(data []byte, at Stamp) bool {
	if len(data) == 0 {
		return false // something that is no data
	}
	r.body = append(r.body, data...)
	r.stamps = append(r.stamps, at)
	if r.then != nil {
		r.then()
	}
	return false
}

// slowServer sends three events, each when the test says so, and notes when.
func slowServer(t *testing.T, useTLS bool) (*httptest.Server, chan time.Time, chan struct{}) {
	t.Helper()
	sent, next := make(chan time.Time, 3), make(chan struct{}, 4)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		rc := http.NewResponseController(w)
		_ = rc.Flush()
		for i := range 3 {
			<-next
			at := time.Now()
			fmt.Fprintf(w, "data: %d\n\n", i)
			_ = rc.Flush()
			sent <- at
		}
	}))
	if useTLS {
		srv.EnableHTTP2 = true
		srv.StartTLS()
	} else {
		srv.Start()
	}
	t.Cleanup(srv.Close)
	return srv, sent, next
}

func TestRealNetHTTPStamps(t *testing.T) {
	kernel := kernelStamps()
	if runtime.GOOS == "linux" && !kernel {
		t.Log("this kernel gives no receive times: user times are tested")
	}
	tests := []struct {
		name       string
		tls, http2 bool
		kernel     bool
		wantStamps string
	}{
		{"plain", false, false, kernel, name(kernel)},
		{"tls", true, false, kernel, name(kernel)},
		{"http2", true, true, kernel, "user"},
		{"refused option", false, false, false, "user"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv, sent, next := slowServer(t, tt.tls)
			clock := NewClock()
			tr := NewNetHTTP(NetHTTPConfig{Clock: clock, Connections: 1, Insecure: true, HTTP2: tt.http2, KernelStamps: tt.kernel})
			defer tr.Close()
			if tr.Stamps() != tt.wantStamps {
				t.Fatalf("Stamps() = %q, want %q", tr.Stamps(), tt.wantStamps)
			}
			// The server sends the next event only when the one before was read.
			next <- struct{}{}
			rec := recorder{then: func() { next <- struct{}{} }}
			conn, err := tr.Do(context.Background(), &Request{URL: srv.URL, ID: "r", Body: []byte("{}")}, &rec)
			if err != nil {
				t.Fatal(err)
			}
			if string(rec.body) != "data: 0\n\ndata: 1\n\ndata: 2\n\n" || rec.status != 200 {
				t.Fatalf("status %d, body %q", rec.status, rec.body)
			}
			if !conn.New || conn.Reconnects != 0 || (tt.wantStamps == "kernel" && conn.Unstamped != 0) {
				t.Errorf("conn = %+v", conn)
			}
			if len(rec.stamps) != 3 {
				t.Fatalf("%d reads, want one an event", len(rec.stamps))
			}
			for i, s := range rec.stamps {
				sentAt := clock.At(<-sent)
				if s.Kernel != (tt.wantStamps == "kernel") {
					t.Errorf("event %d: kernel stamp %v", i, s.Kernel)
				}
				// The bytes cannot arrive before they were sent, nor after the next event, which waits for them.
				if d := time.Duration(s.At - sentAt); d < 0 {
					t.Errorf("event %d arrived %v after it was sent", i, d)
				}
				if s.Lag < 0 {
					t.Errorf("event %d: negative lag %d", i, s.Lag)
				}
			}
		})
	}
}

// kernelStamps says whether the kernel gives receive times for TCP here.
func kernelStamps() bool {
	h, ok := holdStamps()
	h.release()
	return ok
}

func name(kernel bool) string {
	if kernel {
		return "kernel"
	}
	return "user"
}

func TestClockRestart(t *testing.T) {
	c := NewClock()
	before := c.Now()
	moved := c.Restart()
	if after := c.Now(); before < 0 || moved < before || after < 0 {
		t.Errorf("before %d, moved %d, after %d", before, moved, after)
	}
	if d := time.Since(c.Zero()); d < 0 || d > time.Minute {
		t.Errorf("zero is %v ago", d)
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
