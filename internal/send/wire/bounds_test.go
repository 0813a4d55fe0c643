package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// Both transports say the same of the same bytes.
func TestTransportsAgree(t *testing.T) {
	const ok, chunked = "HTTP/1.1 200 OK\r\n", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
	for _, tt := range []struct {
		name, answer, body string // no body: an error
	}{
		{"a folded header", ok + "X-A: b\r\n c\r\n" + chunked, "hello"},
		{"a folded length", ok + "Content-Length:\r\n 5\r\n\r\nhello", "hello"},
		{"a length folded in two", ok + "Content-Length: 1\r\n 5\r\n\r\nhello", ""},
		{"nothing to fold", ok + " X-A: b\r\n" + chunked, ""},
		{"NUL in a name", ok + "X-\x00: a\r\n" + chunked, ""},
		{"NUL in a value", ok + "X-A: a\x00b\r\n" + chunked, ""},
		{"a bare CR in a value", ok + "X-A: a\rb\r\n" + chunked, ""},
		{"bare LFs in the head", strings.ReplaceAll(ok+"X-A: b\r\nContent-Length: 5\r\n\r\n", "\r", "") + "hello", "hello"},
		{"bare LFs between chunks", ok + strings.ReplaceAll(chunked, "\r", ""), ""},
		{"chunks in HTTP/1.0", "HTTP/1.0 200 OK\r\n" + chunked, "5\r\nhello\r\n0\r\n\r\n"},
		{"five 1xx", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 5) + ok + chunked, "hello"},
		{"six 1xx", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 6) + ok + chunked, ""},
		{"a chunk of 17 digits", ok + "Transfer-Encoding: chunked\r\n\r\n00000000000000005\r\nhello\r\n0\r\n\r\n", ""},
		{"a chunk of 16 digits", ok + "Transfer-Encoding: chunked\r\n\r\n0000000000000005\r\nhello\r\n0\r\n\r\n", "hello"},
		{"a space before the colon", ok + "X-A : b\r\n" + chunked, "hello"},
		{"half a status", "HTTP/1.1 2", ""},
		{"headers without end", ok + strings.Repeat("X-A: "+strings.Repeat("b", 1000)+"\r\n", 2000) + chunked, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eachTransport(t, func(t *testing.T, _ *Clock, tr Transport) {
				url := rawServer(t, tr.(over).tls, tt.answer, func(*net.TCPConn) {})
				var rec recorder
				_, err := tr.Do(context.Background(), &Request{URL: url}, &rec)
				if string(rec.body) != tt.body && tt.body != "" || (err == nil) != (tt.body != "") {
					t.Errorf("body %q, %v", rec.body, err)
				}
				if tt.name == "half a status" && errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("%v, not what is wrong with the bytes", err)
				}
			})
		})
	}
}

func TestCheckHeader(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		ok          bool
	}{
		{"X-A", "b", true},
		{"X-A", "é\tb", true},
		{"X-A", "a\r\nX-Injected: b", false},
		{"X-A", "a\nb", false},
		{"X A", "b", false},
		{"X-A\r\n", "b", false},
		{"", "b", false},
	} {
		if err := CheckHeader(tt.name, tt.value); (err == nil) != tt.ok {
			t.Errorf("%q: %q: %v", tt.name, tt.value, err)
		}
	}
	if _, err := NewLoop(LoopConfig{Clock: NewClock(), Header: http.Header{"Host": {"a\r\nX-Injected: b"}}}); err == nil {
		t.Error("the event loop takes a header with a line break")
	}
}
