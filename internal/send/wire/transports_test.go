package wire

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// eachTransport runs a test with each transport: they are one thing to load.
func eachTransport(t *testing.T, test func(t *testing.T, clock *Clock, tr Transport)) {
	t.Helper()
	header := http.Header{"Authorization": {"Bearer k"}, "Content-Type": {"application/json"}}
	for _, secure := range []bool{false, true} {
		under := func(engine string) string {
			if secure {
				return engine + " tls"
			}
			return engine
		}
		t.Run(under("nethttp"), func(t *testing.T) {
			clock := NewClock()
			tr := NewNetHTTP(NetHTTPConfig{Clock: clock, Connections: 100, Header: header, KernelStamps: true, Insecure: true})
			defer tr.Close()
			test(t, clock, over{tr, secure})
		})
		t.Run(under("loop"), func(t *testing.T) {
			if runtime.GOOS != "linux" {
				t.Skip("the event loop is for Linux")
			}
			clock := NewClock()
			tr, err := NewLoop(LoopConfig{Clock: clock, Connections: 100, Header: header, KernelStamps: true, Loops: 2, Insecure: true})
			if err != nil {
				t.Fatal(err)
			}
			defer tr.Close()
			test(t, clock, over{tr, secure})
		})
	}
}

// over says whether a transport is tested with TLS.
type over struct {
	Transport
	tls bool
}

// server starts one that a transport is tested with.
func server(tr Transport, handler http.HandlerFunc) *httptest.Server {
	if tr.(over).tls {
		return httptest.NewTLSServer(handler)
	}
	return httptest.NewServer(handler)
}

func TestRealTransportStampsEachEvent(t *testing.T) {
	eachTransport(t, func(t *testing.T, clock *Clock, tr Transport) {
		srv, sent, next := slowServer(t, tr.(over).tls)
		next <- struct{}{}
		rec := recorder{then: func() { next <- struct{}{} }}
		conn, err := tr.Do(context.Background(), &Request{URL: srv.URL, Body: []byte("{}")}, &rec)
		if err != nil {
			t.Fatal(err)
		}
		if len(rec.stamps) != 3 || conn.Unstamped != 0 && tr.Stamps() == "kernel" {
			t.Fatalf("%d reads, conn %+v", len(rec.stamps), conn)
		}
		for i, s := range rec.stamps {
			if d := time.Duration(s.At - clock.At(<-sent)); d < 0 || s.Lag < 0 {
				t.Errorf("event %d arrived %v after it was sent, lag %d", i, d, s.Lag)
			}
		}
	})
}

func TestTransportKeepsConnectionsAndSendsHeaders(t *testing.T) {
	eachTransport(t, func(t *testing.T, _ *Clock, tr Transport) {
		seen := make(chan string, 3)
		srv := server(tr, func(_ http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			seen <- fmt.Sprintf("%s %s?%s %s %s %v %s", r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Get("X-Request-Id"), r.Header.Get("Authorization"), r.Header["Traceparent"], body)
		})
		defer srv.Close()
		trace := RandomTrace()
		for i, parent := range []string{"", trace.Parent(1), ""} {
			conn, err := tr.Do(context.Background(), &Request{URL: srv.URL + "/v1/x?a=b", ID: fmt.Sprint("r", i), Trace: parent, Body: []byte("hello")}, &recorder{})
			if err != nil {
				t.Fatal(err)
			}
			if conn.New != (i == 0) { // of two event loops any may have it
				t.Errorf("request %d: new connection %v", i, conn.New)
			}
			if got, want := <-seen, fmt.Sprintf("POST /v1/x?a=b r%d Bearer k [%s] hello", i, parent); got != want {
				t.Errorf("the server saw %q, want %q", got, want)
			}
		}
	})
}

func TestTransportWithoutKeepAlive(t *testing.T) {
	url := closingServer(t, false)
	clock := NewClock()
	transports := []Transport{NewNetHTTP(NetHTTPConfig{Clock: clock, NoKeepAlive: true})}
	if runtime.GOOS == "linux" {
		loop, err := NewLoop(LoopConfig{Clock: clock, NoKeepAlive: true})
		if err != nil {
			t.Fatal(err)
		}
		transports = append(transports, loop)
	}
	for _, tr := range transports {
		for range 5 {
			conn, err := tr.Do(context.Background(), &Request{URL: url, Body: []byte("{}")}, &recorder{})
			if err != nil || !conn.New {
				t.Errorf("%T: new connection %v, %v", tr, conn.New, err)
			}
		}
		tr.Close()
	}
}

