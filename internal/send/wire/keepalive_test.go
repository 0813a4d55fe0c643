package wire

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"testing"
)

// closingServer answers as llama.cpp does: it says Keep-Alive, streams, and closes
// the connection behind the last chunk.
func closingServer(t *testing.T, secure bool) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	scheme := "http://"
	if secure {
		scheme, l = "https://", tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{certificate(t)}})
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			r, err := http.ReadRequest(bufio.NewReader(c))
			if err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nServer: llama.cpp\r\nTransfer-Encoding: chunked\r\nKeep-Alive: timeout=5, max=100\r\n\r\n6\r\ndata: \r\n0\r\n\r\n")
			}
			_ = c.Close()
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-served
	})
	return scheme + l.Addr().String()
}

// Each request must get a connection of its own: one that was used before may be
// closed already, and whether we know of it is a matter of microseconds.
func TestTransportLosesNothingToAServerThatCloses(t *testing.T) {
	eachTransport(t, func(t *testing.T, _ *Clock, tr Transport) {
		url := closingServer(t, tr.(over).tls)
		for i := range 100 {
			var rec recorder
			conn, err := tr.Do(context.Background(), &Request{URL: url, Body: []byte("{}")}, &rec)
			if err != nil || string(rec.body) != "data: " {
				t.Fatalf("request %d: %v, body %q", i, err, rec.body)
			}
			if !conn.New {
				t.Fatalf("request %d went over a connection that the server closes", i)
			}
		}
	})
}