// A redirect is shown, not followed; nothing is sent twice.
func TestTransportFollowsNoRedirect(t *testing.T) {
	eachTransport(t, func(t *testing.T, _ *Clock, tr Transport) {
		var calls atomic.Int32
		srv := server(tr, func(w http.ResponseWriter, r *http.Request) {
			calls.Add(1)
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		})
		defer srv.Close()
		var rec recorder
		if _, err := tr.Do(context.Background(), &Request{URL: srv.URL, Body: []byte("x")}, &rec); err != nil {
			t.Fatal(err)
		}
		if rec.status != http.StatusTemporaryRedirect || calls.Load() != 1 {
			t.Errorf("status %d after %d calls", rec.status, calls.Load())
		}
	})
}

func TestRealTransportTimeoutAndCancel(t *testing.T) {
	eachTransport(t, func(t *testing.T, _ *Clock, tr Transport) {
		hang := make(chan struct{})
		srv := server(tr, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/stream" {
				fmt.Fprint(w, "data: 1\n\n")
				_ = http.NewResponseController(w).Flush()
			}
			<-hang
		})
		defer srv.Close()
		defer close(hang)
		for _, path := range []string{"/", "/stream"} {
			if _, err := tr.Do(context.Background(), &Request{URL: srv.URL + path, Timeout: 50 * time.Millisecond}, &recorder{}); !errors.Is(err, ErrTimeout) {
				t.Errorf("%s: timeout gives %v", path, err)
			}
			why := errors.New("because")
			ctx, cancel := context.WithCancelCause(context.Background())
			time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
			if _, err := tr.Do(ctx, &Request{URL: srv.URL + path}, &recorder{}); !errors.Is(err, why) {
				t.Errorf("%s: cancel gives %v", path, err)
			}
		}
	})
}

// Who hangs up does it so long after the request was written, the server sees it, and what has come by then was read. An answer
// that comes earlier is an answer.
func TestRealTransportHangsUp(t *testing.T) {
	const after = 60 * time.Millisecond
	eachTransport(t, func(t *testing.T, clock *Clock, tr Transport) {
		gone := make(chan time.Time, 1)
		srv := server(tr, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if r.URL.Path != "/" {
				fmt.Fprint(w, "data: 1\n\n")
				_ = http.NewResponseController(w).Flush()
			}
			if r.URL.Path == "/whole" {
				return
			}
			<-r.Context().Done()
			gone <- time.Now()
		})
		defer srv.Close()
		for _, path := range []string{"/", "/stream"} {
			var rec recorder
			conn, err := tr.Do(context.Background(), &Request{URL: srv.URL + path, HangUp: after, Body: make([]byte, 8<<20)}, &rec)
			if !errors.Is(err, ErrHungUp) || (len(rec.stamps) > 0) != (path == "/stream") {
				t.Errorf("%s: %v, after %d reads", path, err, len(rec.stamps))
			}
			at := clock.At(<-gone)
			if waited := time.Duration(at - conn.Written); conn.Written == 0 || waited < after {
				t.Errorf("%s: it hung up %v after all was written", path, waited)
			}
		}
		if _, err := tr.Do(context.Background(), &Request{URL: srv.URL + "/whole", HangUp: time.Minute}, &recorder{}); err != nil {
			t.Errorf("an answer before that: %v", err)
		}
	})
}

// rawServer answers each connection with bytes, and then does what end says.
func rawServer(t *testing.T, secure bool, answer string, end func(*net.TCPConn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	scheme := "http://"
	if secure {
		scheme, l = "https://", tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{certificate(t)}})
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				req, err := http.ReadRequest(bufio.NewReader(c))
				if err != nil {
					return
				}
				_, _ = io.Copy(io.Discard, req.Body)
				_, _ = io.WriteString(c, answer)
				if s, ok := c.(*tls.Conn); ok {
					end(s.NetConn().(*net.TCPConn))
				} else {
					end(c.(*net.TCPConn))
				}
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	return scheme + l.Addr().String()
}

// certificate is that of httptest.
func certificate(t *testing.T) tls.Certificate {
	t.Helper()
	srv := httptest.NewTLSServer(http.NotFoundHandler())
	defer srv.Close()
	return srv.TLS.Certificates[0]
}

func TestTransportErrors(t *testing.T) {
	const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
	closes := func(*net.TCPConn) {}
	resets := func(c *net.TCPConn) { _, _ = c.SetLinger(0), c.Close() }
	tests := []struct {
		name, answer string
		end          func(*net.TCPConn)
		body         string
		check        func(error) bool
	}{
		{"whole", chunked + "0\r\n\r\n", closes, "hello", func(err error) bool { return err == nil }},
		{"up to the close", "HTTP/1.0 200 OK\r\n\r\nhello", closes, "hello", func(err error) bool { return err == nil }},
		{"closed inside", chunked, closes, "hello", func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }},
		{"reset inside", chunked, resets, "hello", func(err error) bool { return err != nil && strings.Contains(err.Error(), "reset") }},
		{"closed before an answer", "", closes, "", func(err error) bool { return errors.Is(err, io.EOF) }},
		{"no HTTP", "hello there, this is no HTTP\r\n\r\n", closes, "", func(err error) bool { return err != nil }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			eachTransport(t, func(t *testing.T, _ *Clock, tr Transport) {
				var rec recorder
				end := tt.end
				if tt.name == "reset inside" { // only when the client has read what came before
					read := make(chan struct{})
					rec.then = func() { close(read) }
					end = func(c *net.TCPConn) { <-read; resets(c) }
				}
				url := rawServer(t, tr.(over).tls, tt.answer, end)
				_, err := tr.Do(context.Background(), &Request{URL: url, Body: []byte("x")}, &rec)
				if !tt.check(err) || string(rec.body) != tt.body {
					t.Errorf("body %q, err %v", rec.body, err)
				}
			})
		})
	}
}

func TestTransportRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	l.Close()
	eachTransport(t, func(t *testing.T, _ *Clock, tr Transport) {
		var op *net.OpError
		if _, err := tr.Do(context.Background(), &Request{URL: url}, &recorder{}); !errors.As(err, &op) || op.Op != "dial" {
			t.Errorf("err = %v", err)
		}
	})
}

// A body larger than the kernel's buffers, to a server that is slow to read it.
func TestTransportSendsLargeBodies(t *testing.T) {
	body := bytes.Repeat([]byte("0123456789abcdef"), 1<<20)
	eachTransport(t, func(t *testing.T, _ *Clock, tr Transport) {
		srv := server(tr, func(w http.ResponseWriter, r *http.Request) {
			got, err := io.ReadAll(r.Body)
			fmt.Fprint(w, bytes.Equal(got, body), err)
		})
		defer srv.Close()
		var rec recorder
		if _, err := tr.Do(context.Background(), &Request{URL: srv.URL, Body: body}, &rec); err != nil {
			t.Fatal(err)
		}
		if string(rec.body) != "true <nil>" {
			t.Errorf("the server says %q", rec.body)
		}
	})
}

func TestTransportManyAtOnce(t *testing.T) {
	eachTransport(t, func(t *testing.T, _ *Clock, tr Transport) {
		srv := server(tr, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			for i := range 20 {
				fmt.Fprintf(w, "data: %s-%d\n\n", body, i)
				_ = http.NewResponseController(w).Flush()
			}
		})
		defer srv.Close()
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				for k := range 5 {
					id := fmt.Sprintf("%d.%d", i, k)
					var rec recorder
					if _, err := tr.Do(context.Background(), &Request{URL: srv.URL, Body: []byte(id)}, &rec); err != nil {
						t.Errorf("%s: %v", id, err)
						return
					}
					if strings.Count(string(rec.body), "data: "+id+"-") != 20 {
						t.Errorf("%s got %q", id, rec.body)
					}
				}
			})
		}
		all.Wait()
	})
}
